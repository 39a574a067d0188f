package tools

import (
	"fmt"
	"strconv"
	"strings"

	"lspi/lsp"
	"lspi/tools/answer"
)

// forestHead are the fields with which the answers of both hierarchies begin. The counts are there when
// not all nodes are shown.
type forestHead struct {
	Root *string `json:"root" nullable:"true"`
	// overloads, partial declarations: the lists are of all of them
	OtherRoots []string `json:"other_roots,omitempty" schema:"-"`
	Total      int      `json:"total,omitempty"`
	Returned   *int     `json:"returned,omitempty"`
}

// shownNode is one line of a tree.
type shownNode struct {
	*branch
	level   int  // 0 for what is next to the root
	earlier bool // a node of an earlier page, repeated for what stands below it
}

// shown returns the nodes of a tree that this page has, each behind the one that it belongs to.
func (f *forest) shown(t *tree) []shownNode { return f.below(&t.top, 0) }

// below returns the shown nodes below a branch. A node of an earlier page comes again where one of this
// page stands below it.
func (f *forest) below(b *branch, level int) (out []shownNode) {
	for _, child := range b.children {
		under := f.below(child, level+1)
		in := f.offset <= child.order && child.order < f.offset+f.keep
		if in || len(under) > 0 {
			out = append(append(out, shownNode{child, level, !in}), under...)
		}
	}
	return out
}

// head returns the roots and the counts of this page.
func (f *forest) head() (h forestHead) {
	for i, r := range f.roots {
		n := f.node(r, "", "")
		if i == 0 {
			h.Root = &n
			continue
		}
		h.OtherRoots = append(h.OtherRoots, n)
	}
	if f.keep < f.nodes {
		h.Total, h.Returned = f.nodes, &f.keep
	}
	return h
}

// page returns the shown nodes of one direction, and how many of its first level max_breadth left out.
// nodes is nil for a direction that was not asked for.
func (f *forest) page(t *tree) (nodes []string, more int) {
	if t == nil {
		return nil, 0
	}
	nodes = []string{}
	above := ""
	for _, n := range f.shown(t) {
		mark := strings.Repeat(" ", n.level)
		if n.earlier {
			mark += "… "
		}
		nodes = append(nodes, mark+f.node(n.item, above, n.marks()))
		above = n.item.Place.Path
	}
	return nodes, len(t.top.left)
}

// marks returns what a node has besides its symbol: the lines of its calls (@), that it stands
// elsewhere with what is below it (seen), and how many nodes below it are not shown (+).
func (n shownNode) marks() string {
	text := ""
	if len(n.lines) > 0 {
		text = "@" + strings.ReplaceAll(strings.Trim(fmt.Sprint(n.lines), "[]"), " ", ",") + " "
	}
	if n.seen {
		text += "seen "
	}
	if len(n.left) > 0 {
		text += "+" + strconv.Itoa(len(n.left)) + " "
	}
	return text
}

// node returns one item by the line of its name, at which other tools find it again, and where the forest has extents
// to the last line of the declaration. The path is left out where it is that of the node above.
func (f *forest) node(i lsp.HierarchyItem, above, marks string) string {
	path := ""
	if i.Place.Path != above {
		path = f.c.Show(i.Place.Path)
		if answer.IsGenerated(f.c, i.Place.Path, i.Place.Generated) {
			marks = generatedMark + marks
		}
	}
	lines := strconv.Itoa(i.Place.Range.Start.Line)
	if end := i.Place.Full.End.Line; f.extents && end > i.Place.Range.Start.Line {
		lines += "-" + strconv.Itoa(end)
	}
	text := fmt.Sprintf("%s:%s %s%s %s", path, lines, marks, i.Kind, i.Name)
	if line := strings.TrimSpace(i.Place.Line); f.source && line != "" {
		text += " | " + answer.CutText(line, maxNodeLine)
	}
	return text
}

// generatedMark stands before the kind of a symbol in a generated file.
const generatedMark = "generated "

// maxNodeLine bounds the source line of a node, in code points.
const maxNodeLine = 120

// tellTrees writes the trees as text: what they are of, and the nodes as the JSON has them, with whole
// paths.
func (f *forest) tellTrees(s *answer.Sheet, k *hierarchyKind) {
	for _, r := range f.roots {
		s.Line(0, "%s", f.node(r, "", ""))
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
		for _, n := range f.shown(t) {
			mark := ""
			if n.earlier {
				mark = "… "
			}
			s.Line(1+n.level, "%s%s", mark, f.node(n.item, "", n.marks()))
		}
		if left := len(t.top.left); left > 0 {
			s.Line(1, "… and %d more", left)
		}
	}
}
