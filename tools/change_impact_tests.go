package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"lspi/contract"
	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/ask"
	"lspi/tools/symbol"
	"lspi/tools/tests"
)

// The bounds of what is told of tests: files with the names of theirs, names of one file, places at which a file that
// is loaded reaches a change, and declarations that are named of what was not followed.
const (
	maxTestFiles  = 80
	maxTestNames  = 60
	maxAtLoad     = 10
	maxNotReached = 10
)

// findTests looks for the tests that reach the changed declarations, over any number of uses. It is a pass of its own,
// behind the direct uses of all declarations, in the half of the call's time that these left.
func (i *impactSearch) findTests(ctx context.Context) error {
	until := time.Now().Add(20 * time.Second)
	if deadline, ok := ctx.Deadline(); ok {
		until = time.Now().Add(time.Until(deadline) * 3 / 4)
	}
	search := tests.NewSearch(i.c, searchedUses, until)
	changed := i.out.Changed
	for from, to := 0, 0; from < len(changed); from = to {
		path := changed[from].at.Path
		for to = from; to < len(changed) && changed[to].at.Path == path; to++ {
		}
		group := changed[from:to]
		err := ask.File(ctx, i.c, path, lsp.MethodReferences, func(ctx context.Context, s *lsp.Snapshot) (err error) {
			for n := range group {
				if group[n].found, err = search.Of(ctx, s, group[n].at, group[n].places); err != nil {
					search = tests.NewSearch(i.c, searchedUses, until) // what it has asked may be of a server that ended
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	i.tellNotReached(search)
	return nil
}

// searchedUses are the uses of a declaration on the way to tests.
func searchedUses(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located) ([]lsp.Place, error) {
	return allReferences(ctx, c, s, at, false)
}

// tellNotReached warns where tests may be missing: declarations on the way whose uses were not asked for, and uses that
// the servers may not know.
func (i *impactSearch) tellNotReached(search *tests.Search) {
	var left []string
	for _, d := range i.out.Changed {
		for _, name := range d.found.Left {
			if !slices.Contains(left, name) {
				left = append(left, name)
			}
		}
	}
	if len(left) > 0 {
		slices.Sort(left)
		i.c.Warn(contract.WarnPartFailed, contract.Facts{"part": "tests", "total": len(left)},
			fmt.Sprintf("tests may be missing: the uses of %s on the way were not followed (%s)",
				answer.Counted(len(left), "declaration"), strings.Join(left[:min(len(left), maxNotReached)], ", ")))
	}
	if doubts := search.Doubts(); len(doubts) > 0 {
		i.c.Warn(contract.WarnPartFailed, contract.Facts{"part": "tests", "reason": string(doubts[0].Kind)},
			"tests may be missing: of what lies between them and the change, "+doubts[0].Message)
	}
}

// allTests returns the tests of the declarations that are shown, each once, the nearest first.
func (o *changeImpactOut) allTests() (out []tests.Test) {
	seen := map[string]bool{}
	for _, d := range o.Changed {
		for _, t := range d.found.Tests {
			if key := t.Path + "\x00" + t.Name(); !seen[key] {
				seen[key] = true
				out = append(out, t)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b tests.Test) int { return a.Away - b.Away })
	return out
}

// countTests counts the tests that reach a declaration, and those that use one directly.
func (o *changeImpactOut) countTests() (count, direct int) {
	for _, t := range o.allTests() {
		if count++; t.Away <= 1 {
			direct++
		}
	}
	return count, direct
}

// showTests fills in the tests by file, the commands that run them, and the declarations without any.
func (o *changeImpactOut) showTests() {
	all := o.allTests()
	var files []string
	names := map[string][]string{}
	for _, t := range all {
		file := o.c.Show(t.Path)
		if names[file] == nil {
			files = append(files, file)
		}
		names[file] = append(names[file], t.Name())
	}
	for n, file := range files {
		if n == maxTestFiles {
			o.Tests = append(o.Tests, fmt.Sprintf("… %d more files", len(files)-n))
			break
		}
		shown := strings.Join(names[file][:min(len(names[file]), maxTestNames)], ", ")
		if more := len(names[file]) - maxTestNames; more > 0 {
			shown += fmt.Sprintf(", … %d more", more)
		}
		o.Tests = append(o.Tests, file+" "+shown)
	}
	o.Commands = nil
	if len(all) > 0 {
		o.Commands = tests.Commands(o.c.Workspace, all)
	}
	o.Untested, o.AtLoad = nil, nil
	for _, d := range o.Changed {
		if len(d.found.Tests) == 0 {
			o.Untested = append(o.Untested, d.Declaration)
		}
		for _, at := range d.found.AtLoad {
			if !slices.Contains(o.AtLoad, at) {
				o.AtLoad = append(o.AtLoad, at)
			}
		}
	}
	if more := len(o.AtLoad) - maxAtLoad; more > 0 {
		o.AtLoad = append(o.AtLoad[:maxAtLoad:maxAtLoad], fmt.Sprintf("… %d more", more))
	}
}
