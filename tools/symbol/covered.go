package symbol

import (
	"slices"
	"sort"

	"lspi/contract"
	"lspi/lsp"
)

// CoveredBy returns whether a position lies in one of places. One question costs the logarithm of their
// number: one line of a generated file may hold a hundred thousand of them, and be asked about as
// often. The end of a range counts as inside.
func CoveredBy(places []lsp.Place) func(path string, at contract.Position) bool {
	ranges := map[string][]contract.Range{}
	for _, p := range places {
		ranges[p.Path] = append(ranges[p.Path], p.Range)
	}
	for _, of := range ranges {
		slices.SortFunc(of, func(a, b contract.Range) int {
			switch {
			case a.Start.Before(b.Start):
				return -1
			case b.Start.Before(a.Start):
				return 1
			}
			return 0
		})
		// Ranges may overlap or lie in each other. Raising each end to the highest one before it makes the ends
		// grow with the beginnings, so that the last range that begins at or before a position lies around it
		// whenever any range does.
		for i := 1; i < len(of); i++ { // each ends where the last of those that begin before it does
			if of[i].End.Before(of[i-1].End) {
				of[i].End = of[i-1].End
			}
		}
	}
	return func(path string, at contract.Position) bool {
		of := ranges[path]
		// after is the first range that begins behind the position.
		after := sort.Search(len(of), func(i int) bool { return at.Before(of[i].Start) })
		return after > 0 && !of[after-1].End.Before(at)
	}
}
