package tests

import (
	"fmt"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/tools/answer"
)

// The bounds of what is told of tests: files with the names of theirs, names of one file, places at which a file that
// is loaded reaches a change, and declarations that are named of what was not followed.
const (
	maxFiles      = 80
	maxNames      = 60
	maxAtLoad     = 10
	maxNotReached = 10
)

// Join returns the tests of several declarations, each once, the nearest first.
func Join(all []Found) (out []Test) {
	seen := map[string]bool{}
	for _, f := range all {
		for _, t := range f.Tests {
			if key := t.Path + "\x00" + t.Name(); !seen[key] {
				seen[key] = true
				out = append(out, t)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Test) int { return a.Away - b.Away })
	return out
}

// ByFile returns a line for each file with tests: its path, then their names.
func ByFile(c *answer.Call, all []Test) []string {
	out := []string{}
	files, tests := by(all, func(t Test) string { return c.Show(t.Path) })
	for n, file := range files {
		if n == maxFiles {
			return append(out, fmt.Sprintf("… %d more files", len(files)-n))
		}
		var names []string
		for _, t := range tests[file] {
			names = append(names, t.Name())
		}
		out = append(out, file+" "+strings.Join(some(names, maxNames), ", "))
	}
	return out
}

// AtLoad are the places of several declarations that run when their file is loaded.
func AtLoad(all []Found) (out []string) {
	for _, f := range all {
		out = append(out, f.AtLoad...)
	}
	slices.Sort(out)
	return some(slices.Compact(out), maxAtLoad)
}

// some returns the first of a list, and how many there are beyond these.
func some(all []string, most int) []string {
	if len(all) <= most {
		return all
	}
	return append(all[:most:most], fmt.Sprintf("… %d more", len(all)-most))
}

// Warn warns where tests may be missing among those that the search has found: declarations on the way whose uses were
// not asked for, and uses that the servers may not know.
func (f *Search) Warn(all []Found) {
	var left []string
	for _, found := range all {
		left = append(left, found.Left...)
	}
	slices.Sort(left)
	if left = slices.Compact(left); len(left) > 0 {
		f.c.Warn(contract.WarnPartFailed, contract.Facts{"part": "tests", "total": len(left)},
			fmt.Sprintf("tests may be missing: the uses of %s on the way were not followed (%s)",
				answer.Counted(len(left), "declaration"), strings.Join(some(left, maxNotReached), ", ")))
	}
	if f.on.Claim() == contract.Complete {
		return
	}
	for _, w := range f.on.WarningsThat(func(k contract.WarningKind) bool { return k.Effect() != contract.Complete }) {
		f.c.Warn(contract.WarnPartFailed, contract.Facts{"part": "tests", "reason": string(w.Kind)},
			"tests may be missing: of what lies between them and the change, "+w.Message)
		return // the first says enough: what the others lack is of the same call
	}
}
