package tsserver

import (
	"context"
	"slices"
	"strings"
	"sync"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/lang/typescript"
	"lspi/internal/source"
	"lspi/lsp"
)

// A class whose base tsserver does not resolve, or has for any, derives from nothing to it, and an object with such a
// type has none: their members are connected with no other.

// maxBaseLevels bounds how far upwards the bases of a class are followed.
const maxBaseLevels = 8

// mayDerive is [lsp.CoverageHooks].MayDerive: a base may be of the tree, and for an object that is what its module
// says.
func (a *Process) mayDerive(text *source.Text) func(ctx context.Context, offset int) bool {
	heads := sync.OnceValue(func() *lang.ScriptHeads { return lang.ReadScriptHeads(text.Content()) })
	imports := sync.OnceValue(func() []binding { return bindings(text.Content()) })
	return func(ctx context.Context, offset int) bool {
		found := heads().Bases(offset)
		if len(found) == 0 {
			return false
		}
		t := a.projects
		release, ok := t.take(ctx, a.Server)
		if !ok {
			return true
		}
		defer release()
		return slices.ContainsFunc(found, func(b lang.ScriptBase) bool {
			switch module := importedFrom(imports(), firstOf(text.Content(), b.At), b.At); {
			case module == "":
				return !b.Literal
			case typescript.IsPath(module):
				return !b.Literal || len(t.targets(text.Path, module)) == 0
			default:
				return !t.outside(text.Path, module)
			}
		})
	}
}

// firstOf is the first part of the name that ends with the word at an offset; "" where it begins with no word.
func firstOf(content string, at int) string {
	from, to, _ := source.WordAround(content, at)
	for lang.BehindDot(content[:from]) {
		before := strings.TrimRight(content[:from], " \t\r\n?.")
		start, end, ok := source.WordAround(before, len(before))
		if !ok || end != len(before) {
			return ""
		}
		from, to = start, end
	}
	return content[from:to]
}

// unknownBase is [lsp.CoverageHooks].UnknownBase.
func (a *Process) unknownBase(ctx context.Context, s *lsp.Snapshot, path string, at contract.Position) (lsp.Place,
	lsp.Base) {
	text, err := s.Documents().Text(path)
	if err != nil {
		return lsp.Place{}, lsp.BaseKnown
	}
	offset, err := text.Offset(at)
	if err != nil {
		return lsp.Place{}, lsp.BaseKnown
	}
	return a.unknownAbove(ctx, s, text, lang.ReadScriptHeads(text.Content()).Bases(offset), maxBaseLevels)
}

// unknownAbove looks through bases, and through what these derive from.
func (a *Process) unknownAbove(ctx context.Context, s *lsp.Snapshot, text *source.Text, all []lang.ScriptBase,
	levels int) (base lsp.Place, is lsp.Base) {
	for _, b := range all {
		at := text.PositionAt(b.At)
		places, err := s.Locate(ctx, lsp.MethodDefinition, text.Path, at)
		found := slices.DeleteFunc(places, func(p lsp.Place) bool { return p.Import })
		unknown := err == nil && len(found) == 0 || isAny(ctx, s, text.Path, at, b)
		if unknown {
			if base, is = placeAt(text, b.At), lsp.BaseUnknown; !a.foreign(ctx, text, b.At, lsp.Place{}) {
				return base, is
			}
			is = lsp.BaseOutside
			continue
		}
		if levels == 0 || b.Literal {
			continue
		}
		for _, p := range found {
			above, err := s.Documents().Text(p.Path)
			if err != nil || !a.inWorkspace(p.Path) {
				continue
			}
			offset, err := above.Offset(p.Range.Start)
			if err != nil {
				continue
			}
			heads := lang.ReadScriptHeads(above.Content()).HeadBases(offset)
			further, said := a.unknownAbove(ctx, s, above, heads, levels-1)
			if said == lsp.BaseUnknown {
				return further, said
			}
			if said != lsp.BaseKnown {
				base, is = further, said
			}
		}
	}
	return base, is
}

// inWorkspace reports whether a file is a source of the tree, and none of a library.
func (a *Process) inWorkspace(path string) bool {
	return a.Server.Folders().Inside(path) && !strings.Contains(path, "node_modules")
}

// placeAt is the word at an offset as a place.
func placeAt(text *source.Text, offset int) lsp.Place {
	at := text.PositionAt(offset)
	return lsp.Place{Path: text.Path, Range: contract.Range{Start: at, End: at}, Line: text.Line(at.Line)}
}

// isAny reports whether the hover about a base says that it is of the type any, or returns it.
func isAny(ctx context.Context, s *lsp.Snapshot, path string, at contract.Position, b lang.ScriptBase) bool {
	h, err := s.Hover(ctx, path, at)
	if err != nil || h == nil {
		return false
	}
	signature := hovered.FindStringSubmatch(h.Text)
	if signature == nil {
		return false
	}
	first, _, _ := strings.Cut(signature[1], "\nimport ")
	switch {
	case strings.HasPrefix(first, "import "): // it leads nowhere but to the import
		return true
	case !variable.MatchString(first):
		returns := strings.TrimSpace(first)
		return b.Called && !b.Literal && (strings.HasSuffix(returns, "): any") ||
			// a class that extends what is given to the function
			strings.HasSuffix(returns, "): typeof (Anonymous class)") && strings.Contains(returns, ": any"))
	case b.Called && !b.Literal:
		return anyType.MatchString(first) || strings.HasSuffix(strings.TrimSpace(first), "=> any")
	}
	return anyType.MatchString(first)
}

var (
	// hovered matches the code of a hover.
	hovered = source.LazyRegexp("(?s)```\\w*\n(.*?)\n```")
	// variable matches the beginning of the hover about a variable, a parameter or a property.
	variable = source.LazyRegexp(`^(?:\([\w ]+\) )?(?:const|let|var|\w[\w.$]*:|[\w.$]+\??: )`)
	anyType  = source.LazyRegexp(`^[^\n]*?: any\s*$`)
)
