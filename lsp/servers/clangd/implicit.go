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

// C++ uses some names without writing them: a loop over a range ([stmt.ranged]), a structured binding
// ([dcl.struct.bind]) and a coroutine ([dcl.fct.def.coroutine], [expr.await]). clangd's references have no such use
// (22.1.8).

// syntax is one such way of writing: the words that every place of it has, and the words of which one stands in code
// of a workspace that can mean its own declarations by it; none where every workspace can.
type syntax struct {
	words, with []string
}

var (
	loops      = syntax{words: []string{"for"}}
	bindings   = syntax{words: []string{"auto"}, with: []string{"tuple_size"}}
	coroutines = syntax{words: []string{"co_await", "co_return", "co_yield"}}
)

// implicitNames are the names that the language uses by itself.
var implicitNames = map[string]syntax{
	"begin": loops, "end": loops, "operator++": loops, "operator*": loops, "operator!=": loops, "operator==": loops,
	"get": bindings, "tuple_size": bindings, "tuple_element": bindings,
	"await_ready": coroutines, "await_suspend": coroutines, "await_resume": coroutines, "await_transform": coroutines,
	"operator co_await": coroutines, "promise_type": coroutines, "coroutine_traits": coroutines,
	"get_return_object": coroutines, "get_return_object_on_allocation_failure": coroutines,
	"initial_suspend": coroutines, "final_suspend": coroutines, "unhandled_exception": coroutines,
	"return_void": coroutines, "return_value": coroutines, "yield_value": coroutines,
}

// maxTypesAsked bounds the places at which clangd is asked for a type; those beyond it are left open.
const maxTypesAsked = 100

// implicitWords is [lsp.ImplicitHooks].Words.
func implicitWords(name string) (words, with []string) {
	of := implicitNames[name]
	return of.words, of.with
}

// implicitUses is [lsp.ImplicitHooks].Uses.
func (a *Process) implicitUses(ctx context.Context, s *lsp.Snapshot, name string, declared lsp.Place,
	files []string) (doubtful []lsp.Place, whole bool) {
	of := implicitNames[name]
	text, err := s.Documents().Text(declared.Path)
	if err != nil || isParameterOrVariable(text, name, declared.Range.Start) {
		return nil, true
	}
	symbols, _, _ := s.DocumentSymbols(ctx, declared.Path)
	asked := implicit{a: a, s: s, name: name, declared: declared, line: text.Line(declared.Range.Start.Line),
		around: symbolsAround(symbols, declared.Range.Start)}
	if owner := asked.owner(); owner != nil && strings.HasPrefix(name, "operator") && of.words[0] == "for" &&
		member(owner, "operator*") == nil && !hasBases(text, owner) { // no iterator
		return nil, true
	}
	for _, path := range files {
		text, err := s.Documents().Text(path)
		if ctx.Err() != nil {
			break // there may be thousands of files with a loop
		}
		if err != nil {
			continue
		}
		content := text.Content()
		lang.EachOf(path, content, of.words, func(from, to int, use lang.Use) {
			if use&(lang.CodeUse|lang.OpenUse) == 0 {
				return
			}
			may := false
			switch content[from:to] {
			case "for":
				at, ok := rangeOf(content, to)
				may = ok && asked.ranges(ctx, text, at, use == lang.OpenUse)
			case "auto":
				may = binding.MatchString(content[from:min(len(content), to+maxBound)]) &&
					binding.FindStringIndex(content[from:])[0] == 0 && asked.binds(ctx, text, from)
			default:
				may = asked.suspends(ctx, text, from)
			}
			if may {
				at := text.PositionAt(from)
				doubtful = append(doubtful, lsp.Place{Path: path, Range: contract.Range{Start: at, End: at},
					Line: text.Line(at.Line)})
			}
		})
	}
	return doubtful, ctx.Err() == nil
}

// maxBound is how long the text of a structured binding up to its bracket mostly is at most.
const maxBound = 20

// isParameterOrVariable reports whether a name that is one of a function in the table is declared as something else.
func isParameterOrVariable(text *source.Text, name string, at contract.Position) bool {
	from, err := text.Offset(at)
	if err != nil || strings.HasPrefix(name, "operator") || coroutineTypes[name] {
		return false
	}
	content := text.Content()
	_, to, _ := source.WordAround(content, from)
	return !strings.HasPrefix(strings.TrimLeft(content[to:], " \t\r\n"), "(")
}

// coroutineTypes are the names of the table that are those of types.
var coroutineTypes = map[string]bool{"promise_type": true, "coroutine_traits": true, "tuple_size": true,
	"tuple_element": true}

// symbolsAround are the names of the symbols around a place, without that at the place.
func symbolsAround(symbols []lsp.Symbol, at contract.Position) (out []lsp.Symbol) {
	for within := symbols; ; {
		i := slices.IndexFunc(within, func(sym lsp.Symbol) bool {
			return sym.Range.Contains(at) && !sym.NameAt.Contains(at)
		})
		if i < 0 {
			return out
		}
		out, within = append(out, within[i]), within[i].Children
	}
}

// implicit is one search for such uses of a declaration.
type implicit struct {
	a        *Process
	s        *lsp.Snapshot
	name     string
	declared lsp.Place
	line     string       // of the declaration
	around   []lsp.Symbol // what the declaration stands in
	asked    int
}

// owner is the type of which the declaration is a member; nil where it is none.
func (q *implicit) owner() *lsp.Symbol {
	if n := len(q.around); n > 0 && !q.around[n-1].Kind.IsScope() {
		return &q.around[n-1]
	}
	return nil
}

// ranges reports whether the declaration may be used by a loop over the expression at an offset. In a template, or in
// the text of a macro, its type may be any.
func (q *implicit) ranges(ctx context.Context, text *source.Text, at int, open bool) bool {
	types, known := q.typesAt(ctx, text, at)
	switch {
	case !known:
		return true
	case len(types) > 0 && !q.mayBe(ctx, types, open):
		return false
	}
	// Of an array clangd tells the type of the elements.
	h, err := q.s.Hover(ctx, text.Path, text.PositionAt(at))
	return err != nil || h == nil || !arrayType.MatchString(h.Text)
}

// arrayType matches the hover of an array, which has no members.
var arrayType = source.LazyRegexp("(?m)^Type: `?[^\n`]*\\]`?[ \t]*$")

// typesAt are the declarations of the type of the expression at an offset; known is false where nobody was asked.
func (q *implicit) typesAt(ctx context.Context, text *source.Text, at int) (types []lsp.Place, known bool) {
	if q.asked++; at < 0 || q.asked > maxTypesAsked || ctx.Err() != nil {
		return nil, false
	}
	types, err := q.s.Locate(ctx, lsp.MethodTypeDefinition, text.Path, text.PositionAt(at))
	for _, p := range types {
		types = append(types, q.aliased(ctx, p)...)
	}
	return types, err == nil
}

// aliased are the types for which the alias at a place stands: clangd leads from a value to the alias of its type.
func (q *implicit) aliased(ctx context.Context, p lsp.Place) (types []lsp.Place) {
	if _, ours := source.RelativeTo(q.s.Root(), p.Path); !ours {
		return nil
	}
	symbols, text, err := q.s.DocumentSymbols(ctx, p.Path)
	own := symbolAt(symbols, p.Range.Start)
	if err != nil || own == nil || len(own.Children) > 0 {
		return nil
	}
	from, err := text.Offset(own.Range.Start)
	to, endErr := text.Offset(own.Range.End)
	if err != nil || endErr != nil || !alias.MatchString(text.Content()[from:to]) {
		return nil
	}
	for _, word := range wordsIn(text.Content(), from, to) {
		if at := text.PositionAt(word[0]); at != p.Range.Start {
			found, _ := q.typesAt(ctx, text, word[0])
			types = append(types, found...)
		}
	}
	return types
}

// alias matches the declaration of another name for a type.
var alias = source.LazyRegexp(`^\s*(?:typedef|using)\b`)

// mayBe reports whether the declaration may be used for a value of one of some types: a type of the workspace that is
// not known to have a member of its own of the name.
func (q *implicit) mayBe(ctx context.Context, types []lsp.Place, open bool) bool {
	return slices.ContainsFunc(types, func(p lsp.Place) bool {
		if _, ours := source.RelativeTo(q.s.Root(), p.Path); !ours {
			return false
		}
		symbols, of, err := q.s.DocumentSymbols(ctx, p.Path)
		own := symbolAt(symbols, p.Range.Start)
		switch {
		case err != nil:
			return true
		case own == nil:
			return open // a parameter of a template
		case strings.HasPrefix(q.name, "operator"):
			return q.iterates(ctx, of, own)
		case q.owner() == nil || q.isOwner(p):
			return true
		}
		return member(own, q.name) == nil && hasBases(of, own) && q.derives(ctx, p)
	})
}

// isOwner reports whether a place declares the type of which the declaration is a member.
func (q *implicit) isOwner(p lsp.Place) bool {
	owner := q.owner()
	return owner != nil && p.Path == q.declared.Path && p.Range.Start == owner.NameAt.Start
}

// member is the first member of a name that a type declares itself; nil where it has none.
func member(of *lsp.Symbol, name string) *lsp.Symbol {
	i := slices.IndexFunc(of.Children, func(m lsp.Symbol) bool { return m.Name == name || lsp.LastWord(m.Name) == name })
	if i < 0 {
		return nil
	}
	return &of.Children[i]
}

// iterates reports whether an operator may be that of the iterators of a type, which its begin returns.
func (q *implicit) iterates(ctx context.Context, text *source.Text, own *lsp.Symbol) bool {
	begin := member(own, "begin")
	if begin == nil {
		return true // it is that of a base, or no member
	}
	at, err := text.Offset(begin.NameAt.Start)
	if err != nil {
		return true
	}
	types, known := q.typesAt(ctx, text, at)
	return !known || slices.ContainsFunc(types, func(p lsp.Place) bool {
		symbols, of, err := q.s.DocumentSymbols(ctx, p.Path)
		iterator := symbolAt(symbols, p.Range.Start)
		return err != nil || iterator == nil || q.isOwner(p) || hasBases(of, iterator) && q.derives(ctx, p) ||
			q.owner() == nil && source.HasWord(q.line, lsp.LastWord(iterator.Name))
	})
}

// derives reports whether the type at a place may have the owner of the declaration above it.
func (q *implicit) derives(ctx context.Context, p lsp.Place) bool {
	owner := q.owner()
	if owner == nil {
		return true
	}
	bases, err := q.s.PrepareHierarchy(ctx, lsp.MethodTypeHierarchy, q.declared.Path, owner.NameAt.Start)
	if err != nil || len(bases) == 0 {
		return true
	}
	is, err := q.a.derives(ctx, q.s, p, "", bases, maxAbove)
	return err != nil || is != refuted
}

// hasBases reports whether a type has others before its body, from which it may take members.
func hasBases(text *source.Text, own *lsp.Symbol) bool {
	from, err := text.Offset(own.NameAt.End)
	head, _, _ := strings.Cut(text.Content()[min(from, len(text.Content())):], "{")
	return err != nil || strings.Contains(head, ":")
}

// symbolAt is the symbol whose name stands at a place.
func symbolAt(symbols []lsp.Symbol, at contract.Position) *lsp.Symbol {
	for i := range symbols {
		if symbols[i].NameAt.Start == at {
			return &symbols[i]
		}
		if found := symbolAt(symbols[i].Children, at); found != nil {
			return found
		}
	}
	return nil
}

// binds reports whether the declaration may be used by the structured binding at an offset: clangd leads from auto to
// the type that it stands for.
func (q *implicit) binds(ctx context.Context, text *source.Text, at int) bool {
	types, known := q.typesAt(ctx, text, at)
	return !known || len(types) == 0 || slices.ContainsFunc(types, func(p lsp.Place) bool {
		_, ours := source.RelativeTo(q.s.Root(), p.Path)
		return ours
	})
}

// suspends reports whether the declaration may be used by the coroutine around an offset: one that returns the type
// around its promise_type, as far as its head tells. What is awaited may have any type.
func (q *implicit) suspends(ctx context.Context, text *source.Text, at int) bool {
	i := slices.IndexFunc(q.around, func(sym lsp.Symbol) bool { return lsp.LastWord(sym.Name) == "promise_type" })
	if q.name == "promise_type" {
		i = len(q.around)
	}
	if i < 1 || strings.HasPrefix(q.name, "await_") {
		return true
	}
	symbols, _, err := q.s.DocumentSymbols(ctx, text.Path)
	around := symbolsAround(symbols, text.PositionAt(at))
	if err != nil || len(around) == 0 {
		return true
	}
	// The type of a function is told with its alias as it is written.
	head := around[len(around)-1].Detail
	return head == "" || source.HasWord(head, "auto") || source.HasWord(head, lsp.LastWord(q.around[i-1].Name)) ||
		!q.hasPromise(ctx, text, around[len(around)-1])
}

// hasPromise reports whether the type that a function returns has a promise_type of its own.
func (q *implicit) hasPromise(ctx context.Context, text *source.Text, function lsp.Symbol) bool {
	at, err := text.Offset(function.NameAt.Start)
	if err != nil {
		return false
	}
	types, known := q.typesAt(ctx, text, at)
	return known && len(types) > 0 && !slices.ContainsFunc(types, func(p lsp.Place) bool {
		symbols, _, err := q.s.DocumentSymbols(ctx, p.Path)
		own := symbolAt(symbols, p.Range.Start)
		return err != nil || own == nil || !slices.ContainsFunc(own.Children, func(m lsp.Symbol) bool {
			return m.Name == "promise_type"
		})
	})
}

// rangeOf finds the expression of a loop over a range behind its keyword, and returns the offset at which clangd tells
// the type of the expression; -1 where there is none. ok is false for another loop.
func rangeOf(content string, from int) (at int, ok bool) {
	content = content[:min(len(content), from+lang.MaxScanned)]
	open := from + len(content[from:]) - len(strings.TrimLeft(content[from:], " \t\r\n"))
	if open >= len(content) || content[open] != '(' {
		return 0, false
	}
	depth, semicolons, colon, end := 0, 0, -1, -1
	for i := open; i < len(content) && end < 0; i++ {
		switch c := content[i]; {
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			if depth--; depth == 0 {
				end = i
			}
		case depth > 1:
		case c == ';':
			semicolons, colon = semicolons+1, -1
		case c == ':' && content[i-1] != ':' && !strings.HasPrefix(content[i+1:], ":") && colon < 0:
			colon = i
		}
	}
	if end < 0 || colon < 0 || semicolons > 1 ||
		strings.HasPrefix(strings.TrimLeft(content[colon+1:end], " \t\r\n"), "{") { // a std::initializer_list
		return 0, false
	}
	return typedAt(content, colon+1, end), true
}

// typedAt is the offset in an expression at which clangd tells its type: its last name, the braces or brackets behind
// one, or the star in front of it; -1 for others.
func typedAt(content string, from, to int) int {
	expression := strings.TrimSpace(content[from:to])
	from += strings.Index(content[from:to], expression)
	switch {
	case expression == "":
		return -1
	case plainName.MatchString(expression):
		return from + strings.LastIndexFunc(expression, func(r rune) bool { return !source.IsWord(r) }) + 1
	case strings.HasPrefix(expression, "*") && plainName.MatchString(expression[1:]):
		return from
	}
	pairs := map[byte]byte{')': '(', '}': '{', ']': '['}
	closing := expression[len(expression)-1]
	open := lastOpen(expression)
	if open < 1 || pairs[closing] == 0 || expression[open] != pairs[closing] {
		return -1
	}
	before := strings.TrimRight(expression[:open], " ")
	if !plainName.MatchString(before) {
		return -1
	}
	if closing != ')' {
		return from + open
	}
	return from + strings.LastIndexFunc(before, func(r rune) bool { return !source.IsWord(r) }) + 1
}

// plainName matches a name with those in front of it.
var plainName = source.LazyRegexp(`^[A-Za-z_]\w*(?:\s*(?:\.|->|::)\s*[A-Za-z_]\w*)*$`)

// lastOpen is the offset of the bracket that the end of an expression closes; -1 where there is none.
func lastOpen(expression string) int {
	depth := 0
	for i := len(expression) - 1; i >= 0; i-- {
		switch expression[i] {
		case ')', ']', '}':
			depth++
		case '(', '[', '{':
			if depth--; depth == 0 {
				return i
			}
		}
		if depth == 0 {
			return -1
		}
	}
	return -1
}
