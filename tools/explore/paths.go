package explore

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"lspi/contract"
	"lspi/lsp"
	"lspi/tools/audit"
	"lspi/tools/callpath"
	"lspi/tools/symbol"
)

// The bounds of the search for paths: questions to the server, in all and of one level, calls of a half of a path, and
// the time.
const (
	maxPathRequests = 400
	maxPathLevel    = 120
	maxPathDepth    = 12
	pathTime        = 8 * time.Second
	// between declarations that words led to, which may have nothing to do with each other
	wordsTime = 4 * time.Second
)

// boundWords say which bound ended a search.
var boundWords = map[callpath.Reason]string{
	callpath.Requests: fmt.Sprintf("after %d questions to the server", maxPathRequests),
	callpath.Wide:     fmt.Sprintf("at a level with more than %d functions", maxPathLevel),
	callpath.Depth:    fmt.Sprintf("after %d calls from either end", maxPathDepth),
	callpath.Time:     "when its time was over",
	callpath.Failed:   "where the server could not tell the calls of a function",
}

// shownPath is one path as it is shown, with the nodes of its steps.
type shownPath struct {
	from, to string // names
	nodes    []string
	steps    []string
}

// findPaths looks for the shortest call paths between the declarations.
func (x *Page) findPaths(ctx context.Context, g *callGraph, until time.Time) error {
	ends, without := x.pathEnds(g)
	if len(ends) < 2 && len(without) == 0 || len(x.ends) < 2 {
		return nil
	}
	if !g.s.Offers(lsp.MethodCallHierarchy) {
		return contract.Errorf(contract.KindRequestUnsupported,
			contract.Facts{"server_id": g.s.ID(), "method": lsp.MethodCallHierarchy}, "%s does not offer %s", g.s.ID(),
			lsp.MethodCallHierarchy)
	}
	if len(without) > 0 {
		x.gaps = append(x.gaps, strings.Join(without, ", ")+": no function, so that no path of calls leads there")
	}
	patience := pathTime
	if x.words != nil {
		patience = wordsTime
	}
	if limit := time.Now().Add(patience); limit.Before(until) {
		until = limit
	}
	var nodes [][]string
	for _, e := range ends {
		nodes = append(nodes, e.nodes)
	}
	r, err := callpath.Search(ctx, g, nodes, callpath.Bounds{Requests: maxPathRequests, Level: maxPathLevel,
		Depth: maxPathDepth, Until: until, Parallel: atOnce})
	if err != nil {
		return err
	}
	for _, p := range withoutJoined(r.Paths) {
		one := shownPath{nodes: p.Nodes, steps: g.steps(ctx, p.Nodes)}
		one.from = g.shownName(ctx, g.item(p.Nodes[0]))
		one.to = g.shownName(ctx, g.item(p.Nodes[len(p.Nodes)-1]))
		x.paths = append(x.paths, one)
	}
	x.tellGaps(ctx, g, ends, r.Gaps)
	return nil
}

// pathEnd is what a path may begin or end with: the declarations that one name means, with all functions that stand for
// them.
type pathEnd struct {
	name  string
	nodes []string
}

// pathEnds returns the ends of paths, and the names of the declarations that have no function.
func (x *Page) pathEnds(g *callGraph) (ends []pathEnd, without []string) {
	at := map[string]int{}
	for n, e := range x.ends {
		var nodes []string
		for _, i := range e.items {
			nodes = append(nodes, g.add(i))
		}
		key := e.asked
		if e.chosen {
			key = fmt.Sprint(n)
		}
		i, known := at[key]
		switch {
		case len(nodes) == 0:
			without = append(without, e.name)
		case known:
			ends[i].nodes = append(ends[i].nodes, nodes...)
			if !strings.Contains(ends[i].name, e.name) {
				ends[i].name += " or " + e.name
			}
		default:
			at[key], ends = len(ends), append(ends, pathEnd{e.name, nodes})
		}
	}
	return ends, without
}

// endOf returns the declaration that the call means and a node stands for; nil for a node that only lies on a path.
func (x *Page) endOf(node string) *end {
	for _, e := range x.ends {
		if slices.ContainsFunc(e.items, func(i lsp.HierarchyItem) bool { return nodeOf(i) == node }) {
			return e
		}
	}
	return nil
}

// withoutJoined returns the paths in the order of their lengths, without those whose steps are all in shorter ones, and
// without those of ends that share a node.
func withoutJoined(paths []callpath.Path) (out []callpath.Path) {
	paths = slices.Clone(paths)
	slices.SortStableFunc(paths, func(a, b callpath.Path) int { return len(a.Nodes) - len(b.Nodes) })
	known := map[edgeKey]bool{}
	for _, p := range paths {
		fresh := false
		for i := range p.Nodes[1:] {
			step := edgeKey{p.Nodes[i], p.Nodes[i+1]}
			fresh = fresh || !known[step]
			known[step] = true
		}
		if fresh {
			out = append(out, p)
		}
	}
	// A path that goes on where another one ends is read behind it.
	for i := range out {
		for j := i + 1; j < len(out); j++ {
			if out[j].From == out[i].To {
				next := out[j]
				copy(out[i+2:j+1], out[i+1:j])
				out[i+1] = next
				break
			}
			if out[j].To == out[i].From {
				next := out[j]
				copy(out[i+1:j+1], out[i:j])
				out[i] = next
				break
			}
		}
	}
	return out
}

// steps returns a path in words: the first function, then for each call its place and what is called.
func (g *callGraph) steps(ctx context.Context, nodes []string) (out []string) {
	for i, node := range nodes {
		item := g.item(node)
		kind, name := g.kindAndName(ctx, item)
		text := fmt.Sprintf("%s:%d %s %s", g.c.Show(item.Place.Path), item.Place.Range.Start.Line, kind, name)
		if i == 0 {
			out = append(out, text)
			continue
		}
		edge := g.edge(nodes[i-1], node)
		switch {
		case edge.implements:
			text += ": implements " + g.shownName(ctx, g.item(nodes[i-1]))
		default:
			text += ": called at " + g.callPlaces(nodes[i-1], edge)
			if name, p, ok := g.through(ctx, nodes[i-1], node); ok {
				text += fmt.Sprintf(" as %s (%s:%d), which it implements", name, g.c.Show(p.Path), p.Range.Start.Line)
			}
		}
		out = append(out, text)
	}
	return out
}

// maxCallLines bounds the lines of one step that are shown.
const maxCallLines = 4

// callPlaces returns the file, which the line of the step before has in full, and the lines of the calls of a step.
func (g *callGraph) callPlaces(from string, e callEdge) string {
	lines := callLines(e)
	var shown []string
	for _, line := range lines[:min(len(lines), maxCallLines)] {
		shown = append(shown, fmt.Sprint(line))
	}
	text := symbol.Base(g.item(from).Place.Path) + ":" + strings.Join(shown, ",")
	if len(lines) > maxCallLines {
		text += ",…"
	}
	return text
}

// callLines are the lines of the calls of a step, in their order.
func callLines(e callEdge) (lines []int) {
	for _, r := range e.ranges {
		lines = append(lines, r.Start.Line)
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

// tellGaps says between which declarations there is no path, or why none was found.
func (x *Page) tellGaps(ctx context.Context, g *callGraph, ends []pathEnd, gaps []callpath.Gap) {
	var along, against []string
	var bounds []callpath.Reason
	if x.words != nil {
		x.tellApart(g, ends, gaps)
		return
	}
	for _, gap := range gaps {
		a, b := ends[gap.A].name, ends[gap.B].name
		if len(gap.Bounds) == 0 {
			along, against = append(along, gap.Along...), append(against, gap.Against...)
			x.gaps = append(x.gaps, fmt.Sprintf("%s, %s: no path of calls in either direction, function values aside "+
				"(seen: all that %s)", a, b, seenWords(a, b, gap)))
			continue
		}
		var why []string
		for _, r := range gap.Bounds {
			why = append(why, boundWords[r])
			if !slices.Contains(bounds, r) {
				bounds = append(bounds, r)
			}
		}
		x.gaps = append(x.gaps, fmt.Sprintf("%s, %s: no path found; the search ended %s", a, b, strings.Join(why, ", ")))
	}
	if len(bounds) > 0 {
		x.warnBounded(g)
	}
	g.auditGaps(ctx, along, against)
}

// warnBounded warns that a bound ended the search for paths.
func (x *Page) warnBounded(g *callGraph) {
	x.c.Warn(contract.WarnPartFailed, contract.Facts{"part": "paths", "server_id": g.s.ID()},
		"the search for call paths ended before all were seen (no_path says where)")
}

// tellApart says which of the declarations that words of a question led to have no path to any other one.
func (x *Page) tellApart(g *callGraph, ends []pathEnd, gaps []callpath.Gap) {
	var apart []string
	bounded := false
	for i, e := range ends {
		n := 0
		for _, gap := range gaps {
			if gap.A == i || gap.B == i {
				n, bounded = n+1, bounded || len(gap.Bounds) > 0
			}
		}
		if n == len(ends)-1 {
			apart = append(apart, e.name)
		}
	}
	if len(apart) == 0 {
		return
	}
	text := fmt.Sprintf("%s: %s lists no path of calls to or from another one of these", strings.Join(apart, ", "), g.s.ID())
	if bounded {
		text = strings.Join(apart, ", ") + ": no path to or from another one of these was found within the bounds"
		x.warnBounded(g)
	}
	x.gaps = append(x.gaps, text)
}

// seenWords say what shows that there is no path.
func seenWords(a, b string, gap callpath.Gap) string {
	var out []string
	if len(gap.Along) > 0 {
		out = append(out, fmt.Sprintf("they reach, %d functions", len(gap.Along)))
	}
	if len(gap.Against) > 0 {
		out = append(out, fmt.Sprintf("reaches them, %d functions", len(gap.Against)))
	}
	return strings.Join(out, "; all that ")
}

// maxAuditedCallers bounds the functions whose callers are looked for by their names, to show that there is no path.
const maxAuditedCallers = 30

// auditGaps warns of the calls that are missing in what shows that there is no path.
func (g *callGraph) auditGaps(ctx context.Context, along, against []string) {
	if len(along) > 0 {
		g.tell(ctx)
	}
	slices.Sort(against)
	var asked []lsp.HierarchyItem
	for _, node := range slices.Compact(against) {
		asked = append(asked, g.item(node))
	}
	if len(asked) > maxAuditedCallers {
		g.c.Warn(contract.WarnPartFailed, contract.Facts{"part": "callers", "server_id": g.s.ID()}, fmt.Sprintf(
			"that the server lists all callers of %d functions was looked at for %d of them", len(asked),
			maxAuditedCallers))
		asked = asked[:maxAuditedCallers]
	}
	if len(asked) > 0 {
		g.lacks(ctx)
		audit.UsesOfCalled(ctx, g.c, g.s, asked, 0, g.places())
		// A name in a string makes no path.
		g.c.Withdraw(func(w contract.Warning) bool { return w.Kind == contract.WarnMentions })
	}
	if (len(along) > 0 || len(against) > 0) && !g.s.Offers(lsp.MethodImplementation) && g.anyHidden(along) {
		g.c.Warn(contract.WarnPartFailed, contract.Facts{"part": "implementations", "server_id": g.s.ID()},
			g.s.ID()+" does not tell what overrides a method; a path through one is not found")
	}
}

// anyHidden reports whether one of nodes is a method.
func (g *callGraph) anyHidden(nodes []string) bool { return slices.ContainsFunc(nodes, g.Hidden) }

// places returns the places of all nodes.
func (g *callGraph) places() (out []lsp.Place) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, i := range g.items {
		out = append(out, i.Place)
	}
	return out
}
