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

var typeHierarchy = addressing(lsp.MethodTypeHierarchy, define("type_hierarchy", answer.Navigation,
	func(ctx context.Context, c *answer.Call, in typeHierarchyIn) (*typeHierarchyOut, error) {
		f, err := typeTrees.ask(ctx, c, in.Target, in.MaxBreadth, func(ctx context.Context, s *lsp.Snapshot, at qname.Located) (*forest, error) {
			return typeTree(ctx, c, s, at, in)
		})
		if err != nil {
			return nil, err
		}
		return &typeHierarchyOut{forest: *f}, nil
	}, lsp.MethodTypeHierarchy))

var typeTrees = hierarchyKind{
	method: lsp.MethodTypeHierarchy, up: "Supertypes", down: "Subtypes", instead: "find_implementations",
	unsupported:   "Find what implements or extends it.",
	insteadOfNone: "find_definition",
	none:          "There is no type with a hierarchy at this position; see what is defined there.",
}

// typeTree asks one server for the types around a place. The levels are asked for as those of a call hierarchy are; a type has no lines
// of calls.
func typeTree(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at qname.Located, in typeHierarchyIn) (*forest, error) {
	out, err := rootsAt(ctx, c, s, lsp.MethodTypeHierarchy, at)
	if err != nil {
		return nil, err
	}
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
	// Without a root nothing was asked, and nothing can be missing.
	if len(out.roots) > 0 {
		places, _ := out.known()
		coverage.UncoveredTypes(ctx, c, s, at, places)
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

// types are the nodes below a branch, as far as they are kept.
func (o typeHierarchyOut) types(b *branch) ([]typeNode, int) {
	return shownNodes(b, o.keep, func(child *branch, below []typeNode, more int) typeNode {
		return typeNode{nodeOf(o.c, child.item), below, more, child.seen}
	})
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

func (o *typeHierarchyOut) Tell(s *answer.Sheet) { o.tell(s, &typeTrees) }
