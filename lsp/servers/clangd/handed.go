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

// byLibraries looks for places that hand something to a template of a library, which then uses the declaration.
func (q *implicit) byLibraries(ctx context.Context) {
	l, whole := q.a.readLibrary(ctx)
	defer l.mu.Unlock()
	q.whole = q.whole && whole
	templates := l.handing(slices.Concat(l.uses[q.Name], l.calls[q.Name]), stepsToMember)
	if len(templates) == 0 && !l.names[q.Name] || !q.ours(q.Declared().Path) || !q.declare(ctx) || q.own == nil ||
		q.own.Kind.IsScope() || q.own.Kind == "constructor" {
		return
	}
	// What has to be handed over for that: the class, the classes of the parameters, or what a template of the library
	// is specialized for. Where types are held, any template of the library that gets one may use the declaration.
	held := strings.HasPrefix(q.Name, "operator")
	owner := q.owner()
	of := owner
	if q.own.Kind.IsContainer() {
		of = q.own
	}
	switch {
	case of != nil && strings.Contains(of.Name, "<") && l.names[lsp.LastWord(of.Name)]:
		templates, held = l.handing([]string{lsp.LastWord(of.Name)}, stepsToSpecialization), true
		q.types = q.typesIn(ctx, q.text, of.NameAt.Start, '<')
	case owner != nil:
		q.types = []namedType{{lsp.LastWord(owner.Name), lsp.Place{Path: q.text.Path, Range: owner.NameAt}}}
	case !q.own.Kind.IsContainer():
		q.types = q.typesIn(ctx, q.text, q.own.NameAt.End, '(')
	}
	if len(q.types) == 0 {
		return
	}
	words := slices.Clone(templates)
	if held {
		for _, of := range q.types {
			words = append(words, of.name)
		}
	}
	q.look(ctx, q.Holding(words), words, func(text *source.Text, from, to int, open bool) bool {
		word := text.Content()[from:to]
		return slices.Contains(templates, word) && q.hands(ctx, text, from, to, open) ||
			held && l.names[templateBefore(text.Content()[:from])] &&
				slices.ContainsFunc(q.types, func(t namedType) bool { return t.name == word })
	})
}

// namedType is a type of the workspace.
type namedType struct {
	name string
	at   lsp.Place
}

// typesIn are the types of the workspace that are named in the first brackets at or behind a place.
func (q *implicit) typesIn(ctx context.Context, text *source.Text, at contract.Position, open byte) (out []namedType) {
	from, err := text.Offset(at)
	if err != nil {
		return nil
	}
	content := text.Content()
	i := strings.IndexByte(content[from:], open)
	if i < 0 {
		return nil
	}
	for _, word := range wordsIn(content, from+i, argumentsEnd(content, from+i)) {
		types, _ := q.s.Locate(ctx, lsp.MethodTypeDefinition, text.Path, text.PositionAt(word[0]))
		for _, p := range types {
			if q.ours(p.Path) {
				out = append(out, namedType{content[word[0]:word[1]], p})
			}
		}
	}
	return out
}

// wordsIn are the words between two offsets that may name a value or a type, but not what is in front of ::.
func wordsIn(content string, from, to int) (out [][2]int) {
	for _, at := range anyWord.FindAllStringIndex(content[from:to], -1) {
		start, end := from+at[0], from+at[1]
		word := content[start:end]
		if !strings.HasPrefix(strings.TrimLeft(content[end:to], " "), "::") && !lang.Reserved("cpp", word) &&
			(word[0] < '0' || word[0] > '9') {
			out = append(out, [2]int{start, end})
		}
	}
	return out
}

var anyWord = source.LazyRegexp(`[\pL\pN_]+`)

// argumentsEnd is what stands behind the bracket that closes the one at an offset; the offset itself where none does.
func argumentsEnd(content string, at int) int {
	code := content[:min(len(content), at+lang.MaxScanned)]
	end := lang.BlockEnd(code, at)
	if end == len(code) && end < len(content) || code[at] == '<' && strings.Contains(code[at:end], ";") {
		return at
	}
	return end
}

// hands reports whether the template whose name ends at an offset gets one of the types, or a value of one, there.
func (q *implicit) hands(ctx context.Context, text *source.Text, from, to int, open bool) bool {
	content := text.Content()
	if content[from:to] == q.Name && lang.BehindDot(content[:from]) {
		return false // a member of the name
	}
	blank := func(i int) int { return i + len(content[i:]) - len(strings.TrimLeft(content[i:], " \t\r\n")) }
	var given []int // offsets of values and types
	words := func(from, to int) {
		for _, word := range wordsIn(content, from, to) {
			given = append(given, word[0])
		}
	}
	i := blank(to)
	if i < len(content) && content[i] == '<' {
		end := argumentsEnd(content, i)
		words(i, end)
		i = blank(end)
	}
	if start, end, ok := source.WordAround(content, i); ok && start == i && end > i { // what is declared with it
		i = blank(end)
	}
	if i < len(content) && (content[i] == '(' || content[i] == '{') {
		for _, argument := range lang.Arguments(content[:argumentsEnd(content, i)], i) {
			if at := typedAt(content, argument[0], argument[1]); at >= 0 {
				given = append(given, at)
			} else {
				words(argument[0], argument[1])
			}
		}
	}
	return slices.ContainsFunc(given, func(at int) bool {
		types, known := q.typesAt(ctx, text, at)
		return !known || q.anyMayBe(ctx, types, open)
	})
}
