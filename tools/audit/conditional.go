package audit

import (
	"context"
	"slices"
	"time"

	"lspi/contract"
	"lspi/lsp"
)

// Conditional is a source with words in code that a condition of C's preprocessor may leave out.
type Conditional struct {
	Path string
	uses []contract.Position // the places of the words
}

// keepUses returns the sources without the places that an answer covers, and without those that have no
// place left. all does not change: its slices may be kept for another question.
func keepUses(all []Conditional, covered func(string, contract.Position) bool) (out []Conditional) {
	for _, f := range all {
		f.uses = slices.DeleteFunc(slices.Clone(f.uses), func(at contract.Position) bool { return covered(f.Path, at) })
		if len(f.uses) > 0 {
			out = append(out, f)
		}
	}
	return out
}

// The bounds of what is asked about code between conditions for one answer: files that are opened, with the time
// for that, and places that the server builds. Files that are open already cost little.
const (
	maxOpenedForInactive = 12
	openForInactiveLimit = 10 * time.Second
	maxActiveSeen        = 20
)

// notBuilt are those of the places that lie in code that the server leaves out of its build, and those of which it
// did not tell. Of a file that was not open its index may be of a time when a header did not define yet what the
// condition is about. same may be nil; see [WarnInactive].
func notBuilt(ctx context.Context, conditions *lsp.ConditionHooks, all []Conditional,
	same func(string, contract.Position) bool) (left, unknown []Conditional) {
	// Half of what the call has left stays for the questions that come behind this one.
	limit := openForInactiveLimit
	if deadline, ok := ctx.Deadline(); ok {
		limit = min(limit, time.Until(deadline)/2)
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	// Which files are opened for this: a file beyond the bound is not asked about, so it ends among the unknown ones.
	var ask []string
	opened := map[string]bool{}
	for _, f := range all {
		if !conditions.KnowsInactive(f.Path) {
			if len(opened) == maxOpenedForInactive {
				continue
			}
			opened[f.Path] = true
		}
		ask = append(ask, f.Path)
	}
	told := conditions.InactiveIn(ctx, ask)
	asked := 0
	for _, f := range all {
		ranges, known := told[f.Path]
		if !known {
			unknown = append(unknown, f)
			continue
		}
		left = append(left, keepUses([]Conditional{f}, func(path string, at contract.Position) bool {
			// Left out of the build: the server cannot have this place in any answer. Ranges count by whole lines.
			if slices.ContainsFunc(ranges, func(r contract.Range) bool {
				return r.Start.Line <= at.Line && at.Line <= r.End.Line
			}) {
				return false
			}
			// The code is built and the file was open when the server answered: a use there would be in the answer.
			if same == nil || !opened[path] {
				return true
			}
			// The file was opened only now, so the answer came from an index that may be older. The server is asked
			// whether this place is the symbol; places beyond the bound count as missing.
			asked++
			return asked <= maxActiveSeen && !same(path, at)
		})...)
	}
	return left, unknown
}
