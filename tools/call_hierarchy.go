package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"lspi/adapter"
	"lspi/contract"
	"lspi/lsp"
)

type callHierarchyIn struct {
	Target
	Direction  string `json:"direction" default:"incoming" enum:"incoming,outgoing,both"`
	MaxDepth   int    `json:"max_depth" default:"1" min:"1" max:"6"`
	MaxBreadth int    `json:"max_breadth" default:"20" min:"1" max:"80"`
	caps
}

// maxCallBreadth is the most that max_breadth may be.
const maxCallBreadth = 80

// callOptions say how much of a call hierarchy is wanted.
type callOptions struct {
	incoming, outgoing bool
	depth, breadth     int
}

// callHierarchyOut is one call hierarchy. Nodes are shown up to keep, breadth first.
type callHierarchyOut struct {
	Root         *node      `json:"root" nullable:"true"`
	OtherRoots   []node     `json:"other_roots,omitempty" schema:"-"` // overloads: the lists are of all of them
	Incoming     []callNode `json:"incoming,omitzero"`
	MoreIncoming int        `json:"more_incoming,omitempty"`
	Outgoing     []callNode `json:"outgoing,omitzero" schema:"object"`
	MoreOutgoing int        `json:"more_outgoing,omitempty"`

	forest
}

// callFields is the answer without its methods, for JSON.
type callFields callHierarchyOut

// callNode is a caller or callee. Calls is missing where it was not asked (max_depth), empty where there are none.
type callNode struct {
	node
	CallLines []int      `json:"call_lines"`
	Calls     []callNode `json:"calls,omitzero"`
	More      int        `json:"more,omitempty"`
	Seen      bool       `json:"seen,omitempty"`
}

var callHierarchy = define("call_hierarchy", Navigation,
	func(ctx context.Context, c *Call, in callHierarchyIn) (*callHierarchyOut, error) {
		o := callOptions{incoming: in.Direction != "outgoing", outgoing: in.Direction != "incoming",
			depth: in.MaxDepth, breadth: in.MaxBreadth}
		out := &callHierarchyOut{forest: forest{c: c}}
		err := c.at(ctx, in.Target, lsp.MethodCallHierarchy, func(ctx context.Context, s *lsp.Server, at spot) error {
			found, err := c.callHierarchy(ctx, s, at, o)
			if found != nil {
				out = found
			}
			return err
		})
		switch {
		case unsupported(err):
			c.instead("find_references", "Find the uses; calls are among them.")
			return nil, err
		case err != nil:
			return nil, err
		case len(out.roots) == 0:
			c.instead("find_references", "There is nothing that is called at this position; find the uses.")
		case out.forest.cutShort:
			c.leftOutOfTree(in.MaxBreadth, maxCallBreadth)
		}
		return out, nil
	})

// callHierarchy asks one server for the calls around a place. A direction that fails beside another one, or fails in
// depth, is a warning.
func (c *Call) callHierarchy(ctx context.Context, s *lsp.Server, at spot, o callOptions) (*callHierarchyOut, error) {
	c.aboutAt(s, at, nil)
	roots, err := hierarchyRoots(ctx, s, lsp.MethodCallHierarchy, at)
	if err != nil {
		return nil, err
	}
	if len(roots) == 0 {
		c.unresolved(ctx, s, at)
	}
	for _, stub := range adapter.InStub(ctx, s, at.path, at.at) {
		more, err := hierarchyRoots(ctx, s, lsp.MethodCallHierarchy, spot{path: stub.Path, at: stub.Range.Start, name: at.name})
		if err != nil {
			return nil, err
		}
		roots = append(roots, slices.DeleteFunc(more, func(r lsp.HierarchyItem) bool {
			return slices.ContainsFunc(roots, func(o lsp.HierarchyItem) bool { return o.Place.Path == r.Place.Path && o.Place.Range == r.Place.Range })
		})...)
	}
	out := &callHierarchyOut{forest: forest{c: c, s: s, roots: roots}}
	grow := func(name string, expand func(context.Context, lsp.HierarchyItem) ([]lsp.Call, error), apart bool) *tree {
		return &tree{c: c, s: s, name: name, first: at.path, expand: expand, apart: apart, depth: o.depth, breadth: o.breadth}
	}
	if o.incoming {
		expand, tell := callersOf(c, s)
		defer tell()
		out.up = grow("incoming calls", expand, false)
	}
	if o.outgoing {
		out.down = grow("outgoing calls", s.OutgoingCalls, true)
	}
	if err := out.grow(ctx); err != nil {
		return out, err
	}
	places, asked := out.known()
	alsoIn(c, places)
	if out.up != nil && len(roots) > 0 {
		c.leftOutCallers(ctx, s, at, places, asked)
		inOneProject(ctx, c, s, at, lsp.MethodCallHierarchy, places)
		c.dynamicCallers(ctx, s, asked)
		for _, item := range asked {
			linkerUses(ctx, c, s, spot{path: item.Place.Path, at: item.Place.Range.Start, name: lastComponent(item.Name)}, nil, true)
		}
	}
	return out, nil
}

// MarshalJSON writes as many nodes as are kept.
func (o callHierarchyOut) MarshalJSON() ([]byte, error) {
	o.Root, o.OtherRoots = o.head()
	if o.up != nil {
		o.Incoming, o.MoreIncoming = o.calls(&o.up.top)
	}
	if o.down != nil {
		o.Outgoing, o.MoreOutgoing = o.calls(&o.down.top)
	}
	return contract.Marshal(callFields(o))
}

func (o callHierarchyOut) calls(b *branch) ([]callNode, int) {
	children, more := b.shown(o.keep)
	out := make([]callNode, 0, len(children))
	for _, child := range children {
		n := callNode{node: o.c.node(child.item), CallLines: append([]int{}, child.lines...), Seen: child.seen}
		if child.asked {
			n.Calls, n.More = o.calls(child)
		}
		out = append(out, n)
	}
	return out, more
}

func (o *callHierarchyOut) Summary() string {
	if len(o.roots) == 0 {
		return "There is nothing that is called at this position."
	}
	text := ""
	if o.up != nil {
		text += o.roots[0].Name + " has " + counted(o.up.direct(), "direct caller") + ". "
	}
	if o.down != nil {
		text += o.roots[0].Name + " calls " + counted(o.down.direct(), "other") + ". "
	}
	return text + counted(o.nodes, "node") + "."
}

func (o *callHierarchyOut) cut(n int) any {
	less := *o
	less.keep = n
	return &less
}

func (o *callHierarchyOut) tell(s *sheet) {
	o.tellRoots(s)
	for _, tree := range []struct {
		what string
		of   *tree
	}{{"Called by", o.up}, {"Calls", o.down}} {
		if tree.of == nil || len(o.roots) == 0 {
			continue
		}
		nodes, more := o.calls(&tree.of.top)
		s.line(0, "%s (%d)", tree.what, tree.of.direct())
		tellTree(s, 1, toldCalls(nodes), more)
	}
}

func toldCalls(nodes []callNode) []told {
	var out []told
	for _, n := range nodes {
		t := told{node: n.node, below: toldCalls(n.Calls), more: n.More}
		if len(n.CallLines) > 0 {
			t.note = ", at " + strings.Trim(fmt.Sprint(n.CallLines), "[]")
		}
		if n.Seen {
			t.note += seenNote
		}
		out = append(out, t)
	}
	return out
}
