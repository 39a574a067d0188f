package tools

import (
	"context"
	"slices"

	"lspi/contract"
	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/audit"
	"lspi/tools/loaded"
	"lspi/tools/resolve"
	"lspi/tools/symbol"
)

// callHierarchyIn says whose calls are wanted, in which direction, and how far: levels from the symbol,
// callers or callees of one node, and nodes that earlier pages have shown.
type callHierarchyIn struct {
	resolve.Target
	Direction  string `json:"direction" default:"incoming" enum:"incoming,outgoing,both"`
	MaxDepth   int    `json:"max_depth" default:"1" min:"1" max:"6"`
	MaxBreadth int    `json:"max_breadth" default:"20" min:"1" max:"1000"`
	Offset     int    `json:"offset" default:"0" min:"0"`
	answer.Caps
}

// callOptions say how much of a call hierarchy is wanted.
type callOptions struct {
	incoming, outgoing bool
	depth, breadth     int
	offset             int // nodes that calls before this one have shown
}

// callHierarchyOut is one call hierarchy: a node for each symbol, on a line each, indented below the
// one that it calls or is called by. The fields are filled in when it is written, for the nodes of the
// page.
type callHierarchyOut struct {
	forestHead
	Incoming     []string `json:"incoming,omitzero" pattern:"^ *(… )?.*:\\d+ (generated )?(@[\\d,]+ )?(seen )?(\\+\\d+ )?\\w+ "`
	MoreIncoming int      `json:"more_incoming,omitempty"`
	Outgoing     []string `json:"outgoing,omitzero"`
	MoreOutgoing int      `json:"more_outgoing,omitempty"`

	forest
}

// callFields is the answer without its methods, for JSON.
type callFields callHierarchyOut

// callHierarchy follows calls by callHierarchy/incomingCalls and outgoingCalls (LSP 3.17), level by
// level.
var callHierarchy = addressing(lsp.MethodCallHierarchy, define("call_hierarchy", answer.Navigation,
	func(ctx context.Context, c *answer.Call, in callHierarchyIn) (*callHierarchyOut, error) {
		o := callOptions{incoming: in.Direction != "outgoing", outgoing: in.Direction != "incoming",
			depth: in.MaxDepth, breadth: in.MaxBreadth, offset: in.Offset}
		f, err := callTrees.ask(ctx, c, in.Target, in.MaxBreadth, func(ctx context.Context, s *lsp.Snapshot,
			at symbol.Located) (*forest, error) {
			return callTree(ctx, c, s, at, o)
		})
		if err != nil {
			return nil, err
		}
		return &callHierarchyOut{forest: *f}, nil
	}, lsp.MethodCallHierarchy))

// callTrees are the words of a call hierarchy.
var callTrees = hierarchyKind{
	method: lsp.MethodCallHierarchy, up: "Called by", down: "Calls", instead: "find_references",
	unsupported: "Find the uses; they include the calls.",
	none:        "There is nothing callable at this position; find the uses instead.",
}

// callTree asks one server for the calls around a place. A direction that fails beside another one, or
// fails below the first level, is a warning.
func callTree(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located, o callOptions) (*forest, error) {
	out, err := rootsAt(ctx, c, s, lsp.MethodCallHierarchy, at)
	if err != nil {
		return nil, err
	}
	// Where a stub beside the source declares the same symbol, some servers take calls in other files as calls of
	// what the stub declares. So the stub's declaration is a further root, unless the server gave it already.
	roots := out.roots
	for _, stub := range lsp.InStub(ctx, s, at.Path, at.At) {
		more, err := hierarchyRoots(ctx, s, lsp.MethodCallHierarchy,
			symbol.Located{Path: stub.Path, At: stub.Range.Start, Name: at.Name})
		if err != nil {
			return nil, err
		}
		roots = append(roots, slices.DeleteFunc(more, func(r lsp.HierarchyItem) bool {
			return slices.ContainsFunc(roots, func(o lsp.HierarchyItem) bool {
				return o.Place.Path == r.Place.Path && o.Place.Range == r.Place.Range
			})
		})...)
	}
	out.roots = roots
	grow := func(name string, expand func(context.Context, lsp.HierarchyItem) ([]lsp.Call, error), apart bool) *tree {
		return &tree{c: c, s: s, name: name, first: at.Path, expand: expand, apart: apart, depth: o.depth,
			breadth: o.breadth}
	}
	var tell []func(context.Context) // what the trees lack, before anything else opens files
	if o.incoming {
		expand, lacks := audit.CallersOf(c, s)
		tell = append(tell, lacks)
		// Lines of incoming calls are in the caller's own file, so that callers of several roots can be merged.
		out.up = grow("incoming calls", expand, false)
	}
	if o.outgoing {
		// Lines of outgoing calls are in the file of the asked item.
		expand, lacks := audit.CalleesOf(c, s)
		tell = append(tell, lacks)
		out.down = grow("outgoing calls", expand, true)
	}
	out.offset = o.offset
	err = out.grow(ctx)
	for _, lacks := range tell {
		lacks(ctx)
	}
	// With the roots in it: they are shown beside the error of a bundle.
	if err != nil {
		return out, err
	}
	places, asked := out.known()
	// What the answer may lack is about callers, so it is said only of a tree upwards.
	if out.up != nil && len(roots) > 0 {
		loaded.AboutCalls(c, s, asked, places)
		if calls := audit.UsesOfCalled(ctx, c, s, asked, len(roots), places); len(calls) > 0 {
			err = out.add(ctx, calls)
			places, further := out.known() // what the new nodes brought is asked about as well
			further = slices.DeleteFunc(further, func(item lsp.HierarchyItem) bool {
				same := func(had lsp.HierarchyItem) bool { return identity(had) == identity(item) }
				return slices.ContainsFunc(asked, same)
			})
			audit.UsesOfCalled(ctx, c, s, further, 0, places)
		}
	} else {
		loaded.AboutCalls(c, s, nil, places)
	}
	return out, err
}

// MarshalJSON writes the nodes of this page. o is a copy, so the fields for JSON are filled in here only.
func (o callHierarchyOut) MarshalJSON() ([]byte, error) {
	o.forestHead = o.head()
	o.Incoming, o.MoreIncoming = o.page(o.up)
	o.Outgoing, o.MoreOutgoing = o.page(o.down)
	return contract.Marshal(callFields(o))
}

// Summary counts the first level in each direction, and all nodes.
func (o *callHierarchyOut) Summary() string {
	if len(o.roots) == 0 {
		return "There is nothing callable at this position."
	}
	text := ""
	if o.up != nil {
		text += o.roots[0].Name + " has " + answer.Counted(o.up.direct(), "direct caller") + ". "
	}
	if o.down != nil {
		text += o.roots[0].Name + " calls " + answer.Counted(o.down.direct(), "other") + ". "
	}
	return text + answer.Counted(o.nodes, "node") + "."
}

// Cut keeps the first n nodes, breadth first ([forest.number]).
func (o *callHierarchyOut) Cut(n int) any {
	less := *o
	less.keep = n
	return &less
}

func (o *callHierarchyOut) Tell(s *answer.Sheet) { o.tellTrees(s, &callTrees) }
