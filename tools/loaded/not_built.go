package loaded

import (
	"context"
	"slices"
	"time"

	"lspi/contract"
	"lspi/lsp"
)

// The bounds of the question which code is not built, for one answer: files that are opened, and the time for that.
// Files that are open already cost little.
const (
	maxOpened     = 12
	notBuiltLimit = 10 * time.Second
)

// NotBuilt returns those of places that lie in code that the server leaves out of its build, and those of which it did
// not tell.
func NotBuilt(ctx context.Context, s *lsp.Snapshot, places []lsp.Place) (left, unknown []lsp.Place) {
	conditions := s.Hooks().Conditions
	if conditions == nil || len(places) == 0 {
		return nil, nil
	}
	// Half of what the call has left stays for the questions that come behind this one.
	ctx, cancel := within(ctx, notBuiltLimit, 0.5)
	defer cancel()
	// A file beyond the bound is not asked about, so that it ends among the unknown ones.
	var ask []string
	opened := 0
	for _, p := range places {
		if slices.Contains(ask, p.Path) {
			continue
		}
		if !conditions.KnowsInactive(p.Path) {
			if opened == maxOpened {
				continue
			}
			opened++
		}
		ask = append(ask, p.Path)
	}
	told := conditions.InactiveIn(ctx, ask)
	for _, p := range places {
		ranges, known := told[p.Path]
		switch {
		case !known:
			unknown = append(unknown, p)
		// Ranges count by whole lines.
		case slices.ContainsFunc(ranges, func(r contract.Range) bool {
			return r.Start.Line <= p.Range.Start.Line && p.Range.Start.Line <= r.End.Line
		}):
			left = append(left, p)
		}
	}
	return left, unknown
}
