package explore

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"lspi/contract"
	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/ask"
	"lspi/tools/audit"
	"lspi/tools/resolve"
	"lspi/tools/symbol"
	"lspi/tools/tests"
)

// callGraph is what one server tells of calls, as [callpath.Search] asks for it. Nodes are the items of the call
// hierarchy. From a method that an interface or a class declares, its implementations are reached, too: which one a
// call runs is decided when the program runs. What is outside of the workspace is not followed, and callers in tests
// are kept apart, unless a declaration that the call is about is one.
type callGraph struct {
	c     *answer.Call
	s     *lsp.Snapshot
	tools Tools
	// callees and callers ask about one item; tell and lacks warn of the calls that are missing in their answers.
	callees, callers func(context.Context, lsp.HierarchyItem) ([]lsp.Call, error)
	tell, lacks      func(context.Context)
	withTests        bool // callers in tests are followed

	mu    sync.Mutex // guards what follows
	items map[string]lsp.HierarchyItem
	edges map[edgeKey]*callEdge
	// called has the callers of the nodes that were asked about
	called map[string][]string
	// hidden has the nodes that may be called by what they override or implement
	hidden map[string]bool
}

type edgeKey struct{ from, to string }

// callEdge is how a node leads to another one: by calls, whose ranges are in the file of the caller, or because it is
// implemented by the other.
type callEdge struct {
	ranges     []contract.Range
	implements bool
}

func newCallGraph(c *answer.Call, s *lsp.Snapshot, tools Tools) *callGraph {
	g := &callGraph{c: c, s: s, tools: tools, items: map[string]lsp.HierarchyItem{},
		edges: map[edgeKey]*callEdge{}, called: map[string][]string{},
		hidden: map[string]bool{}}
	g.callees, g.tell = audit.CalleesOf(c, s)
	g.callers, g.lacks = audit.CallersOf(c, s)
	return g
}

// Final reports whether an error ends the whole search.
func (g *callGraph) Final(err error) bool {
	return ask.Final(err) || lsp.FatalAnswer(err) || err != nil && unsupported(err)
}

// Hidden reports whether a node may have callers that the server does not list.
func (g *callGraph) Hidden(node string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.hidden[node]
}

// nodeOf returns the key of an item. Where the server has one for the symbol (clangd), it is the same for all of its
// declarations; else the place of the name tells symbols apart.
func nodeOf(i lsp.HierarchyItem) string {
	at := i.Place.Range.Start
	if i.Key != "" {
		return i.Key
	}
	return fmt.Sprintf("%s:%06d:%d", i.Place.Path, at.Line, at.Character)
}

// add makes an item a node.
func (g *callGraph) add(i lsp.HierarchyItem) string {
	node := nodeOf(i)
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, known := g.items[node]; !known {
		g.items[node] = i
		g.hidden[node] = i.Kind != "function" || len(symbol.Components(i.Name)) > 1
	}
	return node
}

// item returns the item of a node.
func (g *callGraph) item(node string) lsp.HierarchyItem {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.items[node]
}

// edge returns how a node leads to another one.
func (g *callGraph) edge(from, to string) callEdge {
	g.mu.Lock()
	defer g.mu.Unlock()
	if e := g.edges[edgeKey{from, to}]; e != nil {
		return *e
	}
	return callEdge{}
}

// lead notes that a node leads to another one.
func (g *callGraph) lead(from, to string, ranges []contract.Range, implements bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	e := g.edges[edgeKey{from, to}]
	if e == nil {
		e = &callEdge{implements: implements}
		g.edges[edgeKey{from, to}] = e
	}
	e.implements = e.implements && implements
	for _, r := range ranges {
		if !slices.Contains(e.ranges, r) {
			e.ranges = append(e.ranges, r)
		}
	}
}

// inside reports whether an item is of the workspace and can be read.
func (g *callGraph) inside(p lsp.Place) bool {
	return p.Err == nil && !p.Gone && g.c.Workspace.Table.RootOf(p.Path) != ""
}

// isFile reports whether an item stands for the top level of a file, which nothing calls.
func isFile(i lsp.HierarchyItem) bool {
	return i.Kind == "file" || i.Kind == "module" || i.Kind == "package" || i.Kind == "namespace"
}

// Callees returns what a node calls, and what implements it.
func (g *callGraph) Callees(ctx context.Context, node string) ([]string, error) {
	item := g.item(node)
	calls, err := g.callees(ctx, item)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, call := range calls {
		if !g.inside(call.Item.Place) {
			continue
		}
		to := g.add(call.Item)
		g.lead(node, to, call.From, false)
		out = append(out, to)
	}
	more, err := g.implementations(ctx, node, item)
	return append(out, more...), err
}

// implementations returns what may run where a node is called: the methods that implement or override one that an
// interface or a class declares.
func (g *callGraph) implementations(ctx context.Context, node string, item lsp.HierarchyItem) (out []string,
	err error) {
	if isFile(item) || !g.s.Offers(lsp.MethodImplementation) || !g.dispatched(ctx, item.Place) {
		return nil, nil
	}
	places, _, err := g.s.Implementations(ctx, item.Place.Path, item.Place.Range.Start)
	if err != nil {
		return nil, err
	}
	for _, p := range places {
		if !g.inside(p) || !g.withTests && g.isTest(ctx, p) {
			continue
		}
		items, err := g.s.PrepareHierarchy(ctx, lsp.MethodCallHierarchy, p.Path, p.Range.Start)
		if err != nil {
			return nil, err
		}
		for _, i := range items {
			if to := g.add(i); to != node && i.Place.Err == nil {
				g.lead(node, to, nil, true)
				out = append(out, to)
			}
		}
	}
	return out, nil
}

// dispatched reports whether the value at hand decides which method a call of the one at a place runs: an interface or
// a class declares it.
func (g *callGraph) dispatched(ctx context.Context, p lsp.Place) bool {
	symbols, _, err := g.s.DocumentSymbols(ctx, p.Path)
	if err != nil {
		return false
	}
	around := symbol.NameAt(symbols, p.Range.Start)
	if len(around) < 2 || !symbol.IsCode(around[len(around)-1].Kind) && around[len(around)-1].Kind != "property" {
		return false
	}
	kind := around[len(around)-2].Kind
	return kind == "interface" || kind == "class"
}

// Callers returns what calls a node, without tests.
func (g *callGraph) Callers(ctx context.Context, node string) ([]string, error) {
	item := g.item(node)
	g.mu.Lock()
	known, asked := g.called[node]
	g.mu.Unlock()
	if isFile(item) || asked {
		return known, nil
	}
	calls, err := g.callers(ctx, item)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, call := range calls {
		if !g.inside(call.Item.Place) {
			continue
		}
		if !g.withTests && g.isTest(ctx, call.Item.Place) {
			continue
		}
		from := g.add(call.Item)
		g.lead(from, node, call.From, false)
		out = append(out, from)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.called[node] = out
	return out, nil
}

// isTest reports whether a place is in a test.
func (g *callGraph) isTest(ctx context.Context, p lsp.Place) bool {
	return tests.At(ctx, g.c, g.s, g.c.Show(p.Path), p.Range.Start.Line) != ""
}

// symbolAt returns the symbol whose name stands at a place.
func (g *callGraph) symbolAt(ctx context.Context, p lsp.Place) (symbol.Named, bool) {
	return resolve.SymbolAt(ctx, g.c, g.s, p)
}

// nameOf returns the qualified name of a symbol of a file.
func (g *callGraph) nameOf(path string, n symbol.Named) string {
	return symbol.JoinParts(g.s.Spec().LanguageID(symbol.Base(path)), n.Parts)
}

// shownName returns the qualified name of an item.
func (g *callGraph) shownName(ctx context.Context, i lsp.HierarchyItem) string {
	_, name := g.kindAndName(ctx, i)
	return name
}

// kindAndName returns the kind and the qualified name of an item, as the symbols of its file have them: gopls 0.23
// gives every item the kind of a function.
func (g *callGraph) kindAndName(ctx context.Context, i lsp.HierarchyItem) (lsp.SymbolKind, string) {
	if isFile(i) {
		return i.Kind, filepath.Base(i.Place.Path)
	}
	if n, ok := g.symbolAt(ctx, i.Place); ok {
		return n.Sym.Kind, g.nameOf(i.Place.Path, n)
	}
	return i.Kind, i.Name
}

// The bounds of the search for the members of a type.
const (
	maxMemberFiles = 20
	maxTypeMembers = 100
)

// members returns the functions of a type: those below it in the outline of its file, or named after it there or in the
// files of the folder that hold its name, as methods of Go and of Rust and definitions of C++ are. Of a function that
// is declared apart from its definition it is the definition.
func (g *callGraph) members(ctx context.Context, path string, of symbol.Named) (items []lsp.HierarchyItem, err error) {
	at := map[string]int{}
	for _, file := range g.memberFiles(ctx, path, of) {
		symbols, _, err := g.s.DocumentSymbols(ctx, file)
		if err != nil {
			if ask.Final(err) || file == path {
				return nil, err
			}
			continue
		}
		for _, n := range symbol.Flatten(symbols, nil, nil) {
			if !symbol.IsFunction(n.Sym.Kind) || n.Local || len(n.Parts) < 2 || len(items) == maxTypeMembers ||
				!slices.Equal(n.Parts[:len(n.Parts)-1], of.Parts) {
				continue
			}
			found, err := g.s.PrepareHierarchy(ctx, lsp.MethodCallHierarchy, file, n.Sym.NameAt.Start)
			if err != nil && fatal(err) {
				return nil, err
			}
			for _, i := range g.defined(ctx, found) {
				if _, known := at[nodeOf(i)]; !known {
					at[nodeOf(i)], items = len(items), append(items, i)
				}
			}
		}
	}
	return items, nil
}

// defined returns the items of a function at its definition, where the server has a key for symbols, so that these may
// be declared apart: the calls of an item at a declaration would be looked for there.
func (g *callGraph) defined(ctx context.Context, items []lsp.HierarchyItem) []lsp.HierarchyItem {
	items = slices.Clone(items)
	for n, i := range items {
		if i.Key == "" || i.Place.Err != nil || !g.s.Offers(lsp.MethodDefinition) {
			continue
		}
		places, err := g.s.Locate(ctx, lsp.MethodDefinition, i.Place.Path, i.Place.Range.Start)
		if err != nil {
			continue
		}
		for _, p := range places {
			if p.Err != nil || p.Path == i.Place.Path {
				continue
			}
			there, err := g.s.PrepareHierarchy(ctx, lsp.MethodCallHierarchy, p.Path, p.Range.Start)
			// At the definition clangd leads to the declaration.
			if err == nil && len(there) == 1 && there[0].Key == i.Key && longer(there[0].Place.Full, i.Place.Full) {
				items[n] = there[0]
			}
		}
	}
	return items
}

// longer reports whether a range has more lines than another one, or more characters in as many.
func longer(a, b contract.Range) bool {
	size := func(r contract.Range) (int, int) {
		return r.End.Line - r.Start.Line, r.End.Character - r.Start.Character
	}
	lines, characters := size(a)
	others, less := size(b)
	return lines > others || lines == others && characters > less
}

// memberFiles are the files that may have members of a type: its own, and those of the folder that hold its name.
func (g *callGraph) memberFiles(ctx context.Context, path string, of symbol.Named) []string {
	files := []string{path}
	held, _, _ := g.c.Workspace.Words(path).Holding(ctx, of.Parts[len(of.Parts)-1]) // without it those of its file
	for _, h := range held {
		if h.Path != path && filepath.Dir(h.Path) == filepath.Dir(path) && g.s.Spec().Serves(symbol.Base(h.Path)) &&
			len(files) < maxMemberFiles && !tests.IsFile(g.c.Show(h.Path)) {
			files = append(files, h.Path)
		}
	}
	return files
}

// through returns the declaration by which a call is dispatched, where the place of the call leads to another method
// than the one that the server gives as called: that of an interface, or of a base class. ok is false where the call
// leads to the very method, or nobody knows.
func (g *callGraph) through(ctx context.Context, from, to string) (name string, p lsp.Place, ok bool) {
	edge, caller, called := g.edge(from, to), g.item(from), g.item(to)
	if edge.implements || len(edge.ranges) == 0 || !g.s.Offers(lsp.MethodDefinition) {
		return "", p, false
	}
	want, known := g.symbolAt(ctx, called.Place)
	if !known {
		return "", p, false
	}
	at := edge.ranges[0]
	text, err := g.s.Documents().Text(caller.Place.Path)
	if err != nil {
		return "", p, false
	}
	// Some servers give the whole call as its range: the name stands last in what comes before the arguments.
	start := at.Start
	if at.Start.Line == at.End.Line {
		code := text.Within(at)
		callee, _, _ := strings.Cut(code, "(")
		if i := strings.LastIndex(callee, symbol.LastComponent(want.Parts[len(want.Parts)-1])); i > 0 {
			start.Character += len([]rune(code[:i]))
		}
	}
	places, err := g.s.Locate(ctx, lsp.MethodDefinition, caller.Place.Path, start)
	if err != nil || len(places) == 0 {
		return "", p, false
	}
	for _, place := range places {
		n, ok := g.symbolAt(ctx, place)
		// A constructor is called by the name of its type.
		if !ok || symbol.IsTypeKind(n.Sym.Kind) || slices.Equal(n.Parts, want.Parts) ||
			n.Parts[len(n.Parts)-1] != want.Parts[len(want.Parts)-1] {
			return "", p, false
		}
	}
	n, _ := g.symbolAt(ctx, places[0])
	return g.nameOf(places[0].Path, n), places[0], true
}
