package contract

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// MaxWarnings is how many warnings about what an answer lacks are shown; [Shown] counts the rest.
const MaxWarnings = 3

// Shown returns the warnings that an answer shows, the most relevant first: those that make it partial, then those
// that make its completeness unknown, then those that only inform; among equals first those that a next step is
// about. Beyond [MaxWarnings] it counts the kinds in a last warning. The warnings that are not shown still lower
// completeness.
func Shown(all []Warning) []Warning {
	ordered := slices.Clone(all)
	slices.SortStableFunc(ordered, func(a, b Warning) int {
		return cmp.Or(cmp.Compare(severity(a), severity(b)), cmp.Compare(stepRank(a), stepRank(b)),
			cmp.Compare(weightOf(a), weightOf(b)))
	})
	var out []Warning
	var kinds []string
	limited, more := 0, 0
	for _, w := range ordered {
		if !alwaysShown(w) {
			if limited++; limited > MaxWarnings {
				more++
				if !slices.Contains(kinds, string(w.Kind)) {
					kinds = append(kinds, string(w.Kind))
				}
				continue
			}
		}
		out = append(out, w)
	}
	if more > 0 {
		message := fmt.Sprintf("%d more warnings: %s", more, strings.Join(kinds, ", "))
		if more == 1 {
			message = "1 more warning: " + kinds[0]
		}
		out = append(out, Warning{Kind: WarnMore, Facts: Facts{"total": more, "kinds": kinds}, Message: message})
	}
	return out
}

// severity ranks warnings by what they do to completeness.
func severity(w Warning) int {
	switch w.Kind.Effect() {
	case Partial:
		return 0
	case Unknown:
		return 1
	}
	return 2
}

// stepRank ranks warnings that a next step is about before others.
func stepRank(w Warning) int {
	if w.Step {
		return 0
	}
	return 1
}

// weightOf ranks warnings by the row of their kind in warningTable; a kind without a row comes last.
func weightOf(w Warning) int {
	if i, ok := warningRows[w.Kind]; ok {
		return i
	}
	return len(warningTable)
}

func alwaysShown(w Warning) bool {
	i, ok := warningRows[w.Kind]
	return ok && warningTable[i].Always
}
