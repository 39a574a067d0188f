package tools

import (
	"context"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/audit"
	"lspi/tools/loaded"
	"lspi/tools/resolve"
	"lspi/tools/symbol"
)

// typeHierarchyIn says whose types are wanted, in which direction, and how far, in the units of a call
// hierarchy.
type typeHierarchyIn struct {
	resolve.Target
	Direction  string `json:"direction" default:"both" enum:"supertypes,subtypes,both"`
	MaxDepth   int    `json:"max_depth" default:"3" min:"1" max:"10"`
	MaxBreadth int    `json:"max_breadth" default:"20" min:"1" max:"1000"`
	Offset     int    `json:"offset" default:"0" min:"0"`

	IncludeSnippet bool `json:"include_snippet" default:"true"`
	answer.Caps
}

// typeHierarchyOut is one type hierarchy, written as that of calls is.
type typeHierarchyOut struct {
	forestHead
	Supertypes     []string `json:"supertypes,omitzero" pattern:"^ *(… )?.*:\\d+(-\\d+)? (generated )?(seen )?(\\+\\d+ )?\\w+ "`
	MoreSupertypes int      `json:"more_supertypes,omitempty"`
	Subtypes       []string `json:"subtypes,omitzero"`
	MoreSubtypes   int      `json:"more_subtypes,omitempty"`

	forest
}

// typeFields is the answer without its methods, for JSON.
type typeFields typeHierarchyOut

// typeHierarchy follows supertypes and subtypes: typeHierarchy/supertypes and subtypes (LSP 3.17).
var typeHierarchy = addressing(lsp.MethodTypeHierarchy, define("type_hierarchy", answer.Navigation,
	func(ctx context.Context, c *answer.Call, in typeHierarchyIn) (*typeHierarchyOut, error) {
		f, err := typeTrees.ask(ctx, c, in.Target, in.MaxBreadth, func(ctx context.Context, s *lsp.Snapshot,
			at symbol.Located) (*forest, error) {
			return typeTree(ctx, c, s, at, in)
		})
		if err != nil {
			return nil, err
		}
		f.source = in.IncludeSnippet
		return &typeHierarchyOut{forest: *f}, nil
	}, lsp.MethodTypeHierarchy))

// typeTrees are the words of a type hierarchy.
var typeTrees = hierarchyKind{
	method: lsp.MethodTypeHierarchy, up: "Supertypes", down: "Subtypes", instead: "find_implementations",
	unsupported:   "Find what implements or extends it.",
	insteadOfNone: "find_definition",
	none:          "There is no type with a hierarchy at this position; see what is defined there.",
}

// typeTree asks one server for the types around a place, level by level as for calls; a type has no
// lines of calls.
func typeTree(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located, in typeHierarchyIn) (*forest,
	error) {
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
	out.offset, out.extents = in.Offset, true
	if err := out.grow(ctx); err != nil {
		return out, err
	}
	// Without a root nothing was asked, and nothing can be missing.
	if len(out.roots) > 0 {
		places, _ := out.known()
		loaded.UncoveredTypes(ctx, c, s, at, places)
		if out.down != nil {
			audit.Subtypes(ctx, c, s, at, places, out.down.asked())
		}
	}
	out.extend(ctx)
	return out, nil
}

// extend finds the ends of the declarations of which the server tells the name alone (gopls 0.23, and clangd 22 of
// those in its index), in as many files as names are qualified: from the symbols of a file where that opens no
// document, else from the braces.
func (f *forest) extend(ctx context.Context) {
	files := map[string]bool{}
	for _, i := range f.items() {
		p := &i.Place
		if files[p.Path] = true; p.Err != nil || p.Full != p.Range || len(files) > maxQualifiedFiles {
			continue
		}
		if f.s.Spec().Freshness.QueryClosed {
			if sym, ok := resolve.SymbolAt(ctx, f.c, f.s, *p); ok {
				p.Full = sym.Sym.Range
			}
			continue
		}
		text, err := f.c.Workspace.Text(p.Path)
		if err != nil {
			continue
		}
		if at, err := text.Offset(p.Range.Start); err == nil {
			p.Full.End = text.PositionAt(lang.BodyEnd(p.Path, text.Content(), at))
		}
	}
}

// MarshalJSON writes the nodes of this page.
func (o typeHierarchyOut) MarshalJSON() ([]byte, error) {
	o.forestHead = o.head()
	o.Supertypes, o.MoreSupertypes = o.page(o.up)
	o.Subtypes, o.MoreSubtypes = o.page(o.down)
	return contract.Marshal(typeFields(o))
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

// Cut keeps the first n nodes, breadth first.
func (o *typeHierarchyOut) Cut(n int) any {
	less := *o
	less.keep = n
	return &less
}

func (o *typeHierarchyOut) Tell(s *answer.Sheet) { o.tellTrees(s, &typeTrees) }
