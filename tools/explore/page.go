package explore

import (
	"fmt"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/tools/answer"
)

// cutTo says how much of an exploration is shown.
type cutTo struct {
	few   bool // less code of each declaration
	paths int
	heads int
	tests int
	code  int // lines, of the declarations in the order of their weights
}

// whole is the cut that leaves out nothing.
func (x *Page) whole() cutTo {
	cut := cutTo{few: x.cut.few, paths: len(x.paths), heads: len(x.declared), tests: len(x.tests)}
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
func (x *Page) Size() int {
	cut := x.whole()
	return cut.paths + cut.heads + cut.tests + cut.code
}

// Cut keeps n items: paths first, then which declarations there are, tests, and code, that of declarations on paths
// first.
func (x *Page) Cut(n int) any {
	less := *x
	all := x.whole()
	take := func(of int) int {
		took := min(n, of)
		n -= took
		return took
	}
	less.cut = cutTo{few: x.cut.few, paths: take(all.paths), heads: take(all.heads), tests: take(all.tests),
		code: take(all.code)}
	return &less
}

// ShedSnippets shortens the code of each declaration.
func (x *Page) ShedSnippets() bool {
	had := !x.cut.few
	x.cut.few = true
	return had
}

// Steps lead to what a cut left out.
func (x *Page) Steps(c *answer.Call, _ int) []contract.NextStep {
	return []contract.NextStep{c.WithRoom("Ask again with more room, or read the lines of the declarations.", 4*c.Limit())}
}

// Declaration is a declaration as the answer has it.
type Declaration struct {
	Declaration string `json:"declaration"`
	Asked       string `json:"asked,omitempty"`
	Body        string `json:"body,omitempty"`
}

// Matches are what the answer says of a question.
type Matches struct {
	Total   int      `json:"total"`
	Without []string `json:"without,omitempty"`
	Others  []string `json:"others,omitempty"`
}

// body is the answer in JSON.
type body struct {
	Paths        [][]string    `json:"paths"`
	NoPath       []string      `json:"no_path,omitempty"`
	Declarations []Declaration `json:"declarations"`
	Tests        []string      `json:"tests"`
	MoreTests    []string      `json:"more_tests,omitempty"`
	TestsBounded bool          `json:"tests_bounded,omitempty"`
	Matches      *Matches      `json:"matches,omitempty"`
}

// shownCode returns the code of each declaration that the cut leaves: by weight, in their order.
func (x *Page) shownCode() [][]codeLine {
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
func (x *Page) body() body {
	b := body{Paths: [][]string{}, NoPath: x.gaps, Declarations: []Declaration{},
		Tests: append([]string{}, x.tests[:x.cut.tests]...), MoreTests: x.moreTests,
		TestsBounded: x.testsBounded}
	for _, p := range x.paths[:x.cut.paths] {
		b.Paths = append(b.Paths, p.steps)
	}
	code := x.shownCode()
	for i, d := range x.declared[:x.cut.heads] {
		var lines []string
		for _, l := range code[i] {
			lines = append(lines, l.String())
		}
		b.Declarations = append(b.Declarations, Declaration{d.head, d.asked, strings.Join(lines, "\n")})
	}
	if x.words != nil {
		b.Matches = &Matches{x.words.total, x.words.without, x.words.others}
	}
	return b
}

// MarshalJSON writes what is shown.
func (x Page) MarshalJSON() ([]byte, error) { return contract.Marshal(x.body()) }

// Summary counts the parts.
func (x *Page) Summary() string {
	text := answer.Counted(len(x.declared), "declaration") + ", " + answer.Counted(len(x.paths), "call path")
	if len(x.ends) < 2 {
		text = answer.Counted(len(x.declared), "declaration")
	}
	return text + ", " + answer.Counted(x.allTests, "test") + "."
}

// Tell writes the paths, the declarations with their code, and the tests.
func (x *Page) Tell(s *answer.Sheet) {
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
	switch {
	case b.TestsBounded:
		s.Line(0, "Tests (%d); others may reach these by more uses than were followed", x.allTests)
	case len(b.Tests) > 0:
		s.Line(0, "Tests (%d)", x.allTests)
	}
	if len(b.Tests) > 0 {
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
