package resolve

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/router"
	"lspi/tools/answer"
	"lspi/tools/ask"
	"lspi/tools/symbol"
)

// A qualified name may name a member by a type that only inherits it: Command.make_context where a base class of
// Command declares it, T.Lock where T embeds a mutex. No server's search finds a member by such a name. The base types
// are found by the definitions of the words behind the type's name, which works at every server; a type hierarchy is
// offered by few, and that of gopls does not know embedding.

// The bounds of the way up.
const (
	maxAbove      = 60 // types that are looked at on the way up
	maxHeadLines  = 30 // lines that name the bases of a type
	maxInheritors = 3  // types of the asked name that are looked at
	maxBeside     = 60 // files of a Go package that are looked at for the methods of a type
)

// Member is a member that was found by the name of a type that inherits it. Shown is how errors name
// it.
type Member struct {
	symbol.Located
	Shown answer.Candidate
}

// ancestorSearch looks for one member in the types that a type extends.
type ancestorSearch struct {
	ctx    context.Context
	c      *answer.Call
	s      *lsp.Snapshot
	member string
	seen   map[string]bool // the types that were looked at, by file and position
	found  []Member
}

// inheritedBy returns the declarations of a member that the type whose name stands at a place inherits:
// mostly one; several where more than one branch of its ancestors declares such a member. A declaration
// hides those above it.
func inheritedBy(ctx context.Context, c *answer.Call, s *lsp.Snapshot, path string, at contract.Position,
	member string) ([]Member, error) {
	if !s.Offers(lsp.MethodDefinition) || !s.Offers(lsp.MethodDocumentSymbol) {
		return nil, nil
	}
	w := &ancestorSearch{ctx: ctx, c: c, s: s, member: member, seen: map[string]bool{}}
	w.visit(path, at, true)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return w.found, nil
}

// visit looks at one type, and at those above it unless it declares the member itself. The asked type
// is known not to.
func (w *ancestorSearch) visit(path string, at contract.Position, asked bool) {
	key := fmt.Sprint(path, at)
	// Types may extend each other in a circle in broken code.
	if w.seen[key] || len(w.seen) > maxAbove || w.ctx.Err() != nil {
		return
	}
	w.seen[key] = true
	symbols, text, err := w.s.DocumentSymbols(w.ctx, path)
	if err != nil {
		return
	}
	way := symbol.NameAt(symbols, at)
	if way == nil || !isType(way[len(way)-1].Kind) {
		return
	}
	named := flattenPath(way)
	of := named[len(named)-1]
	if !asked && w.declares(path, text, symbols, of) {
		return
	}
	language := w.s.Spec().LanguageID(symbol.Base(path))
	for _, base := range baseNames(language, path, text, of.Sym) {
		places, err := w.s.Locate(w.ctx, lsp.MethodDefinition, path, base)
		if err != nil {
			continue
		}
		for _, p := range places {
			if p.Err == nil && w.s.Spec().Serves(symbol.Base(p.Path)) {
				w.c.RememberAllNamedBy(w.s, []lsp.Place{p}) // it may be of a dependency, about which the call will ask
				w.visit(p.Path, p.Range.Start, false)
			}
		}
	}
}

// declares keeps the member that a type declares in its file or, in Go, in another file of its package:
// methods may stand there.
func (w *ancestorSearch) declares(path string, text *source.Text, symbols []lsp.Symbol, of symbol.Named) bool {
	if w.keepMember(path, text, symbols, of) {
		return true
	}
	if w.s.Spec().LanguageID(symbol.Base(path)) != "go" {
		return false
	}
	beside, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*.go"))
	for _, file := range beside[:min(len(beside), maxBeside)] {
		if holds, _ := source.FileHolds(file, []byte(w.member), nil); file == path || !holds {
			continue
		}
		if symbols, text, err := w.s.DocumentSymbols(w.ctx, file); err == nil && w.keepMember(file, text, symbols, of) {
			return true
		}
	}
	return false
}

// keepMember adds the member of a type that is among the symbols of a file, and reports whether there
// is one. Of overloads the first is enough: to the server they are one symbol.
func (w *ancestorSearch) keepMember(path string, text *source.Text, symbols []lsp.Symbol, of symbol.Named) bool {
	want := append(slices.Clone(of.Parts), w.member)
	for _, n := range symbol.Flatten(symbols, nil, nil) {
		if !slices.Equal(n.Parts, want) {
			continue
		}
		at := NameIn(text, n.Sym, want)
		name := symbol.JoinParts(w.s.Spec().LanguageID(symbol.Base(path)), n.Parts)
		w.found = append(w.found, Member{symbol.Located{Path: path, At: at, Name: w.member, Sym: &n},
			answer.Candidate{SymbolName: name, Kind: n.Sym.Kind, FilePath: w.c.Show(path), Line: at.Line,
				Character: at.Character}})
		return true
	}
	return false
}

// isType reports whether symbols of a kind have members that other types inherit.
func isType(kind lsp.SymbolKind) bool {
	return slices.Contains([]lsp.SymbolKind{"class", "interface", "struct", "enum", "object", "type"}, kind)
}

// baseNames returns where the names of the types stand that a type extends: the embedded fields in Go;
// elsewhere the words between its name and its body that are no arguments of another word.
func baseNames(language, path string, text *source.Text, of lsp.Symbol) (out []contract.Position) {
	if language == "go" {
		for _, field := range of.Children {
			// gopls 0.23 gives an embedded type the name of the field that it is.
			if field.Kind == "field" && symbol.LastComponent(field.Detail) == field.Name {
				out = append(out, field.NameAt.Start)
			}
		}
		return out
	}
	h := head{language: language, path: path}
	for n := of.NameAt.Start.Line; n <= min(of.Range.End.Line, of.NameAt.Start.Line+maxHeadLines) && !h.over; n++ {
		from := 0
		if n == of.NameAt.Start.Line {
			from = symbol.ByteOffset(text.Line(n), of.NameAt.Start.Character) + len(symbol.LastComponent(of.Name))
		}
		for _, i := range h.words(text.Line(n), from) {
			out = append(out, text.PositionAt(text.LineStart(n)+i))
		}
	}
	return out
}

// head reads the lines between the name of a type and its body.
type head struct {
	language, path string
	round, angle   int  // open parentheses; open square and angle brackets
	keyword        bool // an argument by name, which is no base
	over           bool // the body begins
}

// clauses are words that stand before names of bases. They are looked at in every language, since the
// keywords of some are not known.
var clauses = []string{"extends", "implements", "with", "final", "public", "private", "protected", "virtual"}

// words returns the offsets of the names of bases in a line, from an offset on. Arguments of bases
// (generics, the arguments of a call) and qualifiers are none.
func (h *head) words(line string, from int) (out []int) {
	python := h.language == "python"
	for i := min(from, len(line)); i < len(line) && !h.over; i++ {
		if start, end, ok := source.WordAround(line, i); ok && start >= i {
			next := strings.TrimLeft(line[end:], " \t")
			switch {
			case line[start:end] == "where": // of constraints: Rust, C#, Kotlin
				h.over = !python
			case h.angle > 0 || python && h.round != 1 || !python && h.round > 0: // an argument of a base
			case strings.HasPrefix(next, ".") || strings.HasPrefix(next, "::"): // a qualifier
			case slices.Contains(clauses, line[start:end]):
			case python && strings.HasPrefix(next, "="):
				h.keyword = true
			case h.keyword || lang.Reserved(h.language, line[start:end]) || source.IsNumber(line[start:end]):
			default:
				out = append(out, start)
			}
			i = end - 1
			continue
		}
		switch line[i] {
		case ',':
			h.keyword = h.keyword && h.round > 1
		case '(':
			h.round++
		case ')':
			h.round--
			h.over = python && h.round == 0
		case '[', '<':
			h.angle++
		case ']':
			h.angle--
		case '>':
			h.angle = max(0, h.angle-1)
		case '{', ';':
			h.over = h.round == 0
		case ':':
			h.over = python && h.round == 0
		}
	}
	return lang.InCode(h.path, line, out)
}

// theMember returns the one declaration that a name means among those that a type inherits, with the
// warning that says so. ok is false where there is none; several are ambiguous.
func theMember(t Target, all []Member) (found symbol.Located, ok bool, err error) {
	all = slices.DeleteFunc(all, func(m Member) bool {
		return t.SymbolKind != "" && string(m.Shown.Kind) != t.SymbolKind
	})
	// Two ways up may lead to one declaration.
	slices.SortStableFunc(all, func(a, b Member) int { return strings.Compare(a.Path, b.Path) })
	all = slices.CompactFunc(all, func(a, b Member) bool { return a.Path == b.Path && a.At == b.At })
	switch len(all) {
	case 0:
		return found, false, nil
	case 1:
		found = all[0].Located
		found.Adjusted = InheritedWarning(t.SymbolName, all[0].Shown)
		return found, true, nil
	}
	var candidates []answer.Candidate
	for _, m := range all {
		candidates = append(candidates, m.Shown)
	}
	return found, false, AmbiguousAmong(t.SymbolName, candidates)
}

// InheritedWarning says that a name was taken for what its type inherits.
func InheritedWarning(name string, m answer.Candidate) *contract.Warning {
	return &contract.Warning{Kind: contract.WarnInherited, Facts: contract.Facts{"symbol_name": m.SymbolName,
		"file_path": m.FilePath, "line": m.Line},
		Message: fmt.Sprintf("%s is inherited: this is %s at %s:%d", name, m.SymbolName, m.FilePath, m.Line)}
}

// Inherited returns the declarations of a qualified name whose type does not declare the member itself.
// The types are searched in the whole workspace.
func Inherited(ctx context.Context, c *answer.Call, w *ask.WorkspaceWalk, want []string) (out []Member, err error) {
	if len(want) < 2 {
		return nil, nil
	}
	owner, member := want[:len(want)-1], want[len(want)-1]
	// What the search for the type cannot tell is not about the member.
	before := c.Checkpoint()
	types, err := namedTypes(ctx, c, w, owner)
	c.Restore(before)
	if err != nil {
		return nil, err
	}
	for _, h := range types[:min(len(types), maxInheritors)] {
		at := ask.NameAt(c, h)
		var found []Member
		err := ask.File(ctx, c, h.Sym.Place.Path, lsp.MethodDefinition,
			func(ctx context.Context, s *lsp.Snapshot) (err error) {
				found, err = inheritedBy(ctx, c, s, h.Sym.Place.Path, at, member)
				return err
			})
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	return out, nil
}

// namedTypes returns the types of a name; those of dependencies only where the workspace has none.
func namedTypes(ctx context.Context, c *answer.Call, w *ask.WorkspaceWalk, name []string) ([]symbol.SymbolHit, error) {
	types := func(hits []symbol.SymbolHit) []symbol.SymbolHit {
		return slices.DeleteFunc(ExactHits(ctx, c, hits, name), func(h symbol.SymbolHit) bool {
			return !isType(h.Sym.Kind) || h.Sym.Place.Outside()
		})
	}
	query := exactQuery(name)
	hits, err := SearchNamed(ctx, c, w, name, func(ctx context.Context, s *lsp.Snapshot,
		r router.Route) ([]symbol.SymbolHit, error) {
		return ask.SearchOne(ctx, c, s, r, query(r.Spec))
	}, func(hits []symbol.SymbolHit) bool { return len(types(hits)) > 0 })
	if err != nil {
		return nil, err
	}
	found := withoutAliases(types(hits))
	if inside := slices.DeleteFunc(slices.Clone(found), func(h symbol.SymbolHit) bool {
		return !Inside(c, h)
	}); len(inside) > 0 {
		found = inside
	}
	return found, nil
}

// inheritedIn finds the declaration of a qualified name whose type the file declares, but not the
// member.
func inheritedIn(ctx context.Context, c *answer.Call, s *lsp.Snapshot, text *source.Text, path string, t Target,
	all []symbol.Named) (found symbol.Located, ok bool, err error) {
	want := symbol.Components(t.SymbolName)
	if len(want) < 2 {
		return found, false, nil
	}
	owner := want[:len(want)-1]
	var members []Member
	for _, n := range all {
		if !isType(n.Sym.Kind) || !symbol.EndsWith(n.Parts, owner) {
			continue
		}
		more, err := inheritedBy(ctx, c, s, path, NameIn(text, n.Sym, owner), want[len(want)-1])
		if err != nil {
			return found, false, err
		}
		members = append(members, more...)
	}
	return theMember(t, members)
}
