package clangd

import (
	"context"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
)

// How far a type is followed from one template of a library to the next that gets it: to one that uses a member of the
// type (std::back_inserter makes a std::back_insert_iterator), and to one that is specialized for the type
// (std::unordered_map has std::hash as a default).
const (
	stepsToMember         = 1
	stepsToSpecialization = 3
)

// handed is [lsp.ImplicitHooks].Handed.
func (a *Process) handed(ctx context.Context, s *lsp.Snapshot, name string, declared func() lsp.Place,
	holding func(words []string) []string) (doubtful []lsp.Place, whole bool) {
	l, whole := a.readLibrary(ctx)
	defer l.mu.Unlock()
	users := l.handing(slices.Concat(l.uses[name], l.calls[name]), stepsToMember)
	if len(users) == 0 && !l.names[name] {
		return nil, whole
	}
	d := declared()
	if _, ours := source.RelativeTo(s.Root(), d.Path); !ours {
		return nil, whole
	}
	q := handedOver{implicit: implicit{a: a, s: s, name: name, declared: d}, library: l, words: users}
	if !q.find(ctx) {
		return nil, whole
	}
	words := q.words
	if q.held {
		for _, of := range q.types {
			words = append(words, of.name)
		}
	}
	files := holding(words)
	for _, path := range files {
		text, err := s.Documents().Text(path)
		if ctx.Err() != nil {
			return q.places, false
		}
		if err == nil {
			q.look(ctx, text, words)
		}
	}
	return q.places, whole && ctx.Err() == nil
}

// handedOver is one search for places where code hands something to templates of a library.
type handedOver struct {
	implicit
	library *library
	words   []string    // names of templates that use the declaration
	types   []namedType // that have to be handed over
	held    bool        // any template of the library that gets one of the types may use it
	places  []lsp.Place
}

// namedType is a type of the workspace.
type namedType struct {
	name string
	at   lsp.Place
}

// find tells what has to be handed over for a library to use the declaration: its class, the classes of its parameters,
// or what a template of the library is specialized for. ok is false where no library uses it so.
func (q *handedOver) find(ctx context.Context) (ok bool) {
	symbols, text, err := q.s.DocumentSymbols(ctx, q.declared.Path)
	own := symbolAt(symbols, q.declared.Range.Start)
	if err != nil || own == nil || own.Kind.IsScope() || own.Kind == "constructor" {
		return false
	}
	q.around = symbolsAround(symbols, q.declared.Range.Start)
	operator := strings.HasPrefix(q.name, "operator")
	of := q.owner()
	if own.Kind.IsContainer() {
		of = own
	}
	switch {
	case of != nil && q.specializes(of):
		q.words = q.library.handing([]string{bareName(of.Name)}, stepsToSpecialization)
		q.types, q.held = q.typesIn(ctx, text, of.NameAt.Start, "<"), true
	case q.owner() != nil:
		of = q.owner()
		q.types = []namedType{{bareName(of.Name), lsp.Place{Path: text.Path, Range: of.NameAt}}}
	case own.Kind.IsContainer():
		return false
	default:
		q.types = q.typesIn(ctx, text, own.NameAt.End, "(")
	}
	q.held = q.held || operator
	return len(q.types) > 0
}

// bareName is the name of a type without its arguments.
func bareName(name string) string {
	name, _, _ = strings.Cut(name, "<")
	return lsp.LastWord(name)
}

// specializes reports whether a type is declared as the specialization of a template of the library.
func (q *handedOver) specializes(of *lsp.Symbol) bool {
	return strings.Contains(of.Name, "<") && q.library.names[bareName(of.Name)]
}

// typesIn are the types of the workspace that are named in the first brackets at or behind a place.
func (q *handedOver) typesIn(ctx context.Context, text *source.Text, at contract.Position, open string) (
	out []namedType) {
	from, err := text.Offset(at)
	if err != nil {
		return nil
	}
	content := text.Content()
	i := strings.Index(content[from:], open)
	if i < 0 {
		return nil
	}
	end := argumentsEnd(content, from+i)
	for _, word := range wordsIn(content, from+i, end) {
		types, _ := q.s.Locate(ctx, lsp.MethodTypeDefinition, text.Path, text.PositionAt(word[0]))
		for _, p := range types {
			if _, ours := source.RelativeTo(q.s.Root(), p.Path); ours {
				out = append(out, namedType{content[word[0]:word[1]], p})
			}
		}
	}
	return out
}

// wordsIn are the words between two offsets that may name a value or a type, but not what is in front of ::.
func wordsIn(content string, from, to int) (out [][2]int) {
	for i := from; i < to; i++ {
		start, end, ok := source.WordAround(content, i)
		if !ok || start < i || end <= i {
			continue
		}
		word := content[start:end]
		if !strings.HasPrefix(strings.TrimLeft(content[end:to], " "), "::") && !lang.Reserved("cpp", word) &&
			(word[0] < '0' || word[0] > '9') {
			out = append(out, [2]int{start, end})
		}
		i = end
	}
	return out
}

// argumentsEnd is what stands behind the bracket that closes the one at an offset.
func argumentsEnd(content string, at int) int {
	depth := 0
	for i := at; i < len(content) && i < at+lang.MaxScanned; i++ {
		switch c := content[i]; {
		case c == '(' || c == '[' || c == '{' || c == '<' && content[at] == '<':
			depth++
		case c == ')' || c == ']' || c == '}' || c == '>' && content[at] == '<':
			if depth--; depth == 0 {
				return i + 1
			}
		case c == ';' && content[at] == '<':
			return at
		}
	}
	return at
}

// look adds the places of a text.
func (q *handedOver) look(ctx context.Context, text *source.Text, words []string) {
	content := text.Content()
	lang.EachOf(text.Path, content, words, func(from, to int, use lang.Use) {
		if use&(lang.CodeUse|lang.OpenUse) == 0 || ctx.Err() != nil {
			return
		}
		may := slices.Contains(q.words, content[from:to]) && q.hands(ctx, text, from, to, use == lang.OpenUse) ||
			q.held && q.isType(content[from:to]) && q.library.names[templateBefore(content[:from])]
		if at := text.PositionAt(from); may && !slices.ContainsFunc(q.places, func(p lsp.Place) bool {
			return p.Path == text.Path && p.Range.Start.Line == at.Line
		}) {
			q.places = append(q.places, lsp.Place{Path: text.Path, Range: contract.Range{Start: at, End: at},
				Line: text.Line(at.Line)})
		}
	})
}

func (q *handedOver) isType(name string) bool {
	return slices.ContainsFunc(q.types, func(t namedType) bool { return t.name == name })
}

// hands reports whether the template whose name ends at an offset gets one of the types, or a value of one, there.
func (q *handedOver) hands(ctx context.Context, text *source.Text, from, to int, open bool) bool {
	content := text.Content()
	if content[from:to] == q.name && lang.BehindDot(content[:from]) {
		return false // a member of the name
	}
	blank := func(i int) int { return i + len(content[i:]) - len(strings.TrimLeft(content[i:], " \t\r\n")) }
	i := blank(to)
	if i < len(content) && content[i] == '<' {
		end := argumentsEnd(content, i)
		for _, word := range wordsIn(content, i, end) {
			if q.isHanded(ctx, text, word[0], open) {
				return true
			}
		}
		i = blank(end)
	}
	if start, end, ok := source.WordAround(content, i); ok && start == i && end > i { // what is declared with it
		i = blank(end)
	}
	if i >= len(content) || content[i] != '(' && content[i] != '{' {
		return false
	}
	end := argumentsEnd(content, i)
	for _, argument := range argumentsIn(content, i, end) {
		at := typedAt(content, argument[0], argument[1])
		if at >= 0 {
			if q.isHanded(ctx, text, at, open) {
				return true
			}
			continue
		}
		for _, word := range wordsIn(content, argument[0], argument[1]) {
			if q.isHanded(ctx, text, word[0], open) {
				return true
			}
		}
	}
	return false
}

// argumentsIn are the arguments between the brackets at two offsets.
func argumentsIn(content string, from, to int) (out [][2]int) {
	depth, start := 0, from+1
	for i := from; i < to; i++ {
		switch content[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ',':
			if depth == 1 {
				out, start = append(out, [2]int{start, i}), i+1
			}
		}
	}
	if to-1 > start {
		out = append(out, [2]int{start, to - 1})
	}
	return out
}

// isHanded reports whether the name at an offset is one of the types, or of a value of one.
func (q *handedOver) isHanded(ctx context.Context, text *source.Text, at int, open bool) bool {
	types, known := q.typesAt(ctx, text, at)
	return !known || slices.ContainsFunc(types, func(p lsp.Place) bool { return q.isOne(ctx, p, open) })
}

// isOne reports whether the type at a place is one of the types, or has one as its base.
func (q *handedOver) isOne(ctx context.Context, p lsp.Place, open bool) bool {
	if _, ours := source.RelativeTo(q.s.Root(), p.Path); !ours {
		return false
	}
	if slices.ContainsFunc(q.types, func(t namedType) bool {
		return t.at.Path == p.Path && t.at.Range.Start == p.Range.Start
	}) {
		return true
	}
	symbols, text, err := q.s.DocumentSymbols(ctx, p.Path)
	own := symbolAt(symbols, p.Range.Start)
	switch {
	case err != nil:
		return true
	case own == nil:
		return open // a parameter of a template
	case q.owner() == nil:
		return false
	}
	return member(own, q.name) == nil && hasBases(text, own) && q.derives(ctx, p)
}
