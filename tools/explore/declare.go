package explore

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/edits"
	"lspi/tools/symbol"
)

// The bounds of the code of one declaration, in lines: of one that the call means, of one that only stands on a path,
// and of the lines around a call in code that is longer. The second numbers hold where the answer would be too large.
const (
	maxEndLines  = 80
	maxPathLines = 30
	fewEndLines  = 30
	fewPathLines = 9
	aroundCall   = 3
	headLines    = 4
)

// shownDeclaration is a declaration with its code. Weight 0 is what the call means and a path has, 1 what only stands
// on a path, 2 what the call means and no path has.
type shownDeclaration struct {
	head   string // place, kind and name
	asked  string
	path   string // as it is shown
	code   []codeLine
	less   []codeLine // where the answer would be too large
	weight int
}

// codeLine is a line of code with its number; one without a number stands for lines that are left out.
type codeLine struct {
	number int
	text   string
}

func (l codeLine) String() string {
	if l.number == 0 {
		return l.text
	}
	return fmt.Sprintf("%d %s", l.number, l.text)
}

// declare adds the declarations with their code, those on paths in the order of these.
func (x *Page) declare(ctx context.Context, g *callGraph) {
	d := &declarer{x: x, g: g, known: map[string]bool{}}
	for _, p := range x.paths {
		for i, node := range p.nodes {
			lines := map[int]bool{}
			for _, other := range x.paths {
				for j := range other.nodes[1:] {
					if other.nodes[j] == node {
						for _, line := range callLines(g.edge(node, other.nodes[j+1])) {
							lines[line] = true
						}
					}
				}
			}
			if i == 0 || i == len(p.nodes)-1 {
				d.ofType(ctx, node)
			}
			d.node(ctx, node, lines)
		}
	}
	for _, e := range x.ends {
		place := lsp.Place{Path: e.at.Path, Range: contract.Range{Start: e.at.At, End: e.at.At}}
		if len(e.items) > 0 && !symbol.IsTypeKind(e.kind) {
			place = e.items[0].Place
		}
		d.add(ctx, place, e, 2, nil)
	}
	if d.shortened {
		x.c.Warn(contract.WarnSnippetsDropped, nil,
			"of long declarations only the beginning, and the lines around calls or of members, are shown (…)")
	}
}

// declarer adds declarations to an exploration, each once.
type declarer struct {
	x         *Page
	g         *callGraph
	known     map[string]bool // by path and line
	shortened bool
}

// ofType adds the type that the call means, and with whose member, node, a path begins or ends.
func (d *declarer) ofType(ctx context.Context, node string) {
	if e := d.x.endOf(node); e != nil && symbol.IsTypeKind(e.kind) {
		d.add(ctx, lsp.Place{Path: e.at.Path, Range: contract.Range{Start: e.at.At, End: e.at.At}}, e, 0, nil)
	}
}

// node adds a function on a path; lines are those of its calls there.
func (d *declarer) node(ctx context.Context, node string, lines map[int]bool) {
	item := d.g.item(node)
	weight := 0
	end := d.x.endOf(node)
	if end == nil || symbol.IsTypeKind(end.kind) {
		end, weight = nil, 1
	}
	if isFile(item) {
		d.file(item, lines)
		return
	}
	d.add(ctx, item.Place, end, weight, lines)
}

// once reports whether a declaration is not in the answer yet.
func (d *declarer) once(path string, line int) bool {
	key := fmt.Sprintf("%s:%d", path, line)
	if d.known[key] {
		return false
	}
	d.known[key] = true
	return true
}

// file adds the lines of calls at the top level of a file.
func (d *declarer) file(item lsp.HierarchyItem, lines map[int]bool) {
	path := item.Place.Path
	text, err := d.g.s.Documents().Text(path)
	if err != nil || !d.once(path, 0) {
		return
	}
	wanted := map[int]bool{}
	for line := range lines {
		addAround(wanted, line, aroundCall, 1, text.Lines())
	}
	shown := d.x.c.Show(path)
	code := excerpt(text, 1, text.Lines(), wanted, maxPathLines)
	d.x.declared = append(d.x.declared, shownDeclaration{head: shown + ":1 " + string(item.Kind) + " " +
		symbol.Base(path), path: shown, code: code, less: code, weight: 1})
}

// add adds the declaration at a place. The code of an end is there with its documentation.
func (d *declarer) add(ctx context.Context, p lsp.Place, end *end, weight int, calls map[int]bool) {
	if !d.once(p.Path, p.Range.Start.Line) {
		return
	}
	shown := d.x.c.Show(p.Path)
	one := shownDeclaration{path: shown, weight: weight}
	if end != nil {
		one.asked = end.asked
	}
	name := p.Range.Start.Line
	first, last, kind, called := name, name, lsp.SymbolKind(""), ""
	sym, known := d.g.symbolAt(ctx, p)
	if known {
		kind, called = sym.Sym.Kind, d.g.nameOf(p.Path, sym)
	} else if end != nil {
		kind, called = end.kind, end.name
	}
	text, err := d.g.s.Documents().Text(p.Path)
	if err == nil && known {
		var whole bool
		if first, last, whole = edits.WholeLines(text, sym.Sym); !whole {
			first, last = name, max(name, sym.Sym.Range.End.Line)
			if p.Range.Start.Line > last {
				last = name
			}
		}
		if end == nil {
			first = max(first, min(name, sym.Sym.Range.Start.Line))
		}
	}
	extent := fmt.Sprint(name)
	if last > name {
		extent += fmt.Sprintf("-%d", last)
	}
	one.head = strings.TrimSpace(fmt.Sprintf("%s:%s %s %s", shown, extent, kind, called))
	if answer.IsGenerated(d.x.c, p.Path, p.Generated) {
		one.head = fmt.Sprintf("%s:%s %s%s %s", shown, extent, "generated ", kind, called)
	}
	if err == nil {
		d.code(&one, text, sym, extentLines{first, name, last}, calls)
	}
	d.x.declared = append(d.x.declared, one)
}

// extentLines are the first line of a declaration, that of its name, and the last one.
type extentLines struct{ first, name, last int }

// code fills in the code of a declaration: all of it, or of a long one the beginning and the lines around its calls or
// of its members.
func (d *declarer) code(one *shownDeclaration, text *source.Text, sym symbol.Named, l extentLines, calls map[int]bool) {
	most, few := maxEndLines, fewEndLines
	if one.weight == 1 {
		most, few = maxPathLines, fewPathLines
	}
	wanted := map[int]bool{}
	addAround(wanted, l.name, headLines, l.name, l.last)
	for line := range calls {
		addAround(wanted, line, aroundCall, l.name, l.last)
	}
	if symbol.IsTypeKind(cmp.Or(sym.Sym.Kind, "")) {
		for _, child := range sym.Sym.Children {
			wanted[child.NameAt.Start.Line] = true
		}
	}
	wanted[l.last] = true
	one.code, one.less = excerpt(text, l.first, l.last, wanted, most), excerpt(text, l.first, l.last, wanted, few)
	d.shortened = d.shortened || len(one.code) < l.last-l.first+1
}

// addAround marks the lines around one, within bounds.
func addAround(wanted map[int]bool, line, around, first, last int) {
	for n := max(line-around, first); n <= min(line+around, last); n++ {
		wanted[n] = true
	}
}

// excerpt returns lines of a text: all where they are at most most, else the wanted ones, with a line for each part
// that is left out.
func excerpt(text *source.Text, first, last int, wanted map[int]bool, most int) (out []codeLine) {
	all := last-first+1 <= most
	left := 0
	skip := func(before int) {
		if left > 0 {
			out = append(out, codeLine{text: fmt.Sprintf("… %d-%d", before-left, before-1)})
		}
		left = 0
	}
	for n := first; n <= last; n++ {
		if all || wanted[n] && len(out) < most {
			skip(n)
			out = append(out, codeLine{n, strings.TrimRight(text.Line(n), "\r\n")})
			continue
		}
		left++
	}
	skip(last + 1)
	return out
}
