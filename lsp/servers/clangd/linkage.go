package clangd

import (
	"context"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp"
)

// maxLinked bounds the symbols of the edited files that are asked for. clangd takes half a millisecond for one.
// With more the comparison is unknown instead of partial.
const maxLinked = 3000

// linkage is a function or a variable that a file declares or defines.
type linkage struct {
	lsp.Linkage
	external bool // other files can use it
	defines  bool
	member   bool   // it stands in a type
	head     string // the text of the declaration before the name
}

// linkTable is what files declare.
// clangd reports errors of one translation unit at a time. What several units make together (a definition that is
// gone or there twice) only the linker finds, so that it is compared here: what the files declared before the edit,
// and what after.
type linkTable struct {
	a *Process

	linked   []linkage
	declared map[string]lsp.Linkage // every declaration with its type, by file and scope; the last word of its name
	own      map[string]bool        // of these, what other files cannot use
	ok       bool
	classes  bool // there may be code of C++
}

// declaredLinks is [lsp.LinkerHooks].DeclaredLinks.
func (a *Process) declaredLinks(ctx context.Context, s *lsp.Snapshot, paths []string) lsp.LinkTable {
	return a.linksIn(ctx, s, paths)
}

// linksIn asks for what files declare, as the server has them now.
func (a *Process) linksIn(ctx context.Context, s *lsp.Snapshot, paths []string) *linkTable {
	t := &linkTable{a: a, declared: map[string]lsp.Linkage{}, own: map[string]bool{}, ok: true,
		classes: a.hasClasses()}
	for _, path := range paths {
		symbols, text, err := s.DocumentSymbols(ctx, path)
		// The rest is still read, but the table as a whole is not used: a half of it would show everything else as
		// gone.
		if err != nil || !t.add(ctx, s, text, symbols, path, false) {
			t.ok = false
		}
	}
	return t
}

// linkedKinds are the kinds of symbols for which there is code or memory.
var linkedKinds = []lsp.SymbolKind{"function", "method", "constructor", "operator", "variable", "constant", "property"}

// add enters symbols and what is in them. false means that the server did not tell all: the table is then of no use.
func (t *linkTable) add(ctx context.Context, s *lsp.Snapshot, text *source.Text, symbols []lsp.Symbol, scope string,
	member bool) bool {
	for _, sym := range symbols {
		if sym.Kind == "string" { // made by a macro
			continue
		}
		// With the type (Detail): another type of the same name is another declaration to whoever uses it.
		key := strings.Join([]string{scope, string(sym.Kind), sym.Name, sym.Detail}, "\x00")
		// A namespace that is opened somewhere else is no change for its users.
		if !sym.Kind.IsScope() {
			t.declared[key] = lsp.Linkage{Name: lsp.LastWord(sym.Name), Path: text.Path, At: sym.NameAt.Start}
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
			// In a header even what is static is used by the files that include it.
			if !l.external && isSource(text.Path) {
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
func linkedAt(ctx context.Context, s *lsp.Snapshot, text *source.Text, sym lsp.Symbol) (out linkage, ok bool) {
	known, err := lsp.LinkerSymbolAt(ctx, s, text, sym.NameAt.Start)
	if err != nil {
		return out, false
	}
	out.Linkage = lsp.Linkage{Name: sym.Name, Path: text.Path, At: sym.NameAt.Start}
	// A macro may have made it; nothing of it is compared, which is no failure.
	if known == nil {
		return out, true
	}
	out.Name, out.USR, out.external, out.defines = known.Name, known.USR, strings.HasPrefix(known.USR, externalUSR),
		known.Defines
	// The text before the name has inline, static and the macros that stand for them, which the server's symbol
	// does not tell.
	if from, err := text.Offset(sym.Range.Start); err == nil {
		if to, err := text.Offset(sym.NameAt.Start); err == nil && from <= to {
			out.head = text.Content()[from:to]
		}
	}
	return out, true
}

// Compared is of [lsp.LinkTable]. What the server says of a line with an error is no definition.
func (t *linkTable) Compared(ctx context.Context, s *lsp.Snapshot, paths []string, now *lsp.Diagnosis) *lsp.Links {
	broken := func(l linkage) bool { return hasError(now, l.Path, l.At.Line) }
	return t.differences(t.a.linksIn(ctx, s, paths), broken, func(l linkage) bool { return onceForAll(ctx, s, l) })
}

// differences are what changes from one table to another one. What stands on a broken line is no definition; of
// what is once for all the linker takes several definitions as one.
func (t *linkTable) differences(after *linkTable, broken, onceForAll func(linkage) bool) *lsp.Links {
	out := &lsp.Links{Unknown: !t.ok || !after.ok}
	if out.Unknown {
		return out
	}
	for key, was := range t.declared {
		if _, there := after.declared[key]; !there && was.Name != "" {
			into := &out.Changed
			if t.own[key] {
				into = &out.Own
			}
			*into = append(*into, was.Name)
			if t.classes {
				out.Left = append(out.Left, was)
			}
		}
	}
	slices.Sort(out.Changed)
	was, is := byUSR(t.linked), byUSR(after.linked)
	for _, l := range t.linked {
		switch {
		case !l.external:
		// The definition went; it may still be declared, and others then fail to link.
		case l.defines && !slices.ContainsFunc(is[l.USR], func(o linkage) bool { return o.defines }):
			if !isSource(l.Path) && after.has(func(o linkage) bool {
				return o.Path == l.Path && o.Name == l.Name && o.defines && !o.external
			}) {
				continue // each file that includes it has one of its own now
			}
			out.Gone = append(out.Gone, l.Linkage)
			out.Declared = append(out.Declared, append(slices.Clone(is[l.USR]), linkage{})[0].Linkage)
		// A declaration that is gone while another of its name is new: its parameters changed, and the definition
		// elsewhere did not.
		case !l.defines && !l.member && len(is[l.USR]) == 0:
			if after.has(func(o linkage) bool { return o.Name == l.Name && !o.defines && len(was[o.USR]) == 0 }) {
				out.Replaced = append(out.Replaced, l.Linkage)
			}
		}
	}
	for _, l := range after.linked {
		// Members that are defined in their type are inline (C++, class.mfct), and may be there many times.
		if !l.external || !l.defines || l.member || broken(l) {
			continue
		}
		came := !slices.ContainsFunc(was[l.USR], func(o linkage) bool { return o.defines })
		switch {
		// In a source one definition is one for the program, unless another file has it, too.
		case isSource(l.Path):
			if came && l.Name != "main" { // which every program has
				out.Came = append(out.Came, l.Linkage)
			}
		// In a header each file that includes it gets one of its own, and the linker refuses that unless they are
		// inline or templates.
		case (came || lostWord(was[l.USR], l.head)) && !onceForAll(l):
			out.Shared = append(out.Shared, l.Linkage)
		}
	}
	return out
}

// hasError reports whether a server found an error that begins on a line.
func hasError(d *lsp.Diagnosis, path string, line int) bool {
	return slices.ContainsFunc(d.Reports, func(r lsp.Report) bool {
		return r.Path == path && slices.ContainsFunc(r.Findings, func(f lsp.Finding) bool {
			return f.Severity == "error" && f.Range.Start.Line == line
		})
	})
}

// byUSR finds declarations of one symbol wherever they stand; the USR is the same for all of them.
func byUSR(all []linkage) map[string][]linkage {
	out := map[string][]linkage{}
	for _, l := range all {
		out[l.USR] = append(out[l.USR], l)
	}
	return out
}

func (t *linkTable) has(is func(linkage) bool) bool { return slices.ContainsFunc(t.linked, is) }

// lostWord reports whether the text before the name of a definition lacks a word that it had, such as inline or a
// macro for it.
func lostWord(was []linkage, head string) bool {
	return slices.ContainsFunc(was, func(l linkage) bool {
		return l.defines && slices.ContainsFunc(strings.Fields(l.head), func(word string) bool {
			return !source.HasWord(head, word)
		})
	})
}

// onceForAll reports whether the linker takes several definitions in several files as one: those of templates, and
// what is inline (C++, basic.def.odr). The hover has that from macros, too; of a variable it does not tell.
func onceForAll(ctx context.Context, s *lsp.Snapshot, l linkage) bool {
	said, _ := lsp.TypeAt(ctx, s, l.Path, l.At)
	for _, text := range []string{l.head, said} {
		if slices.ContainsFunc([]string{"inline", "constexpr", "consteval"}, func(word string) bool {
			return source.HasWord(text, word)
		}) {
			return true
		}
		if _, after, ok := strings.Cut(text, "template"); ok && !strings.HasPrefix(strings.TrimSpace(after), "<>") {
			return true
		}
	}
	return false
}

// declarations is [lsp.LinkerHooks].Declarations.
func declarations(ctx context.Context, s *lsp.Snapshot, l lsp.Linkage,
	outside func(path string) bool) (declared []lsp.Place, uses int, err error) {
	// Asked twice, with and without declarations: the difference tells them from uses, which the places themselves
	// do not.
	all, err := s.References(ctx, l.Path, nameOf(l), true)
	if err != nil {
		return nil, 0, err
	}
	used, err := s.References(ctx, l.Path, nameOf(l), false)
	if err != nil {
		return nil, 0, err
	}
	for _, p := range all {
		switch {
		case p.Err != nil || !outside(p.Path):
		case slices.ContainsFunc(used, func(u lsp.Place) bool { return u.Path == p.Path && u.Range == p.Range }):
			uses++
		// It may be what overrides the name, or a place of a text that the index has anew by the second question.
		case usrAt(ctx, s, p.Path, p.Range.Start).USR == l.USR:
			declared = append(declared, p)
		}
	}
	return declared, uses, nil
}

// nameOf is a place in its name that the server takes for the name: behind the sign of a destructor.
func nameOf(l lsp.Linkage) contract.Position {
	at := l.At
	if _, name, ok := strings.Cut(l.Name, "~"); ok && name != "" {
		at.Character++
	}
	return at
}

// definition is [lsp.LinkerHooks].Definition.
func definition(ctx context.Context, s *lsp.Snapshot, l lsp.Linkage,
	outside func(path string) bool) (*lsp.Place, error) {
	places, err := s.Locate(ctx, lsp.MethodDefinition, l.Path, nameOf(l))
	for _, p := range places {
		// The place that clangd leads to may be a declaration or another overload; only its USR and that it defines
		// prove it.
		if p.Err == nil && outside(p.Path) && definesAt(ctx, s, p.Path, p.Range.Start, l.USR) {
			return &p, nil
		}
	}
	return nil, err
}

// elsewhere is [lsp.LinkerHooks].Elsewhere.
func elsewhere(ctx context.Context, s *lsp.Snapshot, l lsp.Linkage,
	outside func(path string) bool) (*lsp.Place, error) {
	found, _, err := s.WorkspaceSymbols(ctx, l.Name)
	word := lsp.LastWord(l.Name)
	for _, sym := range found {
		if p := sym.Place; p.Err == nil && lsp.LastWord(sym.Name) == word && outside(p.Path) &&
			definesAt(ctx, s, p.Path, p.Range.Start, l.USR) {
			return &p, nil
		}
	}
	return nil, err
}

// definesAt reports whether a name of the linker is defined at a place.
func definesAt(ctx context.Context, s *lsp.Snapshot, path string, at contract.Position, usr string) bool {
	l := usrAt(ctx, s, path, at)
	return l.defines && l.USR == usr
}

// usrAt is what a place is to the linker; without a USR where the server does not tell.
func usrAt(ctx context.Context, s *lsp.Snapshot, path string, at contract.Position) linkage {
	// symbolInfo answers about open documents only.
	text, err := s.Documents().Open(ctx, path)
	if err != nil {
		return linkage{}
	}
	l, ok := linkedAt(ctx, s, text, lsp.Symbol{NameAt: contract.Range{Start: at, End: at},
		Range: contract.Range{Start: at, End: at}})
	if !ok {
		return linkage{}
	}
	return l
}
