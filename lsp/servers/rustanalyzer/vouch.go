package rustanalyzer

import (
	"context"
	"strings"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp"
)

// vouch is [lsp.CoverageHooks].Vouch: rust-analyzer decides by types, so that its references are whole in the modules
// of the crates that it has loaded. Of a source that is several modules it takes one alone, and has no references by
// way of the others (1.97.1); of one that include! takes in it knows no callers, and in the arguments of macros that it
// does not know no uses. A foreign declaration is another symbol to it than what the linker joins with it.
func (a *Process) vouch(ctx context.Context, q lsp.VouchQuestion) map[string]lsp.Vouched {
	out := map[string]lsp.Vouched{}
	for _, path := range q.Files {
		out[path] = lsp.VouchedAll
	}
	for _, u := range a.outsideProject(ctx, lsp.Because(lsp.NotOfProject, q.Files, true)) {
		delete(out, u.Path)
	}
	if a.modules(ctx, q.Declared.Path) > 1 {
		return nil
	}
	exported := a.exported(q.Name)
	for path := range out {
		if a.modules(ctx, path) == 0 || exported && declaresForeign(path) || !a.expands(ctx, q.Snapshot, path, q.Name) {
			delete(out, path)
		}
	}
	return out
}

// modules is how many modules a source is, as far as the server told.
func (a *Process) modules(ctx context.Context, path string) int {
	edits, err := a.Server.Documents().Edits(ctx)
	if err != nil {
		return 0
	}
	if m := a.membershipOf(ctx, path, edits); m.await(ctx) {
		return m.modules
	}
	return 0
}

// declaring matches the text in front of a name that a line declares.
var declaring = source.LazyRegexp(`(?:\b(?:fn|struct|enum|union|trait|type|const|static|mod|macro_rules!)|\bstatic\s+mut)\s+(?:r#)?$`)

// declared is [lsp.CoverageHooks].Declared: what stands behind the keyword of an item.
func (a *Process) declared(path string, at contract.Position) (lsp.Place, bool) {
	text, err := a.Server.Documents().Text(path)
	if err != nil {
		return lsp.Place{}, false
	}
	offset, err := text.Offset(at)
	line := text.Line(at.Line)
	return lsp.Place{Path: path, Range: contract.Range{Start: at, End: at}, Line: line},
		err == nil && declaring.FindString(line[:offset-text.LineStart(at.Line)]) != ""
}

// through is [lsp.CoverageHooks].Through for an item of impl Trait for Type: the references of the item have the uses
// by way of the type, and not those of the trait's item (1.97.1).
func (a *Process) through(ctx context.Context, s *lsp.Snapshot, declared lsp.Place) (of lsp.Place,
	uses []lsp.Place, ok bool, err error) {
	text, err := s.Documents().Text(declared.Path)
	if err != nil {
		return of, nil, false, err
	}
	trait := traitOf(text, declared.Range.Start.Line)
	if trait < 0 {
		return of, nil, false, nil
	}
	found, err := s.Locate(ctx, lsp.MethodDeclaration, declared.Path, declared.Range.Start)
	// It leads from a constant and a type to themselves, and then the trait has to be asked for.
	if err == nil && (len(found) == 0 || lsp.LeadsTo(found, declared)) {
		found, err = memberOfTrait(ctx, s, declared, text, text.PositionAt(trait))
	}
	if err != nil {
		return of, nil, false, err
	}
	if len(found) == 0 { // a trait that the server does not find, such as one of a library that is not installed
		at := text.PositionAt(trait)
		return lsp.Place{Path: declared.Path, Range: contract.Range{Start: at, End: at}, Guess: true}, nil, true, nil
	}
	of = found[0]
	if a.Server.Journal().Tracks(of.Path) {
		uses, err = s.References(ctx, of.Path, of.Range.Start, false)
	}
	return of, uses, err == nil, err
}

// memberOfTrait is the item of a trait, whose name stands at a position, that has the name of a declared one.
func memberOfTrait(ctx context.Context, s *lsp.Snapshot, declared lsp.Place, text *source.Text,
	trait contract.Position) (out []lsp.Place, err error) {
	offset, err := text.Offset(declared.Range.Start)
	if err != nil {
		return nil, err
	}
	from, to, _ := source.WordAround(text.Content(), offset)
	found, err := s.Locate(ctx, lsp.MethodDefinition, declared.Path, trait)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	symbols, _, err := s.DocumentSymbols(ctx, found[0].Path)
	var walk func([]lsp.Symbol)
	walk = func(symbols []lsp.Symbol) {
		for _, sym := range symbols {
			for _, m := range sym.Children {
				if sym.NameAt.Contains(found[0].Range.Start) && m.Name == text.Content()[from:to] {
					out = append(out, lsp.Place{Path: found[0].Path, Range: m.NameAt, Full: m.Range})
				}
			}
			walk(sym.Children)
		}
	}
	walk(symbols)
	return out, err
}

// beginsImpl matches the beginning of an implementation, and implFor the name of its trait behind the type parameters.
var (
	beginsImpl = source.LazyRegexp(`^\s*(?:unsafe\s+)?impl\b\s*`)
	implFor    = source.LazyRegexp(`^\s*(?:const\s+|!)?(?:\w+\s*::\s*|::\s*)*(\w+)\s*(?:<[^{;]*>)?\s+for\s+[^<\s]`)
)

// traitAt returns the offset of the name of the trait that the implementation at the beginning of a text implements; -1
// where it implements none.
func traitAt(head string) int {
	m := beginsImpl.FindStringIndex(head)
	if m == nil {
		return -1
	}
	at := m[1] + parametersEnd(head[m[1]:])
	if m := implFor.FindStringSubmatchIndex(head[at:]); m != nil {
		return at + m[2]
	}
	return -1
}

// parametersEnd returns where the type parameters end with which a text begins; 0 where it begins with none.
func parametersEnd(text string) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		if text[i] == '<' {
			depth++
		} else if text[i] == '>' && text[i-1] != '-' {
			depth--
		}
		if depth == 0 {
			return min(i+1, len(text)) * min(i, 1)
		}
	}
	return len(text)
}

// traitOf returns the offset of the name of the trait in whose implementation the item stands that a line declares,
// going by the indentation of the lines; -1 where it stands in none.
func traitOf(text *source.Text, line int) int {
	own := indentOf(text.Line(line))
	for n := line; n > 0; n-- {
		above := text.Line(n)
		trimmed := strings.TrimSpace(above)
		if n < line && (trimmed == "" || indentOf(above) >= own) {
			continue
		}
		if strings.HasPrefix(trimmed, "impl") || strings.HasPrefix(trimmed, "unsafe impl") {
			from := text.LineStart(n)
			if at := traitAt(text.Content()[from : text.LineStart(line)+len(text.Line(line))]); at >= 0 {
				return from + at
			}
			return -1
		}
		// The head may go on in further lines, up to one that is its brace alone.
		if n < line && strings.HasSuffix(trimmed, "{") && trimmed != "{" && !strings.Contains(trimmed, "for ") ||
			n < line && strings.HasPrefix(trimmed, "}") {
			return -1
		}
	}
	return -1
}

// indentOf is how many blanks a line begins with.
func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }
