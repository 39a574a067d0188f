package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/ask"
	"lspi/tools/loaded"
	"lspi/tools/resolve"
	"lspi/tools/symbol"
)

// The bounds of one hierarchy.
const (
	// of one direction whose own callers are asked for; six levels of 80 would be more than any host reads
	maxTreeNodes = 1000
	treeRequests = 4 // requests to the server that run at the same time
)

// tree is one direction of a hierarchy. It is built breadth first, so that a bound on its size costs
// what is far from the root and not whole branches beside it. One goroutine builds it; only the
// requests of a level run at the same time.
type tree struct {
	c       *answer.Call
	s       *lsp.Snapshot
	name    string // names the part in warnings: "incoming calls"
	first   string // the file that was asked about, which is sorted first
	expand  func(context.Context, lsp.HierarchyItem) ([]lsp.Call, error)
	apart   bool // lines of calls are in the parent's file, so nodes of different parents are never merged
	depth   int
	breadth int

	top   branch
	known map[string]*branch // the nodes in the tree by their identity
	room  int                // how many more nodes may be asked about
	ends  bool               // there were more nodes than that
}

// node is one node with what is below it.
type branch struct {
	item     lsp.HierarchyItem
	lines    []int
	children []*branch
	left     []*branch // children that max_breadth left out, in their order
	asked    bool      // children and left are what the server said; otherwise it was not asked, or failed
	seen     bool      // stands elsewhere too, with its children there
	order    int       // over all trees of the answer: [forest.number]; -1 before
}

// identity tells one symbol from another. Items of one symbol differ in the data that the server packs
// into them (CallHierarchyItem.data), but not in a key; symbols that a macro made share one place, and
// may share a name.
func identity(i lsp.HierarchyItem) string {
	at := i.Place.Range.Start
	return fmt.Sprintf("%s\x00%d\x00%d\x00%s\x00%s", i.Place.Path, at.Line, at.Character, i.Name, i.Key)
}

// grow asks level by level. A request that fails below the first level costs only its branch, with a warning: what
// has been found above it is still right. A failure on the first level is an error, since nothing would be left to
// show; so is the end of the server or of the call on any level.
func (t *tree) grow(ctx context.Context, roots []lsp.HierarchyItem) error {
	// The roots are known from the beginning: a function that calls itself is shown as seen, and not expanded again.
	t.known, t.room = map[string]*branch{}, maxTreeNodes
	// Breadth first: a cut by depth or time then leaves whole levels and no half branch.
	level := make([]*branch, 0, len(roots))
	for _, r := range roots {
		b := &branch{item: r}
		t.known[identity(r)] = b
		level = append(level, b)
	}
	answers, errs := t.ask(ctx, level)
	// A root without an answer leaves nothing to show; deeper down the rest of the tree stands.
	if err := cmp.Or(errs...); err != nil {
		return err
	}
	// All roots share the first level; from then on each answer belongs to the node that was asked.
	return t.descend(ctx, [][]*branch{nil, t.join(level, answers)})
}

// rest adds what max_breadth has left out, and what is below that.
func (t *tree) rest(ctx context.Context) error {
	added := make([][]*branch, t.depth+1)
	// All that was left out is shown now, and nothing is left out below it.
	t.breadth = math.MaxInt
	parents := []*branch{&t.top}
	for level := 1; level <= t.depth; level++ {
		var children []*branch
		for _, b := range parents {
			children = append(children, b.children...)
			left := b.left
			b.left = nil
			added[level] = append(added[level], t.adopt(b, left)...)
		}
		parents = children
	}
	return t.descend(ctx, added)
}

// descend asks level by level for what is below new nodes: added has those of each level, 1 for the
// first, beside what the level above brings.
func (t *tree) descend(ctx context.Context, added [][]*branch) error {
	var level []*branch
	for d := 1; d < t.depth; d++ {
		if d < len(added) {
			level = slices.Concat(added[d], level)
		}
		t.ends = t.ends || len(level) > t.room
		level = level[:min(len(level), t.room)]
		t.room -= len(level)
		answers, errs := t.ask(ctx, level)
		for i, err := range errs {
			if err == nil {
				continue
			}
			if ask.Final(err) {
				return err
			}
			t.c.Warn(contract.WarnPartFailed, contract.Facts{"part": t.name, "error": answer.AsError(err).Kind},
				fmt.Sprintf("%s of %s is missing: %s", t.name, level[i].item.Name, answer.AsError(err).Message))
		}
		level = t.attach(level, answers, errs)
	}
	return nil
}

// ask expands the branches of one level, a few at the same time, and keeps their order.
func (t *tree) ask(ctx context.Context, level []*branch) ([][]lsp.Call, []error) {
	answers, errs := make([][]lsp.Call, len(level)), make([]error, len(level))
	answer.Parallel(len(level), treeRequests, func(i int) { answers[i], errs[i] = t.expand(ctx, level[i].item) })
	return answers, errs
}

// join makes the first level of what the roots gave; several roots (overloads, partial declarations)
// share it.
func (t *tree) join(roots []*branch, answers [][]lsp.Call) []*branch {
	t.top.asked = true
	// Callers of several roots are merged: a caller of two overloads is one node with the lines of both calls.
	// Where lines are in the file of the parent (apart), the lines of different roots cannot be put together, so
	// each root keeps its own nodes.
	if !t.apart {
		return t.adopt(&t.top, t.merge(slices.Concat(answers...)))
	}
	var next []*branch
	for i := range roots {
		part := branch{}
		next = append(next, t.adopt(&part, t.merge(answers[i]))...)
		t.top.children = append(t.top.children, part.children...)
		t.top.left = append(t.top.left, part.left...)
	}
	return next
}

// attach gives each branch of a level its children and returns the level below. A branch whose request
// failed keeps asked false, so that the answer does not say that it has no children.
func (t *tree) attach(level []*branch, answers [][]lsp.Call, errs []error) []*branch {
	var next []*branch
	for i, b := range level {
		if errs[i] == nil {
			b.asked = true
			next = append(next, t.adopt(b, t.merge(answers[i]))...)
		}
	}
	return next
}

// adopt gives a branch its children and returns those that have to be asked in turn. A symbol that is
// in the tree already is shown and not returned: otherwise recursion would be followed to max_depth in
// every branch.
func (t *tree) adopt(b *branch, found []*branch) (next []*branch) {
	shown := min(len(found), t.breadth)
	b.left = found[shown:]
	for _, child := range found[:shown] {
		b.children = append(b.children, child)
		t.c.RememberNamedBy(t.s, child.item.Place)
		id := identity(child.item)
		// The node is there with its calls; its children stand at its first place.
		if t.known[id] != nil {
			child.seen = true
			continue
		}
		t.known[id] = child
		next = append(next, child)
	}
	return next
}

// merge makes one sorted node of each symbol, with the lines of its calls in order. Symbols in files
// that are gone are left out.
func (t *tree) merge(calls []lsp.Call) []*branch {
	var out []*branch
	by := map[string]*branch{}
	var gone []lsp.Place
	for _, call := range calls {
		if call.Item.Place.Err != nil {
			gone = append(gone, call.Item.Place)
			// A place outside, which lspi may not read, is still a node; only its text is missing.
			if !call.Item.Place.Outside() {
				continue
			}
		}
		id := identity(call.Item)
		if by[id] == nil {
			by[id] = &branch{item: call.Item, order: -1}
			out = append(out, by[id])
		}
		for _, r := range call.From {
			by[id].lines = append(by[id].lines, r.Start.Line)
		}
	}
	t.c.DropStale(gone)
	for _, b := range out {
		slices.Sort(b.lines)
		b.lines = slices.Compact(b.lines)
	}
	slices.SortStableFunc(out, func(a, b *branch) int {
		// A macro makes several of one place.
		return cmp.Or(answer.ComparePlaces(a.item.Place, b.item.Place, t.first),
			strings.Compare(a.item.Detail, b.item.Detail), strings.Compare(identity(a.item), identity(b.item)))
	})
	return out
}

// asked returns the nodes whose own children the answer has.
func (t *tree) asked() (places []lsp.Place) {
	var walk func(b *branch)
	walk = func(b *branch) {
		for _, child := range b.children {
			if child.asked {
				places = append(places, child.item.Place)
			}
			walk(child)
		}
	}
	walk(&t.top)
	return places
}

// cutShort reports whether max_breadth left something out below a branch.
func (b *branch) cutShort() bool {
	return len(b.left) > 0 || slices.ContainsFunc(b.children, (*branch).cutShort)
}

// forest is what both hierarchies have: roots, and a tree in each direction that was asked for.
type forest struct {
	c        *answer.Call
	s        *lsp.Snapshot
	roots    []lsp.HierarchyItem
	up, down *tree // nil when not asked for, or failed
	nodes    int   // in the order of [forest.number]
	offset   int   // nodes that calls before this one have shown
	keep     int   // nodes shown behind them
	source   bool  // with the source line of each node
	extents  bool  // with the last line of each node's declaration
	cutShort bool  // max_breadth left something out
}

// number orders the new nodes of all trees breadth first, behind those that have a number: what
// max_breadth left out comes after all that it did not. The order is the same in each call, so that
// pages fit together.
func (f *forest) number() {
	// The tops themselves are no nodes: they hold the first level of each tree. All trees share one queue, so that
	// a cut takes the deep nodes of both directions before the first level of either.
	tops := f.tops()
	for queue := tops; len(queue) > 0; queue = queue[1:] {
		for _, b := range queue[0].children {
			if b.order < 0 {
				b.order = f.nodes
				f.nodes++
			}
		}
		queue = append(queue, queue[0].children...)
	}
	// As if all were shown; a cut lowers keep.
	f.keep = f.nodes
	f.cutShort = slices.ContainsFunc(tops, (*branch).cutShort)
}

// tops returns what holds the first level of each tree.
func (f *forest) tops() (tops []*branch) {
	for _, t := range []*tree{f.up, f.down} {
		if t != nil {
			tops = append(tops, &t.top)
		}
	}
	return tops
}

// hierarchyKind is what tells one hierarchy from the other beside the fields of its answer: its request
// and its words.
type hierarchyKind struct {
	method   string
	up, down string // the heads of the directions in the text
	// why another tool is better: the server has no such hierarchy, nothing is at the place
	unsupported, none      string
	instead, insteadOfNone string // that tool; insteadOfNone "" is the same
}

// ask builds the trees of a target, and offers another tool where there is nothing to show.
func (k *hierarchyKind) ask(ctx context.Context, c *answer.Call, target resolve.Target, breadth int,
	build func(context.Context, *lsp.Snapshot, symbol.Located) (*forest, error)) (*forest, error) {
	out := &forest{c: c}
	err := resolve.At(ctx, c, target, k.method, func(ctx context.Context, s *lsp.Snapshot, at symbol.Located) error {
		found, err := build(ctx, s, at)
		if err == nil {
			out = found
		}
		return err
	})
	switch {
	case unsupported(err):
		c.Instead(k.instead, k.unsupported)
		return nil, err
	case err != nil:
		return nil, err
	// Nothing of this kind stands there: another tool may answer what was meant.
	case len(out.roots) == 0:
		c.Instead(cmp.Or(k.insteadOfNone, k.instead), k.none)
	case out.cutShort:
		c.LeavesOut(nil, fmt.Sprintf("max_breadth %d cut this answer; +n and more_… count what is not shown", breadth),
			c.Repeat("Ask for what is not shown.", map[string]any{"offset": out.nodes}))
	}
	// An offset behind the end gives an empty page and no error.
	out.keep = max(0, out.nodes-out.offset)
	return out, nil
}

// rootsAt returns a forest that has only its roots. It is never nil, not even with an error. No roots
// is no error: it is the answer that nothing of this kind stands there, unless the audit finds that the
// server did not resolve the name.
func rootsAt(ctx context.Context, c *answer.Call, s *lsp.Snapshot, method string, at symbol.Located) (*forest, error) {
	loaded.AboutAt(c, s, at, nil)
	roots, err := hierarchyRoots(ctx, s, method, at)
	if err == nil && len(roots) == 0 {
		loaded.Unresolved(ctx, c, s, at)
	}
	return &forest{c: c, s: s, roots: roots}, err
}

// grow builds the trees as far as max_breadth lets them, and what that left out as well once earlier
// pages have shown all the others.
func (f *forest) grow(ctx context.Context) error {
	if err := f.each(func(t *tree) error { return t.grow(ctx, f.roots) }); err != nil {
		return err
	}
	f.number()
	if f.cutShort && f.offset >= f.nodes {
		if err := f.each(func(t *tree) error { return t.rest(ctx) }); err != nil {
			return err
		}
		f.number()
	}
	if f.up != nil && f.up.ends || f.down != nil && f.down.ends {
		f.c.Truncate()
		f.c.Warn(contract.WarnTruncated, nil,
			fmt.Sprintf("lspi asked about the first %d nodes only; ask at one of the others for what is below it",
				maxTreeNodes))
	}
	// Last, when it is known which nodes there are.
	f.qualify(ctx)
	return nil
}

// add adds callers of the roots, and what is above them.
func (f *forest) add(ctx context.Context, calls []lsp.Call) error {
	t := f.up
	var fresh []*branch
	for _, b := range t.merge(calls) {
		same := func(had *branch) bool { return identity(had.item) == identity(b.item) }
		at := slices.Concat(t.top.children, t.top.left)
		if i := slices.IndexFunc(at, same); i >= 0 {
			at[i].lines = append(at[i].lines, b.lines...)
			slices.Sort(at[i].lines)
			at[i].lines = slices.Compact(at[i].lines)
			continue
		}
		fresh = append(fresh, b)
	}
	left := t.top.left
	next := t.adopt(&t.top, fresh)
	t.top.left = slices.Concat(left, t.top.left)
	err := t.descend(ctx, [][]*branch{nil, next})
	f.number()
	f.qualify(ctx)
	return err
}

// each builds all trees at the same time. A direction that fails beside another one is left out, with a
// warning.
func (f *forest) each(build func(*tree) error) error {
	both := f.up != nil && f.down != nil
	trees := []**tree{&f.up, &f.down}
	errs := make([]error, len(trees))
	// The directions share nothing but the roots.
	answer.Parallel(len(trees), 0, func(i int) {
		if t := *trees[i]; t != nil && len(f.roots) > 0 {
			errs[i] = build(t)
		}
	})
	for i, t := range trees {
		if *t == nil || len(f.roots) == 0 {
			continue
		}
		err := errs[i]
		if err == nil {
			continue
		}
		if !both || ask.Final(err) {
			return err
		}
		f.c.Warn(contract.WarnPartFailed, contract.Facts{"part": (*t).name, "error": answer.AsError(err).Kind},
			(*t).name+" are missing: "+answer.AsError(err).Message)
		*t = nil
	}
	return nil
}

// known returns the places in the trees, and the items whose callers were asked for.
func (f *forest) known() (places []lsp.Place, asked []lsp.HierarchyItem) {
	asked = slices.Clone(f.roots)
	for _, r := range f.roots {
		places = append(places, r.Place)
	}
	var walk func(b *branch, up bool)
	walk = func(b *branch, up bool) {
		for _, child := range b.children {
			places = append(places, child.item.Place)
			// Only of the tree upwards: the callers of these items are what the answer claims to have all of.
			if up && child.asked {
				asked = append(asked, child.item)
			}
			walk(child, up)
		}
		for _, cut := range b.left {
			places = append(places, cut.item.Place)
		}
	}
	for _, t := range []*tree{f.up, f.down} {
		if t != nil {
			walk(&t.top, t == f.up)
		}
	}
	return places, asked
}

// maxQualifiedFiles bounds the files whose symbols are asked for, only to write names in full.
const maxQualifiedFiles = 60

// qualify writes names with their scope. Some servers put it into the detail (clangd 22 "ns::Circle",
// typescript-language-server 5 the class); gopls 0.23 and rust-analyzer 1.96 tell it only in the
// symbols of the file, which are asked for where that opens no document.
func (f *forest) qualify(ctx context.Context) {
	byFile := map[string][]*lsp.HierarchyItem{}
	for _, i := range f.items() {
		// Free of cost; only what is left is looked up in the symbols of files.
		if full, ok := qualifiedBy(i.Detail, i.Name); ok {
			i.Name = full
			continue
		}
		byFile[i.Place.Path] = append(byFile[i.Place.Path], i)
	}
	// A server that must have a file open to tell its symbols would have all files of the tree opened, only for names.
	if f.s == nil || !f.s.Spec().Freshness.QueryClosed {
		return
	}
	for _, items := range byFile {
		for _, i := range items {
			f.name(ctx, i, len(byFile) <= maxQualifiedFiles)
		}
	}
}

// items returns the roots and all nodes.
func (f *forest) items() (all []*lsp.HierarchyItem) {
	for i := range f.roots {
		all = append(all, &f.roots[i])
	}
	var walk func(b *branch)
	walk = func(b *branch) {
		for _, child := range b.children {
			all = append(all, &child.item)
			walk(child)
		}
	}
	for _, top := range f.tops() {
		walk(top)
	}
	return all
}

// name writes one name in full where the symbols of its file tell it. ask says that these may be asked
// for.
func (f *forest) name(ctx context.Context, i *lsp.HierarchyItem, ask bool) {
	if ask {
		n, ok := resolve.SymbolAt(ctx, f.c, f.s, i.Place)
		if ok && (symbol.EndsWith(n.Parts, symbol.Components(i.Name)) || i.Kind.IsValue() && n.Sym.Kind == i.Kind) {
			i.Name = symbol.JoinParts(f.s.Spec().LanguageID(symbol.Base(i.Place.Path)), n.Parts)
			return
		}
	}
	if i.Kind.IsValue() {
		i.Name = cmp.Or(symbol.WordAt(i.Place), i.Name) // gopls 0.23 names the initializer of a package variable init
	}
}

// qualifiedBy returns the whole name that a detail tells: the detail itself when it ends with the name,
// or the name behind a detail that is a bare scope.
func qualifiedBy(detail, name string) (string, bool) {
	switch parts := symbol.Components(detail); {
	case detail == "" || strings.ContainsAny(detail, " ()") || len(symbol.Components(name)) != 1:
		return "", false
	case symbol.EndsWith(parts, symbol.Components(name)):
		return detail, true
	case strings.IndexFunc(detail, func(r rune) bool { return !source.IsWord(r) }) < 0:
		return detail + "." + name, true
	}
	return "", false
}

// Size returns the number of nodes behind those that earlier pages have shown.
func (f *forest) Size() int { return max(0, f.nodes-f.offset) }

// Next returns the arguments for what follows the first n nodes.
func (f *forest) Next(_ *answer.Call, n int) map[string]any {
	return map[string]any{"offset": f.offset + n}
}

// ShedSnippets drops the source lines; false when there are none.
func (f *forest) ShedSnippets() bool {
	had := f.source
	f.source = false
	return had
}

// direct returns how many nodes a tree has on its first level, those that were left out included.
func (t *tree) direct() int { return len(t.top.children) + len(t.top.left) }

// hierarchyRoots returns the items at a place. Servers that have none at a use have them at its
// definition, so that is asked next.
func hierarchyRoots(ctx context.Context, s *lsp.Snapshot, method string, at symbol.Located) ([]lsp.HierarchyItem,
	error) {
	items, err := s.PrepareHierarchy(ctx, method, at.Path, at.At)
	if len(items) > 0 || fatal(err) || !s.Offers(lsp.MethodDefinition) {
		return readable(items), err
	}
	// Some servers refuse a position that is no declaration instead of answering null: the definition decides.
	places, defErr := s.Locate(ctx, lsp.MethodDefinition, at.Path, at.At)
	// Both errors: the first is the refusal, the second why the way around it failed.
	if defErr != nil {
		return nil, errors.Join(err, defErr)
	}
	for _, p := range places {
		// The place itself has been asked about.
		if p.Err != nil || p.Path == at.Path && p.Range.Contains(at.At) { // what is outside cannot be asked about
			continue
		}
		found, err := s.PrepareHierarchy(ctx, method, p.Path, p.Range.Start)
		if fatal(err) {
			return nil, err
		}
		items = append(items, found...)
	}
	return readable(items), nil
}

// fatal reports whether an error stays whatever position is asked about. A refusal (request_failed) may
// be only about the position; the end of the server, a timeout and a request that is not offered are
// not.
func fatal(err error) bool {
	return err != nil && answer.AsError(err).Kind != contract.KindRequestFailed
}

// readable leaves out items whose file cannot be read, and those that were given twice: several
// definitions may lead to one item.
func readable(items []lsp.HierarchyItem) []lsp.HierarchyItem {
	var out []lsp.HierarchyItem
	seen := map[string]bool{}
	for _, i := range items {
		if id := identity(i); (i.Place.Err == nil || i.Place.Outside()) && !seen[id] {
			seen[id] = true
			out = append(out, i)
		}
	}
	return out
}

// unsupported reports whether the server cannot do this at all, so that another tool is the way on.
func unsupported(err error) bool {
	return err != nil && answer.AsError(err).Category() == contract.Unsupported
}
