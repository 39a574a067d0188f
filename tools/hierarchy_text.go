package tools

import (
	"fmt"
	"strings"

	"lspi/answer"
	"lspi/lsp"
)

// node is a symbol of a hierarchy as answers have it.
type node struct {
	Symbol   string         `json:"symbol"`
	Kind     lsp.SymbolKind `json:"kind"`
	FilePath string         `json:"file_path"`
	Line     int            `json:"line"`
}

// nodeOf is an item by the line of its name, at which other tools find it again.
func nodeOf(c *answer.Call, i lsp.HierarchyItem) node {
	return node{i.Name, i.Kind, c.Show(i.Place.Path), i.Place.Range.Start.Line}
}

// tell writes the trees as text: what they are of, and for each node the place, what is there, where it calls or is called, and
// how many nodes below it are not shown.
func (f *forest) tell(s *answer.Sheet, k *hierarchyKind) {
	for _, r := range f.roots {
		f.tellNode(s, 0, r, "")
	}
	if len(f.roots) == 0 {
		return
	}
	for _, t := range []*tree{f.up, f.down} {
		if t == nil {
			continue
		}
		head := k.up
		if t == f.down {
			head = k.down
		}
		s.Line(0, "%s (%d)", head, t.direct())
		f.tellBelow(s, 1, &t.top)
	}
}

// tellNode writes one line, so that the depth of the tree is told by its indentation alone.
func (f *forest) tellNode(s *answer.Sheet, level int, i lsp.HierarchyItem, note string) {
	n := nodeOf(f.c, i)
	s.Line(level, "%s:%d %s %s%s", n.FilePath, n.Line, n.Kind, n.Symbol, note)
}

// tellBelow writes what is kept of the nodes below a branch. A node that was not asked about has nothing below it, and no sign that it
// has none.
func (f *forest) tellBelow(s *answer.Sheet, level int, b *branch) {
	children, more := b.shown(f.keep)
	for _, child := range children {
		note := ""
		if len(child.lines) > 0 {
			note = ", at " + strings.Trim(fmt.Sprint(child.lines), "[]")
		}
		if child.seen {
			note += " (seen elsewhere in this answer)"
		}
		f.tellNode(s, level, child.item, note)
		if child.asked {
			f.tellBelow(s, level+1, child)
		}
	}
	if more > 0 {
		s.Line(level, "… and %d more", more)
	}
}
