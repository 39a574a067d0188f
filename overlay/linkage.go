package overlay

import (
	"context"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/lsp"
	"lspi/source"
)

// A server of a language whose files are compiled one by one sees no error of the linker: a definition that is gone, one that is there
// twice. What files define and declare for others is compared before and with the edit, by the names of the linker that the server
// tells ([SymbolInfo].External); who else declares or defines it, only a process with an index knows.

// maxLinked bounds the symbols of the edited files that are asked for. clangd takes half a millisecond for one.
const maxLinked = 3000

// Linkage is a function or a variable that a file declares or defines.
type Linkage struct {
	Name string // qualified
	Path string
	At   contract.Position // of its name

	usr      string
	external bool // other files can use it
	defines  bool
	member   bool   // it stands in a type
	head     string // the text of the declaration before the name
}

// Links are what an edit changes of what its files declare and define.
type Links struct {
	Gone     []Linkage // definitions that it takes away; places are those on disk
	Declared []Linkage // of those, where the new texts still declare it; the zero value where they do not
	Replaced []Linkage // declarations in place of which another of the same name is declared; places are those on disk
	Came     []Linkage // definitions that it adds to sources
	Shared   []Linkage // definitions in a header that each file which includes it now defines
	Unknown  bool      // not everything could be compared

	// Changed are the last words of declarations that the edit takes away or gives another type; Own of those that only
	// their own file can use.
	Changed, Own []string
}

// Any reports whether a process with an index has to be asked.
func (l *Links) Any() bool {
	return l != nil && (l.Unknown || len(l.Gone)+len(l.Replaced)+len(l.Came)+len(l.Shared)+len(l.Changed)+len(l.Own) > 0)
}

// linkTable is what files declare.
type linkTable struct {
	linked   []Linkage
	declared map[string]string // every declaration with its type, by file and scope → the last word of its name
	own      map[string]bool   // of these, what other files cannot use
	ok       bool
}

// linkTableOf asks for what files declare, as the server has them now; nil where its row knows no names of the linker.
func linkTableOf(ctx context.Context, s *lsp.Snapshot, paths []string) *linkTable {
	if s.Spec().SymbolInfo.External == "" || !keepsSources(s.Spec()) {
		return nil
	}
	t := &linkTable{declared: map[string]string{}, own: map[string]bool{}, ok: true}
	for _, path := range paths {
		symbols, text, err := s.DocumentSymbols(ctx, path)
		if err != nil || !t.add(ctx, s, text, symbols, path, false) {
			t.ok = false
		}
	}
	return t
}

// linkedKinds are the kinds of symbols for which there is code or memory.
var linkedKinds = []lsp.SymbolKind{"function", "method", "constructor", "operator", "variable", "constant", "property"}

func (t *linkTable) add(ctx context.Context, s *lsp.Snapshot, text *source.Text, symbols []lsp.Symbol, scope string, member bool) bool {
	for _, sym := range symbols {
		if sym.Kind == "string" { // made by a macro
			continue
		}
		key := strings.Join([]string{scope, string(sym.Kind), sym.Name, sym.Detail}, "\x00")
		if !sym.Kind.IsScope() {
			t.declared[key] = lsp.LastWord(sym.Name)
		}
		if slices.Contains(linkedKinds, sym.Kind) {
			if len(t.linked) == maxLinked {
				return false
			}
			l, ok := linkedAt(ctx, s, text, sym)
			if !ok {
				return false
			}
			l.member = member
			t.linked = append(t.linked, l)
			if !l.external && neverIncluded(s.Spec(), text.Path) {
				t.own[key] = true
			}
		}
		if !t.add(ctx, s, text, sym.Children, key, sym.Kind.IsContainer()) {
			return false
		}
	}
	return true
}

// linkedAt asks what a symbol is to the linker. What the server does not know by a name is none.
func linkedAt(ctx context.Context, s *lsp.Snapshot, text *source.Text, sym lsp.Symbol) (out Linkage, ok bool) {
	known, err := lsp.LinkerSymbolAt(ctx, s.Server, text, sym.NameAt.Start)
	if err != nil {
		return out, false
	}
	out = Linkage{Name: sym.Name, Path: text.Path, At: sym.NameAt.Start}
	if known == nil {
		return out, true
	}
	out.Name, out.usr, out.external, out.defines = known.Name, known.USR, known.External, known.Defines
	if from, err := text.Offset(sym.Range.Start); err == nil {
		if to, err := text.Offset(sym.NameAt.Start); err == nil && from <= to {
			out.head = text.Content()[from:to]
		}
	}
	return out, true
}

// compared is what changes from one table to the one that the server has now. What it says of a line with an error is no definition.
func (t *linkTable) compared(ctx context.Context, s *lsp.Snapshot, paths []string, now *lsp.Diagnosis) *Links {
	if t == nil {
		return nil
	}
	after := linkTableOf(ctx, s, paths)
	out := &Links{Unknown: !t.ok || !after.ok}
	if out.Unknown {
		return out
	}
	for key, name := range t.declared {
		if _, there := after.declared[key]; !there && name != "" {
			into := &out.Changed
			if t.own[key] {
				into = &out.Own
			}
			*into = append(*into, name)
		}
	}
	slices.Sort(out.Changed)
	was, is := byUSR(t.linked), byUSR(after.linked)
	for _, l := range t.linked {
		switch {
		case !l.external:
		case l.defines && !slices.ContainsFunc(is[l.usr], func(o Linkage) bool { return o.defines }):
			if bodiesShow(s.Spec(), l.Path) && after.has(func(o Linkage) bool { return o.Path == l.Path && o.Name == l.Name && o.defines && !o.external }) {
				continue // each file that includes it has one of its own now
			}
			out.Gone = append(out.Gone, l)
			out.Declared = append(out.Declared, append(slices.Clone(is[l.usr]), Linkage{})[0])
		case !l.defines && !l.member && len(is[l.usr]) == 0:
			if after.has(func(o Linkage) bool { return o.Name == l.Name && !o.defines && len(was[o.usr]) == 0 }) {
				out.Replaced = append(out.Replaced, l)
			}
		}
	}
	for _, l := range after.linked {
		if !l.external || !l.defines || l.member || hasError(now, l.Path, l.At.Line) {
			continue
		}
		came := !slices.ContainsFunc(was[l.usr], func(o Linkage) bool { return o.defines })
		switch {
		case !bodiesShow(s.Spec(), l.Path):
			if came && l.Name != "main" { // which every program has
				out.Came = append(out.Came, l)
			}
		case (came || lostWord(was[l.usr], l.head)) && !onceForAll(ctx, s, l):
			out.Shared = append(out.Shared, l)
		}
	}
	return out
}

// hasError reports whether a server found an error that begins on a line.
func hasError(d *lsp.Diagnosis, path string, line int) bool {
	return slices.ContainsFunc(d.Reports, func(r lsp.Report) bool {
		return r.Path == path && slices.ContainsFunc(r.Findings, func(f lsp.Finding) bool { return f.Severity == "error" && f.Range.Start.Line == line })
	})
}

func byUSR(all []Linkage) map[string][]Linkage {
	out := map[string][]Linkage{}
	for _, l := range all {
		out[l.usr] = append(out[l.usr], l)
	}
	return out
}

func (t *linkTable) has(is func(Linkage) bool) bool { return slices.ContainsFunc(t.linked, is) }

// lostWord reports whether the text before the name of a definition lacks a word that it had, such as inline or a macro for it.
func lostWord(was []Linkage, head string) bool {
	return slices.ContainsFunc(was, func(l Linkage) bool {
		return l.defines && slices.ContainsFunc(strings.Fields(l.head), func(word string) bool { return !source.HasWord(head, word) })
	})
}

// onceForAll reports whether the linker takes several definitions in several files as one: those of templates, and what is inline (C++,
// basic.def.odr). The hover has that from macros, too; of a variable it does not tell.
func onceForAll(ctx context.Context, s *lsp.Snapshot, l Linkage) bool {
	said, _ := typeAt(ctx, s, l.Path, l.At)
	for _, text := range []string{l.head, said} {
		if slices.ContainsFunc([]string{"inline", "constexpr", "consteval"}, func(word string) bool { return source.HasWord(text, word) }) {
			return true
		}
		if _, after, ok := strings.Cut(text, "template"); ok && !strings.HasPrefix(strings.TrimSpace(after), "<>") {
			return true
		}
	}
	return false
}

// Declarations are the places outside of the edited files that declare what it no longer defines, and how many others use it, by the server's
// index.
func (l Linkage) Declarations(ctx context.Context, s *lsp.Snapshot, outside func(path string) bool) (declared []lsp.Place, uses int, err error) {
	all, err := s.References(ctx, l.Path, l.at(), true)
	if err != nil {
		return nil, 0, err
	}
	used, err := s.References(ctx, l.Path, l.at(), false)
	if err != nil {
		return nil, 0, err
	}
	for _, p := range all {
		switch {
		case p.Err != nil || !outside(p.Path):
		case slices.ContainsFunc(used, func(u lsp.Place) bool { return u.Path == p.Path && u.Range == p.Range }):
			uses++
		default:
			declared = append(declared, p)
		}
	}
	return declared, uses, nil
}

// at is a place in its name that the server takes for the name: behind the sign of a destructor.
func (l Linkage) at() contract.Position {
	at := l.At
	if _, name, ok := strings.Cut(l.Name, "~"); ok && name != "" {
		at.Character++
	}
	return at
}

// Definition is where the server's index has the definition of what is declared, outside of the edited files.
func (l Linkage) Definition(ctx context.Context, s *lsp.Snapshot, outside func(path string) bool) (*lsp.Place, error) {
	places, err := s.Locate(ctx, lsp.MethodDefinition, l.Path, l.at())
	for _, p := range places {
		if p.Err == nil && outside(p.Path) && definesAt(ctx, s, p.Path, p.Range.Start, l.usr) {
			return &p, nil
		}
	}
	return nil, err
}

// Elsewhere is where the server's index has a definition of the same name for the linker, outside of the edited files.
func (l Linkage) Elsewhere(ctx context.Context, s *lsp.Snapshot, outside func(path string) bool) (*lsp.Place, error) {
	found, _, err := s.WorkspaceSymbols(ctx, l.Name)
	word := lsp.LastWord(l.Name)
	for _, sym := range found {
		if p := sym.Place; p.Err == nil && lsp.LastWord(sym.Name) == word && outside(p.Path) && definesAt(ctx, s, p.Path, p.Range.Start, l.usr) {
			return &p, nil
		}
	}
	return nil, err
}

// definesAt reports whether a name of the linker is defined at a place.
func definesAt(ctx context.Context, s *lsp.Snapshot, path string, at contract.Position, usr string) bool {
	text, err := s.Open(ctx, path)
	if err != nil {
		return false
	}
	l, ok := linkedAt(ctx, s, text, lsp.Symbol{NameAt: contract.Range{Start: at, End: at}, Range: contract.Range{Start: at, End: at}})
	return ok && l.defines && l.usr == usr
}
