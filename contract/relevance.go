package contract

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// MaxWarnings is how many of the warnings about what an answer lacks are shown; [Shown] counts the rest.
const MaxWarnings = 3

// always are the kinds that are shown however many there are: those that say what was answered about, what a change does
// to files, and what to put right in lspi itself.
var always = []WarningKind{
	WarnPositionAdjusted, WarnLineAdjusted, WarnConfig, WarnOutsideWorkspace, WarnReadOnlyFiles, WarnHardLinks, WarnNeedsConfirmation,
	WarnInComments, WarnGeneratedFiles, WarnSymbolicLinks, WarnOddLineEnds, WarnChangedSince, WarnKept, WarnEditRecovered,
	WarnEditUnfinished, WarnUsesLeft, WarnDynamicUses, WarnNotCompared, WarnCommandNotRun,
}

// weight orders the kinds that limit an answer, by how much of it they may take. A kind that is not named stands last.
var weight = []WarningKind{
	WarnTimeLimit, WarnServerFailed, WarnLoadFailed, WarnUnreadableFiles, WarnNotCompiled, WarnProjectBroken, WarnIndexing, WarnSyncIncomplete, WarnServerUnhealthy, WarnNoCompilationDatabase,
	WarnNoProjectFile, WarnUnresolved, WarnDependenciesMissing, WarnLinkedProjects, WarnUnlistedSources, WarnPartFailed,
	WarnTruncated, WarnServerLimit, WarnNotOpened, WarnStaleDropped, WarnFileSkipped, WarnCoverageOpenFilesOnly,
}

// Shown are the warnings that an answer shows, the most relevant first: those that make it partial before those that make it
// unknown and those that only inform, and among equals those about which a step of the answer does something. Beyond
// [MaxWarnings] the kinds are counted in a last warning. What the others do to completeness stays.
func Shown(all []Warning) []Warning {
	ordered := slices.Clone(all)
	slices.SortStableFunc(ordered, func(a, b Warning) int {
		return cmp.Or(cmp.Compare(severity(a), severity(b)), cmp.Compare(stepless(a), stepless(b)), cmp.Compare(weightOf(a), weightOf(b)))
	})
	var out []Warning
	var kinds []string
	limited, more := 0, 0
	for _, w := range ordered {
		if !slices.Contains(always, w.Kind) {
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

// severity orders by what a warning does to completeness.
func severity(w Warning) int {
	switch w.Kind.Effect() {
	case Partial:
		return 0
	case Unknown:
		return 1
	}
	return 2
}

func stepless(w Warning) int {
	if w.Step {
		return 0
	}
	return 1
}

func weightOf(w Warning) int {
	if i := slices.Index(weight, w.Kind); i >= 0 {
		return i
	}
	return len(weight)
}
