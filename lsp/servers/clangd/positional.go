package clangd

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/spec"
)

// Values in braces set members by their place ([dcl.init.aggr], C 6.7.9), and a structured binding takes them so. Where
// clangd compiles it, its inlay hints write the designator in front of each value: .row= (22.1.8). They do not tell of
// which type the member is.

// The bounds of the search for such values.
const (
	maxTyped  = 40 // declarations by the type, whose uses are followed
	maxHinted = 24 // files that are asked for hints
)

// hintRequest asks for the inlay hints of a file.
var hintRequest = spec.RawRequest{Method: lsp.MethodInlayHint, Names: spec.RawField}

// byPlace matches what may be an initializer without a designator, or a structured binding.
var byPlace = source.LazyRegexp(`(?:[=(,{>\])]|\breturn|\b\w+)\s*\{\s*[^.\s}]|\bauto\b[\s&]*\[`)

// binding matches a structured binding.
var binding = source.LazyRegexp(`\bauto\b[\s&]*\[`)

// unnamed is [lsp.CoverageHooks].Unnamed. Only an aggregate is initialized so: a type with a constructor is not.
func (a *Process) unnamed(ctx context.Context, s *lsp.Snapshot, name string, declared lsp.Place) (sure,
	doubtful []lsp.Place) {
	symbols, text, err := s.DocumentSymbols(ctx, declared.Path)
	if err != nil {
		return nil, nil
	}
	owner := ownerOf(symbols, declared.Range.Start)
	if owner == nil || slices.ContainsFunc(owner.Children, func(m lsp.Symbol) bool { return m.Kind == "constructor" }) {
		return nil, nil
	}
	files, whole := []string{declared.Path}, true
	if !isSource(declared.Path) { // what a source declares is mostly its own
		files, whole = typedFiles(ctx, s, text, owner)
	}
	for i, path := range files {
		text, err := s.Documents().Text(path)
		if err != nil || !byPlace.MatchString(text.Content()) {
			continue
		}
		if i >= maxHinted {
			whole = false
			break
		}
		doubtful = append(doubtful, hinted(ctx, s, text, name, declared.Path, owner)...)
	}
	if !whole {
		doubtful = append(doubtful, declared)
	}
	return nil, doubtful
}

// typedFiles are the files with uses of a type, and of what is declared by it: functions, members, variables and other
// names of the type. whole is false where there is more.
func typedFiles(ctx context.Context, s *lsp.Snapshot, text *source.Text, owner *lsp.Symbol) (files []string,
	whole bool) {
	files, whole = []string{text.Path}, true
	next := []lsp.Place{{Path: text.Path, Range: owner.NameAt}}
	if at, ok := nameBehind(text, owner); ok {
		next = append(next, lsp.Place{Path: text.Path, Range: contract.Range{Start: at, End: at}})
	}
	for n := 0; n < len(next); n++ {
		if n == maxTyped {
			return files, false
		}
		one := next[n]
		places, err := s.References(ctx, one.Path, one.Range.Start, true)
		whole = whole && err == nil
		for _, p := range places {
			if p.Err != nil || p.Gone {
				continue
			}
			if !slices.Contains(files, p.Path) {
				files = append(files, p.Path)
			}
			at, ok := declarationAround(ctx, s, p)
			declared := lsp.Place{Path: p.Path, Range: contract.Range{Start: at, End: at}}
			if ok && !lsp.LeadsTo(next, declared) {
				next = append(next, declared)
			}
		}
	}
	return files, whole
}

// nameBehind is the name that a typedef gives to the type that it declares: typedef struct { … } row_t.
func nameBehind(text *source.Text, owner *lsp.Symbol) (at contract.Position, ok bool) {
	end, err := text.Offset(owner.Range.End)
	if err != nil {
		return at, false
	}
	rest := text.Content()[end:]
	from := len(rest) - len(strings.TrimLeft(rest, " \t\r\n}"))
	start, stop, ok := source.WordAround(rest, from)
	return text.PositionAt(end + start), ok && start == from && stop > start
}

// declarationAround is the name of what is declared with a type at a place: of a function whose head has it, and of a
// variable or alias; for a member the type that has it.
func declarationAround(ctx context.Context, s *lsp.Snapshot, p lsp.Place) (at contract.Position, ok bool) {
	symbols, _, err := s.DocumentSymbols(ctx, p.Path)
	if err != nil {
		return at, false
	}
	around := symbolsAround(symbols, p.Range.Start)
	if len(around) == 0 || symbolAt(symbols, p.Range.Start) != nil {
		return at, false
	}
	own := around[len(around)-1]
	// In the body of a function a variable is local to the file.
	if own.Kind == "function" || own.Kind == "method" {
		return own.NameAt.Start, p.Range.Start.Line <= own.NameAt.Start.Line+maxHead
	}
	if own.Kind == "field" && len(around) > 1 {
		own = around[len(around)-2]
	}
	return own.NameAt.Start, !own.Kind.IsScope()
}

// maxHead is how many lines a function's head mostly has at most.
const maxHead = 5

// hinted are the values of a file that set a member of a name by their place, and its structured bindings.
func hinted(ctx context.Context, s *lsp.Snapshot, text *source.Text, name, declared string,
	owner *lsp.Symbol) (out []lsp.Place) {
	place := func(at contract.Position) lsp.Place {
		return lsp.Place{Path: text.Path, Range: contract.Range{Start: at, End: at}, Line: text.Line(at.Line)}
	}
	for _, found := range binding.FindAllStringIndex(text.Content(), -1) {
		at := text.PositionAt(found[0]) // clangd leads from auto to the type that it stands for
		types, err := s.Locate(ctx, lsp.MethodTypeDefinition, text.Path, at)
		if err != nil || slices.ContainsFunc(types, func(p lsp.Place) bool {
			return p.Path == declared && p.Range.Start == owner.NameAt.Start
		}) {
			out = append(out, place(at))
		}
	}
	whole, _ := json.Marshal(map[string]any{"start": map[string]int{"line": 0, "character": 0},
		"end": map[string]int{"line": text.Lines(), "character": 0}})
	raw, err := s.Raw(ctx, hintRequest, text.Path, map[string]json.RawMessage{"range": whole})
	if err != nil {
		return append(out, place(contract.Position{Line: 1, Character: 1}))
	}
	var hints []struct {
		Position struct{ Line, Character int }
		Label    json.RawMessage
	}
	if json.Unmarshal(raw, &hints) != nil {
		return out
	}
	for _, h := range hints {
		// As a string, or as parts. Of nested braces the designator has the names on the way: .from.row=
		label, at := string(h.Label), contract.Position{Line: h.Position.Line + 1, Character: h.Position.Character + 1}
		if (strings.Contains(label, "."+name+"=") || strings.Contains(label, "."+name+".")) &&
			!(strings.Contains(label, `".`+name+`=`) && setsAnother(ctx, s, text, at, name, declared, owner)) {
			out = append(out, place(at))
		}
	}
	return out
}

// setsAnother reports whether the value at a place, whose designator is the name alone, sets a member of another type:
// the one of what stands in front of the brace around it has a member of the name itself.
func setsAnother(ctx context.Context, s *lsp.Snapshot, text *source.Text, at contract.Position, name, declared string,
	owner *lsp.Symbol) bool {
	from, err := text.Offset(at)
	if err != nil {
		return false
	}
	content := text.Content()
	brace := lang.BlockStart(content, from)
	if brace < 0 || content[brace] != '{' {
		return false
	}
	before := strings.TrimRight(strings.TrimSuffix(strings.TrimRight(content[:brace], " \t\r\n"), "="), " \t\r\n")
	start, end, ok := source.WordAround(before, len(before))
	if !ok || start == end {
		return false
	}
	types, err := s.Locate(ctx, lsp.MethodTypeDefinition, text.Path, text.PositionAt(start))
	return err == nil && len(types) > 0 && !slices.ContainsFunc(types, func(p lsp.Place) bool {
		if p.Path == declared && owner.Range.Contains(p.Range.Start) {
			return true
		}
		symbols, _, err := s.DocumentSymbols(ctx, p.Path)
		own := symbolAt(symbols, p.Range.Start)
		return err != nil || own == nil || member(own, name) == nil
	})
}

// ownerOf is the type that declares the field at a position; nil where none does.
func ownerOf(symbols []lsp.Symbol, at contract.Position) *lsp.Symbol {
	own, around := symbolAt(symbols, at), symbolsAround(symbols, at)
	if own == nil || own.Kind != "field" || len(around) == 0 {
		return nil
	}
	return &around[len(around)-1]
}
