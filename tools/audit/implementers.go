package audit

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/audit/words"
	"lspi/tools/symbol"
)

// What implements a type or extends it names it in the head of its declaration. So an answer about implementations is
// whole when each such occurrence of the type's name is explained, and of the names of the types in the answer, which
// others may extend in turn: by the answer, or by the server, asked at the place.
// An interface of Go is implemented without its name: the names of methods are looked for, in the projects that gopls
// does not relate. What it does not read is told by [loaded.UncoveredTypes].

// maxImplementers bounds the types whose names are looked for.
const maxImplementers = 100

// Implementers returns what implements or extends the type at a place, or the method at a place, beside places, which
// the server has listed; it warns of what may do so. places may be nil.
func Implementers(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located,
	places []lsp.Place) (more []lsp.Place) {
	return implementersOf(ctx, c, s, at, places, places, true)
}

// Subtypes warns of what extends the type at a place, or one of asked, and is not among known: the answer has the types
// right below these.
func Subtypes(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located, known, asked []lsp.Place) {
	tellUnlisted(c, s, at.Name, implementersOf(ctx, c, s, at, known, asked, false))
}

// implementersOf looks for what extends the type at a place, or one of asked; with all, or what extends it in turn.
func implementersOf(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located, known, asked []lsp.Place,
	all bool) (more []lsp.Place) {
	language := lang.Of(at.Path)
	if language.Optional || language.NoSymbols || !lang.IsWord(at.Name) {
		return nil
	}
	limited, cancel := withinUses(ctx)
	defer cancel()
	m := &implementerSearch{c: c, s: s, asked: s.Unverified(), language: language, places: known, all: all}
	if language.ID == "go" {
		m.inOtherProjects(limited, at)
		m.tell(at.Name)
		return m.more
	}
	if !m.begin(limited, at, asked) {
		return nil
	}
	for i := 0; i < min(len(m.types), maxImplementers); i++ {
		m.look(limited, m.types[i])
	}
	m.lookInOpenCode(limited, at.Path)
	m.satisfying(limited)
	m.tell(at.Name)
	return m.more
}

// implementerSearch is one search for what implements a type or a method.
type implementerSearch struct {
	c        *answer.Call
	s, asked *lsp.Snapshot
	language *lang.Language
	places   []lsp.Place      // in the answer
	all      bool             // what extends a type that is found is looked for in turn
	method   string           // the method whose implementations were asked for; "" for a type
	types    []symbol.Located // whose names are looked for: the type itself, and what implements it
	own      []declaredType   // the type itself
	late     bool

	more        []lsp.Place
	unexplained []occurrence
}

// begin finds the type, and those at other places; ok is false where the place is no member and no type.
func (m *implementerSearch) begin(ctx context.Context, at symbol.Located, others []lsp.Place) (ok bool) {
	declared := leads(ctx, m.asked, at.Path, at.At)
	if len(declared) == 0 {
		declared = []lsp.Place{{Path: at.Path, Range: contract.Range{Start: at.At, End: at.At}}}
	}
	for _, d := range declared {
		own, around := m.symbolsAt(ctx, d.Path, d.Range.Start)
		switch {
		case own == nil:
		case symbol.IsTypeKind(own.Kind):
			m.add(d.Path, own)
			m.own = append(m.own, declaredType{d.Path, own})
		case around != nil && symbol.IsTypeKind(around.Kind):
			m.method = at.Name
			m.add(d.Path, around)
			m.own = append(m.own, declaredType{d.Path, around})
		}
	}
	if len(m.types) == 0 {
		return false
	}
	if !m.inherits() {
		return true
	}
	for _, p := range others {
		if _, ours := source.RelativeTo(m.c.Workspace.Root, p.Path); !ours || len(m.types) > maxImplementers {
			continue
		}
		own, around := m.symbolsAt(ctx, p.Path, p.Range.Start)
		if m.method != "" {
			own = around
		}
		if own != nil && symbol.IsTypeKind(own.Kind) {
			m.add(p.Path, own)
		}
	}
	return true
}

// inherits reports whether what extends a type that implements does so, too. Types of Rust are not extended, and a
// trait passes on none of the implementations of those that it asks for.
func (m *implementerSearch) inherits() bool {
	return m.language.ID != "rust"
}

// add has the name of a type looked for.
func (m *implementerSearch) add(path string, sym *lsp.Symbol) {
	t := symbol.Located{Path: path, At: sym.NameAt.Start, Name: symbol.LastComponent(sym.Name)}
	if lang.IsWord(t.Name) && !slices.Contains(m.types, t) {
		m.types = append(m.types, t)
	}
}

// symbolsAt returns the innermost symbol at a place and the one around it; nil where there is none.
func (m *implementerSearch) symbolsAt(ctx context.Context, path string, at contract.Position) (own,
	around *lsp.Symbol) {
	symbols, _, err := m.asked.DocumentSymbols(ctx, path)
	all := symbol.Enclosing(symbols, at)
	if err != nil || len(all) == 0 {
		return nil, nil
	}
	if len(all) > 1 {
		around = &all[len(all)-2]
	}
	return &all[len(all)-1], around
}

// look has each head of a declaration that names a type explained.
func (m *implementerSearch) look(ctx context.Context, t symbol.Located) {
	limited, cancel := context.WithTimeout(ctx, indexLimit)
	defer cancel()
	held, all, err := m.c.Workspace.Words(t.Path).Holding(limited, t.Name)
	m.late = m.late || err != nil || !all
	v := newVerdict(m.c, m.s, t, whatCounts{})
	v.asked, v.language, v.covered = m.asked, m.language, symbol.CoveredBy(nil)
	v.declared = []lsp.Place{{Path: v.real(t.Path), Range: contract.Range{Start: t.At, End: t.At}}}
	v.declared[0].Range.End.Character += len([]rune(t.Name))
	held = slices.DeleteFunc(held, func(h words.Held) bool {
		return h.Use&(lang.CodeUse|lang.OpenUse) == 0 || !v.serves(h.Path)
	})
	output := v.output(ctx, held)
	// Nobody vouches for implementations: the index of clangd (22.1.8) loses what a type derives from that a header
	// declares and a source defines, and tsserver tells nothing of other projects.
	for _, h := range held {
		if output[h.Path] {
			continue
		}
		text, err := m.c.Workspace.Text(h.Path)
		if err != nil {
			continue // what cannot be read is told of the uses, not of every question
		}
		for _, o := range heads(text, t.Name) {
			m.explain(ctx, v, o)
		}
	}
}

// lookInOpenCode looks for members with the name of the method that the build leaves out of the body of a type: the
// head of that type says nothing of them, and no server knows them.
func (m *implementerSearch) lookInOpenCode(ctx context.Context, path string) {
	if m.method == "" {
		return
	}
	held, all, err := m.c.Workspace.Words(path).Holding(ctx, m.method)
	m.late = m.late || err != nil || !all
	for _, h := range held {
		if h.Use&lang.OpenUse == 0 || !m.s.Spec().Serves(symbol.Base(h.Path)) {
			continue
		}
		text, err := m.c.Workspace.Text(h.Path)
		if err != nil {
			continue
		}
		content := text.Content()
		why := openReasons(h.Path, content)
		lang.EachOf(h.Path, content, []string{m.method}, func(from, to int, use lang.Use) {
			at := text.PositionAt(from)
			if use != lang.OpenUse || lang.BehindDot(content[:from]) ||
				!strings.HasPrefix(strings.TrimLeft(content[to:], " \t"), "(") || symbol.CoveredBy(m.places)(h.Path, at) {
				return
			}
			if own, _ := m.symbolsAt(ctx, h.Path, at); own != nil && symbol.IsTypeKind(own.Kind) && why(from) == reasonNotBuilt {
				m.unexplained = append(m.unexplained, occurrence{path: h.Path, at: at, name: m.method,
					reason: reasonNotBuilt})
			}
		})
	}
}

// withoutComments has blanks for what is no code, so that the words of a comment ("a class of …") begin no declaration.
func withoutComments(path, content string) string {
	out := []byte(content)
	for i, code := range lang.Code(path, content) {
		if !code && out[i] != '\n' {
			out[i] = ' '
		}
	}
	return string(out)
}

// heads returns the occurrences of a name in the heads of declarations. The other names that imports of the file give
// to it count as the name.
func heads(text *source.Text, name string) (out []occurrence) {
	content, code := text.Content(), ""
	names := []string{name}
	imported := regexp.MustCompile(`(?:^|[^\w$])` + regexp.QuoteMeta(name) + `\s+as\s+([\pL_$][\pL\d_$]*)`)
	for _, other := range imported.FindAllStringSubmatch(content, -1) {
		names = append(names, other[1])
	}
	lang.EachOf(text.Path, content, names, func(from, to int, use lang.Use) {
		if use == lang.OpenUse || use == lang.CodeUse {
			if code == "" {
				code = withoutComments(text.Path, content)
			}
			if lang.InHead(lang.Of(text.Path).ID, code[:from]) {
				out = append(out, occurrence{path: text.Path, at: text.PositionAt(from), name: content[from:to], use: use})
			}
		}
	})
	return out
}

// explain asks the server what a head names, unless the answer has the type that it declares.
func (m *implementerSearch) explain(ctx context.Context, v *verdict, o occurrence) {
	symbols, _, err := m.asked.DocumentSymbols(ctx, o.path)
	around := symbol.Enclosing(symbols, o.at)
	i := slices.IndexFunc(around, func(sym lsp.Symbol) bool {
		return symbol.IsTypeKind(sym.Kind) && !sym.NameAt.Contains(o.at)
	})
	if i >= 0 {
		// The innermost type whose head it is.
		for i+1 < len(around) && symbol.IsTypeKind(around[i+1].Kind) && !around[i+1].NameAt.Contains(o.at) {
			i++
		}
		if m.lists(o.path, around[i].Range) {
			return
		}
	} else if err == nil && len(around) > 0 && around[len(around)-1].NameAt.Contains(o.at) {
		return // it declares a type of this name
	}
	switch judged := v.judge(ctx, &o); {
	case judged == elsewhere:
	case judged == aUse && i >= 0:
		m.found(ctx, o, &around[i])
	case judged == undecided:
		o.reason = reasonNotAsked
		m.unexplained = append(m.unexplained, o)
	default:
		if o.reason == "" {
			o.reason = reasonNotListed
		}
		m.unexplained = append(m.unexplained, o)
	}
}

// lists reports whether the answer has a place in a range of a file.
func (m *implementerSearch) lists(path string, r contract.Range) bool {
	return slices.ContainsFunc(slices.Concat(m.places, m.more), func(p lsp.Place) bool {
		return p.Path == path && r.Contains(p.Range.Start)
	})
}

// found adds a type that implements, or its method, where it has one of its own.
func (m *implementerSearch) found(ctx context.Context, o occurrence, sym *lsp.Symbol) {
	if m.all && m.inherits() {
		m.add(o.path, sym)
	}
	name := sym.NameAt
	if m.method != "" {
		i := slices.IndexFunc(sym.Children, func(child lsp.Symbol) bool {
			return symbol.LastComponent(child.Name) == m.method
		})
		if i < 0 {
			return // it inherits the method
		}
		name = sym.Children[i].NameAt
		// The answer may have it where it is defined outside of its type.
		listed := func(p lsp.Place) bool { return holdsPlace(m.places, p) }
		if slices.ContainsFunc(leads(ctx, m.asked, o.path, name.Start), listed) {
			return
		}
	}
	if text, err := m.c.Workspace.Text(o.path); err == nil {
		m.more = append(m.more, lsp.Place{Path: o.path, Range: name, Full: name, Line: text.Line(name.Start.Line)})
	}
}

// tell warns of what may implement.
func (m *implementerSearch) tell(name string) {
	v := &verdict{c: m.c, s: m.s, at: symbol.Located{Name: name}, late: m.late, unexplained: m.unexplained}
	v.tell()
}
