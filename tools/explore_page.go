package tools

import (
	"cmp"
	"context"
	"fmt"
	"slices"
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

// shownDeclaration is a declaration with its code. Weight 0 is what the call means and a path has, 1 what only stands on
// a path, 2 what the call means and no path has.
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
func (x *exploration) declare(ctx context.Context, g *callGraph) {
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
	x         *exploration
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
func (d *declarer) add(ctx context.Context, p lsp.Place, end *exploredEnd, weight int, calls map[int]bool) {
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
		one.head = fmt.Sprintf("%s:%s %s%s %s", shown, extent, generatedMark, kind, called)
	}
	if err == nil {
		d.code(&one, text, sym, extentLines{first, name, last}, calls)
	}
	d.x.declared = append(d.x.declared, one)
}

// extentLines are the first line of a declaration, that of its name, and the last one.
type extentLines struct{ first, name, last int }

// code fills in the code of a declaration: all of it, or of a long one the beginning and the lines around its calls or of
// its members.
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

// excerpt returns lines of a text: all where they are at most most, else the wanted ones, with a line for each part that
// is left out.
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

// explorationCut says how much of an exploration is shown.
type explorationCut struct {
	few   bool // less code of each declaration
	paths int
	heads int
	tests int
	code  int // lines, of the declarations in the order of their weights
}

// whole is the cut that leaves out nothing.
func (x *exploration) whole() explorationCut {
	cut := explorationCut{few: x.cut.few, paths: len(x.paths), heads: len(x.declared), tests: len(x.tests)}
	for _, d := range x.declared {
		cut.code += len(d.lines(cut.few))
	}
	return cut
}

// lines returns the code of a declaration.
func (d *shownDeclaration) lines(few bool) []codeLine {
	if few {
		return d.less
	}
	return d.code
}

// Size counts paths, declarations, tests and lines of code.
func (x *exploration) Size() int {
	cut := x.whole()
	return cut.paths + cut.heads + cut.tests + cut.code
}

// Cut keeps n items: paths first, then which declarations there are, tests, and code, that of declarations on paths
// first.
func (x *exploration) Cut(n int) any {
	less := *x
	all := x.whole()
	take := func(of int) int {
		took := min(n, of)
		n -= took
		return took
	}
	less.cut = explorationCut{few: x.cut.few, paths: take(all.paths), heads: take(all.heads), tests: take(all.tests),
		code: take(all.code)}
	return &less
}

// ShedSnippets shortens the code of each declaration.
func (x *exploration) ShedSnippets() bool {
	had := !x.cut.few
	x.cut.few = true
	return had
}

// Steps lead to what a cut left out.
func (x *exploration) Steps(c *answer.Call, _ int) []contract.NextStep {
	return []contract.NextStep{c.WithRoom("Ask again with more room, or read the lines of the declarations.", 4*c.Limit())}
}

// exploredDeclaration is a declaration as the answer has it.
type exploredDeclaration struct {
	Declaration string `json:"declaration"`
	Asked       string `json:"asked,omitempty"`
	Body        string `json:"body,omitempty"`
}

// exploredWords are what the answer says of a question.
type exploredWords struct {
	Total   int      `json:"total"`
	Without []string `json:"without,omitempty"`
	Others  []string `json:"others,omitempty"`
}

// explorationBody is the answer in JSON.
type explorationBody struct {
	Paths        [][]string            `json:"paths"`
	NoPath       []string              `json:"no_path,omitempty"`
	Declarations []exploredDeclaration `json:"declarations"`
	Tests        []string              `json:"tests"`
	MoreTests    []string              `json:"more_tests,omitempty"`
	Matches      *exploredWords        `json:"matches,omitempty"`
}

// shownCode returns the code of each declaration that the cut leaves: by weight, in their order.
func (x *exploration) shownCode() [][]codeLine {
	out := make([][]codeLine, len(x.declared))
	left := x.cut.code
	for weight := range 3 {
		for i, d := range x.declared {
			if d.weight != weight {
				continue
			}
			code := d.lines(x.cut.few)
			if len(code) > left {
				code = slices.Clone(code[:left])
				if left > 0 {
					code = append(code, codeLine{text: "…"})
				}
			}
			left -= min(left, len(d.lines(x.cut.few)))
			out[i] = code
		}
	}
	return out
}

// body returns what is shown.
func (x *exploration) body() explorationBody {
	b := explorationBody{Paths: [][]string{}, NoPath: x.gaps, Declarations: []exploredDeclaration{},
		Tests: append([]string{}, x.tests[:x.cut.tests]...), MoreTests: x.moreTests}
	for _, p := range x.paths[:x.cut.paths] {
		b.Paths = append(b.Paths, p.steps)
	}
	code := x.shownCode()
	for i, d := range x.declared[:x.cut.heads] {
		var lines []string
		for _, l := range code[i] {
			lines = append(lines, l.String())
		}
		b.Declarations = append(b.Declarations, exploredDeclaration{d.head, d.asked, strings.Join(lines, "\n")})
	}
	if x.words != nil {
		b.Matches = &exploredWords{x.words.total, x.words.without, x.words.others}
	}
	return b
}

// MarshalJSON writes what is shown.
func (x exploration) MarshalJSON() ([]byte, error) { return contract.Marshal(x.body()) }

// Summary counts the parts.
func (x *exploration) Summary() string {
	text := answer.Counted(len(x.declared), "declaration") + ", " + answer.Counted(len(x.paths), "call path")
	if len(x.ends) < 2 {
		text = answer.Counted(len(x.declared), "declaration")
	}
	return text + ", " + answer.Counted(x.allTests, "test") + "."
}

// Tell writes the paths, the declarations with their code, and the tests.
func (x *exploration) Tell(s *answer.Sheet) {
	b := x.body()
	for i, steps := range b.Paths {
		s.Line(0, "Path %d, from %s to %s", i+1, x.paths[i].from, x.paths[i].to)
		for _, step := range steps {
			s.Line(1, "%s", step)
		}
	}
	for _, gap := range b.NoPath {
		s.Line(0, "No path: %s", gap)
	}
	for _, d := range b.Declarations {
		head := d.Declaration
		if d.Asked != "" && !strings.HasSuffix(d.Declaration, d.Asked) {
			head += " (" + d.Asked + ")"
		}
		s.Line(0, "%s", head)
		s.Block(d.Body)
	}
	if len(b.Tests) > 0 {
		s.Line(0, "Tests (%d)", x.allTests)
		for _, t := range b.Tests {
			s.Line(1, "%s", t)
		}
		s.List(1, "more", b.MoreTests)
	}
	if m := b.Matches; m != nil {
		s.List(0, "no declaration has a name with", m.Without)
		s.List(0, fmt.Sprintf("of %d matches also", m.Total), m.Others)
	}
}
