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

// implicit is one search for uses of a declaration that do not name it.
type implicit struct {
	lsp.ImplicitQuestion
	a *Process
	s *lsp.Snapshot

	declared lsp.Place
	text     *source.Text // that declares it; nil before it is known
	own      *lsp.Symbol  // the declaration; nil where the outline does not have it
	around   []lsp.Symbol // what the declaration stands in
	types    []namedType  // for whose values it may be used
	iterator bool         // it is used as an operator of an iterator
	asked    int

	places []lsp.Place
	whole  bool
}

// implicitUses is [lsp.CoverageHooks].Implicit.
func (a *Process) implicitUses(ctx context.Context, s *lsp.Snapshot, asked lsp.ImplicitQuestion) (doubtful []lsp.Place,
	whole bool) {
	q := &implicit{ImplicitQuestion: asked, a: a, s: s, whole: true}
	plain := strings.HasSuffix(asked.Asked.Path, ".c")
	if asked.Ways&lsp.ByLibraries != 0 && !plain {
		q.byLibraries(ctx)
	}
	if asked.Ways&lsp.ByLanguage != 0 {
		q.byLanguage(ctx)
	}
	if asked.Ways&lsp.ByMaking != 0 && !plain {
		q.byMaking(ctx)
	}
	return q.places, q.whole
}

// declare finds out what the declaration is; false where the server does not tell.
func (q *implicit) declare(ctx context.Context) bool {
	if q.text == nil {
		q.declared = q.Declared()
		symbols, text, err := q.s.DocumentSymbols(ctx, q.declared.Path)
		at := q.declared.Range.Start
		q.text, q.own, q.around = text, symbolAt(symbols, at), symbolsAround(symbols, at)
		q.whole = q.whole && err == nil
	}
	return q.text != nil
}

// ours reports whether the workspace has a file. What it does not declare it mostly does not use without a name alone.
func (q *implicit) ours(path string) bool {
	_, ours := source.RelativeTo(q.s.Root(), path)
	return ours
}

// look adds the lines of files that have one of some words in code, from one offset to another, where the declaration
// may be used. In open code, such as templates and texts of macros, a type may be any.
func (q *implicit) look(ctx context.Context, files, words []string,
	may func(text *source.Text, from, to int, open bool) bool) {
	for _, path := range files {
		text, err := q.s.Documents().Text(path)
		if ctx.Err() != nil {
			break // there may be thousands of files with a loop
		}
		if err != nil {
			continue
		}
		last := 0
		lang.EachOf(path, text.Content(), words, func(from, to int, use lang.Use) {
			at := text.PositionAt(from)
			if use&(lang.CodeUse|lang.OpenUse) == 0 || at.Line == last || ctx.Err() != nil ||
				!may(text, from, to, use == lang.OpenUse) {
				return
			}
			last = at.Line
			q.places = append(q.places, lsp.Place{Path: path, Range: contract.Range{Start: at, End: at},
				Line: text.Line(at.Line)})
		})
	}
	q.whole = q.whole && ctx.Err() == nil
}

// byLanguage looks for what the language uses by itself.
func (q *implicit) byLanguage(ctx context.Context) {
	of := implicitNames[q.Name]
	if len(of.words) == 0 || len(of.with) > 0 && len(q.Holding(of.with)) == 0 {
		return
	}
	files := q.Holding(of.words)
	if len(files) == 0 || !q.ours(q.Declared().Path) || !q.declare(ctx) ||
		isParameterOrVariable(q.text, q.Name, q.declared.Range.Start) {
		return
	}
	q.asked, q.types, q.iterator = 0, nil, strings.HasPrefix(q.Name, "operator") && of.words[0] == "for"
	if owner := q.owner(); owner != nil {
		q.types = []namedType{{owner.Name, lsp.Place{Path: q.declared.Path, Range: owner.NameAt}}}
		if q.iterator && member(owner, "operator*") == nil && !hasBases(q.text, owner) {
			return
		}
	}
	q.look(ctx, files, of.words, func(text *source.Text, from, to int, open bool) bool {
		content := text.Content()
		switch content[from:to] {
		case "for":
			at, ok := rangeOf(content, to)
			return ok && q.taken(ctx, text, at, open)
		case "auto": // clangd leads from there to the type that it stands for
			found := binding.FindStringIndex(content[from:min(len(content), to+maxBound)])
			return found != nil && found[0] == 0 && q.taken(ctx, text, from, open)
		}
		return true // of a coroutine nothing is told
	})
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

// owner is the type of which the declaration is a member; nil where it is none.
func (q *implicit) owner() *lsp.Symbol {
	if n := len(q.around); n > 0 && !q.around[n-1].Kind.IsScope() {
		return &q.around[n-1]
	}
	return nil
}

// taken reports whether the declaration may be used where the language takes the value at an offset to pieces.
func (q *implicit) taken(ctx context.Context, text *source.Text, at int, open bool) bool {
	types, known := q.typesAt(ctx, text, at)
	switch {
	case !known:
		return true
	case len(types) > 0 && !q.anyMayBe(ctx, types, open):
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
	if !q.ours(p.Path) {
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

// anyMayBe is [implicit.mayBe] for one of several types.
func (q *implicit) anyMayBe(ctx context.Context, types []lsp.Place, open bool) bool {
	return slices.ContainsFunc(types, func(p lsp.Place) bool { return q.mayBe(ctx, p, open) })
}

// mayBe reports whether the declaration may be used for a value of the type at a place: of one of types, or of one that
// may have the declaration from a base. What the library declares is none.
func (q *implicit) mayBe(ctx context.Context, p lsp.Place, open bool) bool {
	if !q.ours(p.Path) {
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
	case q.iterator:
		return q.iterates(ctx, text, own)
	case q.owner() == nil:
		return len(q.types) == 0
	}
	return member(own, q.Name) == nil && hasBases(text, own) && q.derives(ctx, p)
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
			q.owner() == nil && source.HasWord(q.text.Line(q.declared.Range.Start.Line), lsp.LastWord(iterator.Name))
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

// symbolAt is the symbol whose name stands at a place, at its beginning or behind the sign of a destructor.
func symbolAt(symbols []lsp.Symbol, at contract.Position) *lsp.Symbol {
	for i := range symbols {
		if symbols[i].NameAt.Contains(at) {
			return &symbols[i]
		}
		if found := symbolAt(symbols[i].Children, at); found != nil {
			return found
		}
	}
	return nil
}

// rangeOf finds the expression of a loop over a range behind its keyword, and returns the offset at which clangd tells
// the type of the expression; -1 where there is none. ok is false for another loop.
func rangeOf(content string, from int) (at int, ok bool) {
	content = content[:min(len(content), from+lang.MaxScanned)]
	open := from + len(content[from:]) - len(strings.TrimLeft(content[from:], " \t\r\n"))
	if open >= len(content) || content[open] != '(' {
		return 0, false
	}
	end := lang.BlockEnd(content, open) - 1
	semicolons, colon := 0, -1
	for i := open + 1; i < end; i++ {
		switch c := content[i]; {
		case c == '(' || c == '[' || c == '{':
			i = lang.BlockEnd(content, i) - 1
		case c == ';':
			semicolons, colon = semicolons+1, -1
		case c == ':' && content[i-1] != ':' && !strings.HasPrefix(content[i+1:], ":") && colon < 0:
			colon = i
		}
	}
	if colon < 0 || semicolons > 1 ||
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
	open := lang.BlockStart(expression, len(expression)-1)
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
