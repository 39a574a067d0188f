package tools

import (
	"lspi/lsp"

	"lspi/answer"
)

// node is a symbol of a hierarchy as answers have it.
type node struct {
	Symbol   string         `json:"symbol"`
	Kind     lsp.SymbolKind `json:"kind"`
	FilePath string         `json:"file_path"`
	Line     int            `json:"line"`
}

func nodeOf(c *answer.Call, i lsp.HierarchyItem) node {
	return node{i.Name, i.Kind, c.Show(i.Place.Path), i.Place.Range.Start.Line}
}

// told is one node of a tree as text has it: the place, what is there, what is said of it, and how many nodes stand below
// it and are not shown.
type told struct {
	node  node
	note  string
	below []told
	more  int
}

func (t *told) tell(s *answer.Sheet, level int) {
	s.Line(level, "%s:%d %s %s%s", t.node.FilePath, t.node.Line, t.node.Kind, t.node.Symbol, t.note)
	tellTree(s, level+1, t.below, t.more)
}

func tellTree(s *answer.Sheet, level int, nodes []told, more int) {
	for i := range nodes {
		nodes[i].tell(s, level)
	}
	if more > 0 {
		s.Line(level, "… and %d more", more)
	}
}

// tellRoots writes what the trees are of.
func (f *forest) tellRoots(s *answer.Sheet) {
	root, others := f.head()
	if root == nil {
		return
	}
	for _, n := range append([]node{*root}, others...) {
		(&told{node: n}).tell(s, 0)
	}
}

// seenNote marks a node that stands elsewhere in the answer with what is below it.
const seenNote = " (seen elsewhere in this answer)"
