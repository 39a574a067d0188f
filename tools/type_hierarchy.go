package tools

import (
	"context"

	"lspi/answer"
	"lspi/contract"
	"lspi/coverage"
	"lspi/lsp"
	"lspi/qname"
	"lspi/resolve"
)

type typeHierarchyIn struct {
	resolve.Target
	Direction  string `json:"direction" default:"both" enum:"supertypes,subtypes,both"`
	MaxDepth   int    `json:"max_depth" default:"3" min:"1" max:"10"`
	MaxBreadth int    `json:"max_breadth" default:"20" min:"1" max:"80"`
	answer.Caps
}

// maxTypeBreadth is the most that max_breadth may be.
const maxTypeBreadth = 80

// typeHierarchyOut is one type hierarchy. Nodes are shown up to keep, breadth first.
type typeHierarchyOut struct {
	Root           *node      `json:"root" nullable:"true"`
	OtherRoots     []node     `json:"other_roots,omitempty" schema:"-"` // partial declarations: the lists are of all of them
	Supertypes     []typeNode `json:"supertypes,omitzero"`
	MoreSupertypes int        `json:"more_supertypes,omitempty"`
	Subtypes       []typeNode `json:"subtypes,omitzero" schema:"object"`
	MoreSubtypes   int        `json:"more_subtypes,omitempty"`

	forest
}

// typeFields is the answer without its methods, for JSON.
type typeFields typeHierarchyOut

// typeNode is a type above or below. Types is missing where it was not asked (max_depth), empty where there are none.
type typeNode struct {
	node
	Types []typeNode `json:"types,omitzero"`
	More  int        `json:"more,omitempty"`
	Seen  bool       `json:"seen,omitempty"`
}

var typeHierarchy = define("type_hierarchy", answer.Navigation,
	func(ctx context.Context, c *answer.Call, in typeHierarchyIn) (*typeHierarchyOut, error) {
		out := &typeHierarchyOut{forest: forest{c: c}}
		err := resolve.At(ctx, c, in.Target, lsp.MethodTypeHierarchy, func(ctx context.Context, s *lsp.Snapshot, at qname.Located) error {
			found, err := typeTree(ctx, c, s, at, in)
			if found != nil {
				out = found
			}
			return err
		})
		switch {
		case unsupported(err):
			c.Instead("find_implementations", "Find what implements or extends it.")
			return nil, err
		case err != nil:
			return nil, err
		case len(out.roots) == 0:
			c.Instead("find_definition", "There is no type with a hierarchy at this position; see what is defined there.")
		case out.forest.cutShort:
			leftOutOfTree(c, in.MaxBreadth, maxTypeBreadth)
		}
		return out, nil
	}, lsp.MethodTypeHierarchy)

func typeTree(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at qname.Located, in typeHierarchyIn) (*typeHierarchyOut, error) {
	coverage.AboutAt(c, s, at, nil)
	roots, err := hierarchyRoots(ctx, s, lsp.MethodTypeHierarchy, at)
	if err != nil {
		return nil, err
	}
	if len(roots) == 0 {
		coverage.Unresolved(ctx, c, s, at)
	}
	out := &typeHierarchyOut{forest: forest{c: c, s: s, roots: roots}}
	grow := func(name, method string) *tree {
		return &tree{c: c, s: s, name: name, first: at.Path, depth: in.MaxDepth, breadth: in.MaxBreadth,
			expand: func(ctx context.Context, i lsp.HierarchyItem) ([]lsp.Call, error) {
				items, err := s.Types(ctx, method, i)
				calls := make([]lsp.Call, len(items))
				for i, item := range items {
					calls[i].Item = item
				}
				return calls, err
			}}
	}
	if in.Direction != "subtypes" {
		out.up = grow("supertypes", lsp.MethodSupertypes)
	}
	if in.Direction != "supertypes" {
		out.down = grow("subtypes", lsp.MethodSubtypes)
	}
	if err := out.grow(ctx); err != nil {
		return out, err
	}
	if len(roots) > 0 {
		places, _ := out.known()
		coverage.LeftOutTypes(ctx, c, s, at, places)
	}
	return out, nil
}

// MarshalJSON writes as many nodes as are kept.
func (o typeHierarchyOut) MarshalJSON() ([]byte, error) {
	o.Root, o.OtherRoots = o.head()
	if o.up != nil {
		o.Supertypes, o.MoreSupertypes = o.types(&o.up.top)
	}
	if o.down != nil {
		o.Subtypes, o.MoreSubtypes = o.types(&o.down.top)
	}
	return contract.Marshal(typeFields(o))
}

func (o typeHierarchyOut) types(b *branch) ([]typeNode, int) {
	children, more := b.shown(o.keep)
	out := make([]typeNode, 0, len(children))
	for _, child := range children {
		n := typeNode{node: nodeOf(o.c, child.item), Seen: child.seen}
		if child.asked {
			n.Types, n.More = o.types(child)
		}
		out = append(out, n)
	}
	return out, more
}

func (o *typeHierarchyOut) Summary() string {
	if len(o.roots) == 0 {
		return "There is no type with a hierarchy at this position."
	}
	text := o.roots[0].Name + " has "
	if o.up != nil {
		text += answer.Counted(o.up.direct(), "direct supertype") + ", "
	}
	if o.down != nil {
		text += answer.Counted(o.down.direct(), "direct subtype") + ", "
	}
	return text + answer.Counted(o.nodes, "node") + " in all."
}

func (o *typeHierarchyOut) Cut(n int) any {
	less := *o
	less.keep = n
	return &less
}

func (o *typeHierarchyOut) Tell(s *answer.Sheet) {
	o.tellRoots(s)
	for _, tree := range []struct {
		what string
		of   *tree
	}{{"Supertypes", o.up}, {"Subtypes", o.down}} {
		if tree.of == nil || len(o.roots) == 0 {
			continue
		}
		nodes, more := o.types(&tree.of.top)
		s.Line(0, "%s (%d)", tree.what, tree.of.direct())
		tellTree(s, 1, toldTypes(nodes), more)
	}
}

func toldTypes(nodes []typeNode) []told {
	var out []told
	for _, n := range nodes {
		t := told{node: n.node, below: toldTypes(n.Types), more: n.More}
		if n.Seen {
			t.note = seenNote
		}
		out = append(out, t)
	}
	return out
}
