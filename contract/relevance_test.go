package contract

import (
	"fmt"
	"testing"
)

func TestMostRelevantWarningsAreShown(t *testing.T) {
	all := []Warning{
		{Kind: WarnClamped}, {Kind: WarnNeedsConfirmation}, {Kind: WarnServerMatching}, {Kind: WarnUnlistedSources},
		{Kind: WarnTruncated, Step: true}, {Kind: WarnIndexing},
		{Kind: WarnUnlistedSources, Message: "of another server"},
	}
	var kinds []WarningKind
	shown := Shown(all)
	for _, w := range shown {
		kinds = append(kinds, w.Kind)
	}
	if got, want := fmt.Sprint(kinds),
		"[truncated indexing unlisted_sources needs_confirmation more_warnings]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	last := shown[len(shown)-1]
	if got, want := fmt.Sprintln(last.Facts["total"], last.Facts["kinds"], last.Message),
		"3 [unlisted_sources server_matching clamped] 3 more warnings: unlisted_sources, server_matching, clamped\n"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	one := Shown(all[3:])
	if got, want := one[len(one)-1].Message, "1 more warning: unlisted_sources"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if few := Shown(all[:3]); len(few) != 3 || few[0].Kind != WarnServerMatching {
		t.Errorf("%v", few)
	}
}

// That code of the workspace did not run is the reason for many of the other limits, and stays among those that are
// shown; an edit that is half done comes before all.
func TestCausesComeBeforeWhatTheyLimit(t *testing.T) {
	shown := Shown([]Warning{{Kind: WarnUnlistedSources}, {Kind: WarnNotCompiled}, {Kind: WarnUnresolved},
		{Kind: WarnRestricted}, {Kind: WarnUsesLeft},
		{Kind: WarnEditUnfinished}})
	var kinds []WarningKind
	for _, w := range shown {
		kinds = append(kinds, w.Kind)
	}
	if got, want := fmt.Sprint(kinds),
		"[edit_unfinished uses_left restricted not_compiled unresolved_name more_warnings]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
