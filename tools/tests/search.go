package tests

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/lang/golang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/symbol"
)

// maxAsked bounds the declarations whose uses one search asks for.
const maxAsked = 2000

// Uses are the uses of what stands at a place, without its declaration, and what may be one. What they may lack it
// tells c.
type Uses func(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located) ([]lsp.Place, error)

// Search finds the tests that reach declarations. It keeps what it has asked, so that declarations of one call share
// their way to the tests. It is used by one goroutine.
type Search struct {
	c     *answer.Call
	on    *answer.Call // the call that is told what uses on the way may lack
	uses  Uses
	until time.Time
	near  int // uses that may lie between a declaration and a test; 0 for any number
	few   int // tests of one declaration behind which no others are looked for; 0 for all
	most  int // declarations on the way from one to its tests whose uses are asked for; 0 for maxAsked
	nodes map[nodeKey]*node
	files map[*source.Text][]Test
	asked int
}

// Found are the tests that reach a declaration.
type Found struct {
	Tests []Test // the nearest first
	// AtLoad are places outside of functions that reach it: they run when their file is loaded, before any test.
	AtLoad []string
	// Left are declarations on the way whose uses were not asked for, or could not be told.
	Left []string
	// Bounded: [Search.Nearest] kept the search from following all uses.
	Bounded bool
}

// NewSearch returns a search that ends its questions at a time.
func NewSearch(c *answer.Call, uses Uses, until time.Time) *Search {
	on := c.Nested(c.Tool, c.Request)
	on.ClaimComplete()
	return &Search{c: c, on: on, uses: uses, until: until, nodes: map[nodeKey]*node{},
		files: map[*source.Text][]Test{}}
}

// Until sets another end of the questions.
func (f *Search) Until(t time.Time) { f.until = t }

// Nearest has the search find the tests of a declaration that reach it by a number of uses or fewer, none behind the
// use by which it has found enough, and ask for the uses of no more declarations than asked on the way. Warn says
// nothing of what these bounds leave out; [Found.Bounded] does.
func (f *Search) Nearest(uses, enough, asked int) { f.near, f.few, f.most = uses, enough, asked }

// nodeKey is the place of a declared name.
type nodeKey struct {
	path string
	at   contract.Position
}

// node is a declaration on the way, with what uses it.
type node struct {
	at     symbol.Located
	sym    lsp.Symbol
	of     *symbol.Located // the type that it is a member of; nil for none
	asked  bool
	left   bool // its uses are not known
	users  []*node
	tests  []Test
	atLoad []string
}

// Of returns the tests that reach what is declared at a place. Its error is the end of the server or of the call.
func (f *Search) Of(ctx context.Context, s *lsp.Snapshot, at symbol.Located) (Found, error) {
	var out Found
	start, err := f.start(ctx, s, at, &out)
	if err != nil || start == nil {
		return out, err
	}
	away, before := map[*node]int{start: 1}, f.asked
	for next := []*node{start}; len(next) > 0; next = next[1:] {
		n := next[0]
		if f.near > 0 && away[n] > f.near || f.few > 0 && away[n] > 1 && len(out.Tests) >= f.few ||
			f.most > 0 && f.asked-before >= f.most {
			out.Bounded = true
			break
		}
		if err := f.expand(ctx, s, n); err != nil {
			return out, err
		}
		if n.left {
			out.Left = append(out.Left, n.at.Name)
		}
		for _, t := range n.tests {
			t.Away += away[n]
			out.add(t)
		}
		out.AtLoad = append(out.AtLoad, n.atLoad...)
		for _, user := range n.users {
			if away[user] == 0 {
				away[user] = away[n] + 1
				next = append(next, user)
			}
		}
	}
	slices.Sort(out.AtLoad)
	out.AtLoad = slices.Compact(out.AtLoad)
	return out, nil
}

// add adds a test that is not there yet.
func (o *Found) add(t Test) {
	if !slices.ContainsFunc(o.Tests, t.Is) {
		o.Tests = append(o.Tests, t)
	}
}

// start returns the declaration at a place; nil where it is a test, which reaches itself.
func (f *Search) start(ctx context.Context, s *lsp.Snapshot, at symbol.Located, out *Found) (*node, error) {
	symbols, text, err := s.DocumentSymbols(ctx, at.Path)
	if err != nil {
		return nil, err
	}
	chain := symbol.Enclosing(symbols, at.At)
	if all := f.testsAt(ctx, s, text, symbols, at.At.Line); len(all) > 0 && !declaresType(chain, at.At) {
		out.Tests = all
		return nil, nil
	}
	n := f.node(symbol.Located{Path: at.Path, At: at.At, Name: at.Name})
	for i, sym := range chain {
		if sym.NameAt.Start == at.At {
			f.fill(n, text, chain[:i+1])
		}
	}
	return n, nil
}

// declaresType reports whether the innermost of symbols is a type whose name stands at a position: one in a file of
// tests is used like any other.
func declaresType(chain []lsp.Symbol, at contract.Position) bool {
	last := len(chain) - 1
	return last >= 0 && chain[last].Kind.IsContainer() && chain[last].NameAt.Start == at
}

func (f *Search) node(at symbol.Located) *node {
	key := nodeKey{at.Path, at.At}
	if f.nodes[key] == nil {
		f.nodes[key] = &node{at: at}
	}
	return f.nodes[key]
}

// fill notes what the last of symbols is: the declaration of the node, with the type that it is a member of.
func (f *Search) fill(n *node, text *source.Text, chain []lsp.Symbol) {
	last := len(chain) - 1
	n.sym = chain[last]
	if last > 0 && chain[last-1].Kind.IsContainer() {
		n.of = located(text, chain[last-1].NameAt.Start)
	} else if at, ok := ownerBefore(text, n.sym); ok {
		n.of = located(text, at)
	}
}

// located is the name at a position.
func located(text *source.Text, at contract.Position) *symbol.Located {
	return &symbol.Located{Path: text.Path, At: at, Name: text.WordAt(at)}
}

// ownerIn matches, at the end of what stands before the name of a member, the type that it belongs to: the receiver of
// Go, the qualifier of C++.
var ownerIn = source.LazyRegexp(`(?:^func\s*\(\s*(?:[\pL_][\pL\pN_]*\s+)?\*?\s*([\pL_][\pL\pN_]*)[^)]*\)\s*|\b([A-Za-z_]\w*)\s*(?:<[^<>;{}]*>)?\s*::\s*~?)$`)

// ownerBefore returns where the type of a member is named before it, that is declared outside of the type.
func ownerBefore(text *source.Text, sym lsp.Symbol) (contract.Position, bool) {
	line := text.Line(sym.NameAt.Start.Line)
	start, err := text.Offset(sym.NameAt.Start)
	if err != nil {
		return contract.Position{}, false
	}
	from := text.LineStart(sym.NameAt.Start.Line)
	m := ownerIn.FindStringSubmatchIndex(line[:min(start-from, len(line))])
	if m == nil {
		return contract.Position{}, false
	}
	return text.PositionAt(from + max(m[2], m[4])), true
}

// expand asks for the uses of a node, and finds what each of them is part of.
func (f *Search) expand(ctx context.Context, s *lsp.Snapshot, n *node) error {
	if n.asked {
		return nil
	}
	n.asked = true
	if n.left = f.asked >= maxAsked || !time.Now().Before(f.until); n.left {
		return nil
	}
	f.asked++
	places, err := f.uses(ctx, f.on, s, n.at)
	if err != nil {
		n.left = true
		if lsp.FatalAnswer(err) {
			return err
		}
		return nil
	}
	for _, p := range places {
		own := n.at.Path == p.Path && n.sym.Range.Contains(p.Range.Start)
		if p.Err != nil || p.Gone || !s.Folders().Inside(p.Path) || own {
			continue
		}
		if err := f.use(ctx, s, n, p); err != nil {
			return err
		}
	}
	if err := f.unnamed(ctx, s, n); err != nil {
		return err
	}
	n.itself(f.c.Show(n.at.Path))
	return nil
}

// itself takes a function in a file of tests that nothing uses for a test, where runners are not all known.
func (n *node) itself(shown string) {
	if len(n.users)+len(n.tests) == 0 && IsFile(shown) && n.sym.Kind.IsFunction() && !rulesFor(n.at.Path).all {
		n.tests = []Test{{Path: n.at.Path, Parts: []string{n.sym.Name}, Range: n.sym.Range, Away: -1}}
	}
}

// use adds what the use at a place is part of.
func (f *Search) use(ctx context.Context, s *lsp.Snapshot, n *node, p lsp.Place) error {
	symbols, text, err := s.DocumentSymbols(ctx, p.Path)
	if err != nil {
		n.left = true
		if lsp.FatalAnswer(err) {
			return err
		}
		return nil
	}
	at := p.Range.Start
	chain := symbol.Enclosing(symbols, at)
	tests := f.testsAt(ctx, s, text, symbols, at.Line)
	if last := len(chain) - 1; last >= 0 && chain[last].Kind.IsContainer() && chain[last].NameAt.Start == at {
		return nil // the type itself, as in the head of an impl
	}
	around := f.around(text, chain)
	if slices.ContainsFunc(around, func(user *node) bool { return user.of != nil && user.of.At == at }) {
		return nil // the type of a member, in its head: whoever has a value of the type names it elsewhere
	}
	switch {
	case len(tests) > 0:
		n.tests = append(n.tests, tests...)
	case len(around) > 0:
		n.users = append(n.users, around...)
		if runsAtLoad(text, around[len(around)-1], at) {
			f.atLoad(ctx, s, n, text, symbols, at.Line)
		}
	case inImport(text, at), lang.Of(p.Path).IsC() && inDirective(text, at.Line):
	case lang.Of(p.Path).ID == "rust" && !IsFile(f.c.Show(p.Path)): // where nothing runs at load: what a macro makes
		n.left = true
	default:
		f.atLoad(ctx, s, n, text, symbols, at.Line)
	}
	return nil
}

// atLoad notes that a line reaches a node when its file is loaded: so all tests of it do, where it is one of tests.
func (f *Search) atLoad(ctx context.Context, s *lsp.Snapshot, n *node, text *source.Text, symbols []lsp.Symbol,
	line int) {
	switch shown := f.c.Show(text.Path); {
	case IsFile(shown):
		n.tests = append(n.tests, f.loadedWith(ctx, s, text, symbols)...)
	case rulesFor(text.Path).find != nil:
		n.atLoad = append(n.atLoad, fmt.Sprintf("%s:%d", shown, line))
	}
}

// ofFunction matches what begins a function in a value.
var ofFunction = source.LazyRegexp(`=>|\b(?:function|lambda|func)\b`)

// runsAtLoad reports whether a name is called in the value of a variable outside of functions and types, in a language
// that makes these values when a file is loaded.
func runsAtLoad(text *source.Text, in *node, at contract.Position) bool {
	offset, err := text.Offset(at)
	if err != nil || in.sym.Kind.IsFunction() || in.of != nil || langOf(text.Path) == "rust" ||
		lang.Of(text.Path).IsC() || ofFunction.MatchString(between(text, in.sym.NameAt.End, at)) {
		return false
	}
	_, end, ok := source.WordAround(text.Content(), offset)
	return ok && strings.HasPrefix(text.Content()[end:], "(")
}

// testsAt returns the tests that a line is part of: one, or all that need what stands there.
func (f *Search) testsAt(ctx context.Context, s *lsp.Snapshot, text *source.Text, symbols []lsp.Symbol,
	line int) (out []Test) {
	all, ok := f.files[text]
	if !ok {
		all = allIn(text, symbols)
		f.files[text] = all
	}
	var group, always *Test
	for i, t := range all {
		switch {
		case !t.holds(line):
		case t.group:
			group = &all[i]
		case t.always:
			always = &all[i]
		default:
			return []Test{t}
		}
	}
	if always == nil {
		return nil
	}
	if langOf(text.Path) == "go" { // TestMain
		return f.loadedWith(ctx, s, text, symbols)
	}
	for _, t := range all {
		within := group == nil || group.holds(t.Range.Start.Line)
		if last := len(always.Parts) - 1; last > 0 && group == nil { // a method of a class
			within = len(t.Parts) > last && slices.Equal(t.Parts[:last], always.Parts[:last])
		}
		if within && !t.group && !t.always {
			out = append(out, t)
		}
	}
	return out
}

// loadedWith are the tests of a file, which run when it is loaded; of Go those of its folder, which are one program.
func (f *Search) loadedWith(ctx context.Context, s *lsp.Snapshot, text *source.Text, symbols []lsp.Symbol) []Test {
	out := In(text, symbols)
	if langOf(text.Path) != "go" {
		return out
	}
	for _, base := range golang.FilesIn(filepath.Dir(text.Path)) {
		path := filepath.Join(filepath.Dir(text.Path), base)
		if path == text.Path || !strings.HasSuffix(base, "_test.go") {
			continue
		}
		if symbols, text, err := s.DocumentSymbols(ctx, path); err == nil {
			out = append(out, In(text, symbols)...)
		}
	}
	return out
}

// around returns the declarations that a use is part of: the function, or the value, type or member outside of
// functions. A function in the value of a variable may also be reached by the variable.
func (f *Search) around(text *source.Text, chain []lsp.Symbol) (out []*node) {
	for i, sym := range chain {
		name := text.WordAt(sym.NameAt.Start)
		if name == "" || sym.Kind.IsScope() || sym.Kind == "null" || strings.HasSuffix(sym.Name, " callback") ||
			sym.Kind.IsContainer() && i+1 < len(chain) && !chain[i+1].Kind.IsScope() {
			continue
		}
		n := f.node(symbol.Located{Path: text.Path, At: sym.NameAt.Start, Name: name})
		f.fill(n, text, chain[:i+1])
		out = append(out, n)
		if sym.Kind.IsFunction() {
			break
		}
	}
	return out
}

// importing matches the beginning of a statement that only brings a name into a file, or passes it on.
var importing = source.LazyRegexp(`^\s*(?:import\b|from\b|(?:pub(?:\s*\([^)]*\))?\s+)?(?:use|extern\s+crate)\b|export\s*(?:type\s*)?[{*]|using\b|#\s*include\b)`)

// inImport reports whether a position is in an import, which may go over several lines in brackets.
func inImport(text *source.Text, at contract.Position) bool {
	offset, err := text.Offset(at)
	if err != nil {
		return false
	}
	code := lang.CodeOf(text.Path, text.Content())
	for ; offset >= 0; offset = lang.BlockStart(code, offset) {
		if importing.MatchString(text.Line(text.PositionAt(offset).Line)) {
			return true
		}
	}
	return false
}

// inDirective reports whether a line is part of a directive of C's preprocessor: the text of a macro is used where
// that is.
func inDirective(text *source.Text, line int) bool {
	for line > 1 && strings.HasSuffix(strings.TrimSpace(text.Line(line-1)), "\\") {
		line--
	}
	return strings.HasPrefix(strings.TrimSpace(text.Line(line)), "#")
}

// unnamed adds what reaches a node without its name: what uses the type of a member that the language or a library
// calls, and what asks for a fixture.
func (f *Search) unnamed(ctx context.Context, s *lsp.Snapshot, n *node) error {
	switch id := langOf(n.at.Path); {
	case id == "python" && n.sym.Kind.IsFunction():
		f.fixture(ctx, s, n)
	case id == "go" && n.sym.Kind == "function" && n.at.Name == "init":
		n.atLoad = append(n.atLoad, fmt.Sprintf("%s:%d", f.c.Show(n.at.Path), n.at.At.Line))
	}
	if n.of != nil && !n.sym.Kind.IsFunction() && initializes(n.at.Path) {
		n.users = append(n.users, f.owner(n)) // its value is made with each value of the type
	}
	if n.of == nil || !n.sym.Kind.IsFunction() {
		return nil
	}
	declared := lsp.Place{Path: n.at.Path, Range: n.sym.NameAt, Full: n.sym.Range}
	if through := s.Hooks().Through; through != nil {
		if of, _, ok, err := through(ctx, s.Unverified(), declared); err == nil && ok && !of.Guess &&
			s.Folders().Inside(of.Path) {
			n.users = append(n.users, f.node(symbol.Located{Path: of.Path, At: of.Range.Start, Name: n.at.Name}))
			return nil
		} else if ok && err == nil {
			n.users = append(n.users, f.owner(n))
			return nil
		}
	}
	if len(n.users)+len(n.tests) == 0 || calledByLanguage(n) ||
		lsp.UnseenUse(ctx, s, declared, n.at.Name, "") != "" {
		n.users = append(n.users, f.owner(n))
	}
	return nil
}

// initializes reports whether fields have values of their own in the language of a file, which whoever makes a value
// of the type runs.
func initializes(path string) bool {
	l := lang.Of(path)
	return l.ID == "python" || l.IsScript() || l.IsC()
}

// owner is the type that a node is a member of.
func (f *Search) owner(n *node) *node {
	return f.node(*n.of)
}

// calledByLanguage reports whether a member is called where its name does not stand: constructors, destructors,
// operators, and the methods that Python has for these.
func calledByLanguage(n *node) bool {
	name := n.sym.Name
	return n.sym.Kind == "constructor" || strings.HasPrefix(name, "~") || strings.HasPrefix(name, "operator") ||
		strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__")
}
