package explore

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"lspi/contract"
	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/tests"
)

// The bounds of the search for tests: declarations whose tests are looked for, uses that may lie between one and a
// test, tests of one behind which no others are looked for, declarations on the way to them, the time, tests that are
// shown, and files of others that are.
const (
	maxTestedEnds    = 8
	maxTestedUses    = 5
	enoughTests      = 3
	maxTestedAsked   = 100
	testTime         = 6 * time.Second
	maxShownTests    = 12
	maxMoreTestFiles = 6
)

// testUses are the declarations that one test reaches.
type testUses struct {
	tests.Test
	uses []string // directly
	by   []string // by what they are used by: "Total by 2 uses"
}

// findTests finds the tests that reach the declarations, the nearest ones.
func (x *Page) findTests(ctx context.Context, g *callGraph, until time.Time) error {
	if !g.s.Offers(lsp.MethodReferences) {
		return contract.Errorf(contract.KindRequestUnsupported,
			contract.Facts{"server_id": g.s.ID(), "method": lsp.MethodReferences}, "%s does not offer %s", g.s.ID(),
			lsp.MethodReferences)
	}
	if limit := time.Now().Add(testTime); limit.Before(until) {
		until = limit
	}
	search := tests.NewSearch(x.c, x.tools.Uses, until)
	var found []*testUses
	var all []tests.Found
	tested := x.tested()
	if ends := min(len(tested), maxTestedEnds); ends > 0 {
		search.Nearest(maxTestedUses, enoughTests, maxTestedAsked/ends)
	}
	for n, e := range tested {
		if n >= maxTestedEnds || !time.Now().Before(until) && n > 0 {
			all = append(all, tests.Found{Left: []string{e.name}})
			continue
		}
		// One that is used a thousand times leaves time for the others.
		search.Until(time.Now().Add(time.Until(until) / time.Duration(min(len(tested), maxTestedEnds)-n)))
		// No deadline, of which the searches behind the question would take their parts.
		within, cancel := context.WithCancel(ctx)
		timer := time.AfterFunc(testTime, cancel)
		of, err := search.Of(within, g.s, e.at)
		late := within.Err() != nil && ctx.Err() == nil
		timer.Stop()
		cancel()
		switch {
		case late:
			of.Left = append(of.Left, e.name)
		case err != nil:
			return err
		}
		all = append(all, of)
		x.testsBounded = x.testsBounded || of.Bounded
		for _, t := range of.Tests {
			i := slices.IndexFunc(found, func(had *testUses) bool { return had.Is(t) })
			if i < 0 {
				i, found = len(found), append(found, &testUses{Test: t})
			}
			found[i].add(e.name, t.Away)
		}
	}
	search.Warn(all)
	slices.SortStableFunc(found, func(a, b *testUses) int { return x.weight(b) - x.weight(a) })
	for _, t := range found[:min(len(found), maxShownTests)] {
		x.tests = append(x.tests, t.shown(x.c))
	}
	x.moreTests = x.more(found[min(len(found), maxShownTests):])
	x.allTests = len(found)
	return nil
}

// add notes a declaration that the test reaches.
func (t *testUses) add(name string, away int) {
	if away < 2 {
		t.uses = append(t.uses, name)
	} else {
		t.by = append(t.by, fmt.Sprintf("%s by %d uses", name, away))
	}
}

// tested are the declarations whose tests are looked for: all that were named, and of those that words of a question
// led to the ones that a path begins or ends with, or the best two where there is none.
func (x *Page) tested() (out []*end) {
	var best []*end
	for _, e := range x.ends {
		switch {
		case e.tests:
		case !e.chosen, slices.ContainsFunc(x.paths, func(p shownPath) bool {
			return x.endOf(p.nodes[0]) == e || x.endOf(p.nodes[len(p.nodes)-1]) == e
		}):
			out = append(out, e)
		case len(best) < 2:
			best = append(best, e)
		}
	}
	if len(out) == 0 {
		return best
	}
	return out
}

// weight orders tests: those of several declarations first, then those beside one of them.
func (x *Page) weight(t *testUses) int {
	n := 2 * (len(t.uses) + len(t.by))
	if slices.ContainsFunc(x.ends, func(e *end) bool { return filepath.Dir(e.at.Path) == filepath.Dir(t.Path) }) {
		n++
	}
	return n
}

// more counts tests by file.
func (x *Page) more(tests []*testUses) (out []string) {
	counts := map[string]int{}
	for _, t := range tests {
		counts[x.c.Show(t.Path)]++
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
func (t *testUses) shown(c *answer.Call) string {
	var parts []string
	if len(t.uses) > 0 {
		parts = append(parts, "uses "+strings.Join(t.uses, ", "))
	}
	if len(t.by) > 0 {
		parts = append(parts, "reaches "+strings.Join(t.by, ", "))
	}
	return fmt.Sprintf("%s:%d %s %s", c.Show(t.Path), t.Range.Start.Line, t.Name(), strings.Join(parts, ", "))
}
