package explore

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"lspi/contract"
	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/symbol"
)

// The bounds of the search for tests: declarations whose uses are asked for, levels of callers and questions about
// these for one declaration, direct uses behind which no callers are asked for, the
// time, tests that are shown, and files of others that are.
const (
	maxTestedEnds    = 8
	maxTestLevels    = 4
	maxTestRequests  = 60
	enoughDirectUses = 3
	testTime         = 10 * time.Second
	maxShownTests    = 12
	maxMoreTestFiles = 6
)

// testUses are what one test function uses.
type testUses struct {
	test string   // its file and name
	uses []string // "Total @14"
	by   []string // what it reaches by calls of others: "Total in 2 calls"
}

// findTests finds the functions in tests that use the declarations, and where few do, those that reach them by calls.
func (x *Page) findTests(ctx context.Context, g *callGraph, until time.Time) error {
	if limit := time.Now().Add(testTime); limit.Before(until) {
		until = limit
	}
	var found []*testUses
	of := func(test string) *testUses {
		i := slices.IndexFunc(found, func(t *testUses) bool { return t.test == test })
		if i < 0 {
			i, found = len(found), append(found, &testUses{test: test})
		}
		return found[i]
	}
	left := 0
	for n, e := range x.ends {
		if e.tests {
			continue
		}
		if n >= maxTestedEnds || !time.Now().Before(until) && n > 0 {
			left++
			continue
		}
		direct, err := x.directTests(ctx, g, e, of)
		if err != nil {
			return err
		}
		if direct < enoughDirectUses && len(e.items) > 0 && !symbol.IsTypeKind(e.kind) {
			if err := x.reachingTests(ctx, g, e, until, of); err != nil {
				return err
			}
		}
	}
	if left > 0 {
		x.c.Warn(contract.WarnPartFailed, contract.Facts{"part": "tests", "total": len(x.ends),
			"returned": len(x.ends) - left}, fmt.Sprintf("tests of %s were not looked for",
			answer.Counted(left, "declaration")))
	}
	slices.SortStableFunc(found, func(a, b *testUses) int { return x.weight(b) - x.weight(a) })
	for _, t := range found[:min(len(found), maxShownTests)] {
		x.tests = append(x.tests, t.shown())
	}
	x.moreTests = more(found[min(len(found), maxShownTests):])
	x.allTests = len(found)
	return nil
}

// weight orders tests: those of several declarations first, then those beside one of them.
func (x *Page) weight(t *testUses) int {
	n := 2 * (len(t.uses) + len(t.by))
	if slices.ContainsFunc(x.ends, func(e *end) bool {
		return filepath.Dir(x.c.Show(e.at.Path)) == filepath.Dir(t.file())
	}) {
		n++
	}
	return n
}

// file returns the file of a test.
func (t *testUses) file() string {
	file, _, _ := strings.Cut(t.test, " ")
	return file
}

// more counts tests by file.
func more(tests []*testUses) (out []string) {
	counts := map[string]int{}
	for _, t := range tests {
		counts[t.file()]++
	}
	for _, file := range slices.Sorted(maps.Keys(counts)) {
		out = append(out, fmt.Sprintf("%s %d", file, counts[file]))
	}
	slices.SortStableFunc(out, func(a, b string) int {
		return counts[strings.Fields(b)[0]] - counts[strings.Fields(a)[0]]
	})
	if len(out) > maxMoreTestFiles {
		out = append(out[:maxMoreTestFiles], fmt.Sprintf("… %d more files", len(counts)-maxMoreTestFiles))
	}
	return out
}

// shown returns a test with what it uses.
func (t *testUses) shown() string {
	var parts []string
	if len(t.uses) > 0 {
		parts = append(parts, "uses "+strings.Join(t.uses, ", "))
	}
	if len(t.by) > 0 {
		parts = append(parts, "reaches "+strings.Join(t.by, ", "))
	}
	return t.test + " " + strings.Join(parts, ", ")
}

// directTests adds the tests that use a declaration, by its references, and returns how many there are.
func (x *Page) directTests(ctx context.Context, g *callGraph, e *end, of func(string) *testUses) (int,
	error) {
	if !g.s.Offers(lsp.MethodReferences) {
		return 0, contract.Errorf(contract.KindRequestUnsupported,
			contract.Facts{"server_id": g.s.ID(), "method": lsp.MethodReferences}, "%s does not offer %s", g.s.ID(),
			lsp.MethodReferences)
	}
	n := x.c.Nested(x.c.Tool, x.c.Request)
	n.ClaimComplete()
	places, err := x.tools.References(ctx, n, g.s, e.at, false)
	if err != nil {
		return 0, err
	}
	for _, w := range n.Warnings() {
		if x.aboutTests(w) {
			x.c.AddWarning(w)
		}
	}
	direct := 0
	for _, p := range answer.SortPlaces(places, "") {
		if p.Err != nil || p.Gone {
			continue
		}
		test := x.tools.TestAt(ctx, x.c, g.s, x.c.Show(p.Path), p.Range.Start.Line)
		if test == "" || test == x.c.Show(p.Path) { // an import
			continue
		}
		t := of(test)
		if !slices.ContainsFunc(t.uses, func(have string) bool { return strings.HasPrefix(have, e.name+" @") }) {
			t.uses, direct = append(t.uses, fmt.Sprintf("%s @%d", e.name, p.Range.Start.Line)), direct+1
		}
	}
	return direct, nil
}

// aboutTests reports whether a warning about the uses of a declaration may be about uses in tests. One that names all
// of its files, and no test among them, is not.
func (x *Page) aboutTests(w contract.Warning) bool {
	if w.Kind == contract.WarnMentions {
		return false
	}
	var facts struct {
		Total int `json:"total"`
		Files []struct {
			FilePath string `json:"file_path"`
			Count    int    `json:"count"`
		} `json:"files"`
	}
	raw, err := contract.Marshal(w.Facts)
	if w.Kind != contract.WarnUnexplained || err != nil || json.Unmarshal(raw, &facts) != nil {
		return true
	}
	for _, f := range facts.Files {
		if facts.Total -= f.Count; x.tools.IsTestFile(f.FilePath) {
			return true
		}
	}
	return facts.Total > 0
}

// reachingTests adds the tests that reach a function by calls of other functions, as far as the bounds let it.
func (x *Page) reachingTests(ctx context.Context, g *callGraph, e *end, until time.Time,
	of func(string) *testUses) error {
	seen := map[string]bool{}
	var level []string
	for _, i := range e.items {
		node := g.add(i)
		seen[node], level = true, append(level, node)
	}
	asked := 0
	for calls := 1; calls <= maxTestLevels && len(level) > 0 && time.Now().Before(until); calls++ {
		var next []string
		for _, node := range level {
			if asked++; asked > maxTestRequests {
				return nil
			}
			callers, err := g.Callers(ctx, node)
			if err != nil && g.Final(err) {
				return err
			}
			for _, caller := range callers {
				if !seen[caller] {
					seen[caller], next = true, append(next, caller)
				}
			}
			for _, call := range g.testCallers(node) {
				x.reached(ctx, g, e, call.Item, calls, of)
			}
		}
		level = next
	}
	return nil
}

// reached adds a test that reaches a function by a number of calls, unless it uses it itself.
func (x *Page) reached(ctx context.Context, g *callGraph, e *end, item lsp.HierarchyItem, calls int,
	of func(string) *testUses) {
	name := x.tools.TestAt(ctx, x.c, g.s, x.c.Show(item.Place.Path), item.Place.Range.Start.Line)
	if name == "" || calls == 1 {
		return
	}
	t := of(name)
	for _, have := range slices.Concat(t.uses, t.by) {
		if strings.HasPrefix(have, e.name+" ") {
			return
		}
	}
	t.by = append(t.by, fmt.Sprintf("%s in %d calls", e.name, calls))
}

// testCallers returns the callers of a node in tests, as far as they were asked for.
func (g *callGraph) testCallers(node string) []lsp.Call {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.tests[node])
}
