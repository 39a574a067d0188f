package tools

import (
	"fmt"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/lsp/edit"
	"lspi/tools/answer"
	"lspi/tools/edits"
	"lspi/tools/session"
)

// Interrupted answers a call that changes files ([Edits]) when the process that served it has ended. o
// is what the journal tells of it ([edit.Writer.Outcome]), err why nobody can tell. For a call that
// only reads, and could not be repeated, o is the zero value.
func Interrupted(r answer.Request, o edit.CallOutcome, err error) Result {
	r.Tool, r.Arguments, _ = today(r.Tool, r.Arguments)
	// Without a session: the process that had it is gone, and nothing is asked here.
	c := answer.NewCall(session.Unopened(session.Settings{}, nil), known{}, r)
	tool, unknown := Lookup(r.Tool)
	if unknown != nil {
		return errorResult(c, unknown)
	}
	c.Tool = tool
	switch {
	case err != nil:
		return errorResult(c, contract.Errorf(contract.KindCallInterrupted,
			contract.Facts{"changed": "unknown", "reason": answer.AsError(err).Message},
			"lspi's process ended during this call, and lspi cannot tell whether the edit was made: %w", err))
	case o.State == edit.CallApplied:
		if tool.Asks {
			c.ClaimComplete()
		}
		return finish(c, afterRestart(c, o), nil)
	case o.State == edit.CallMixed:
		return errorResult(c, halfUndone(c, o))
	}
	return errorResult(c, nothingChanged(c, o))
}

// interruptedOut is an edit that was made, and whose process ended before it answered.
type interruptedOut struct{ edits.ChangeOut }

// MarshalJSON writes the fields that any applied edit has.
func (o interruptedOut) MarshalJSON() ([]byte, error) { return contract.Marshal(o.ChangeOut.Shown()) }

func (o *interruptedOut) Cut(n int) any { return &interruptedOut{o.ChangeOut.First(n)} }

// afterRestart returns the answer for an edit that is on disk. It warns that the errors were not
// compared, so that the caller looks at them and does not repeat the call.
func afterRestart(c *answer.Call, o edit.CallOutcome) *interruptedOut {
	changed := labels(o.Files, func(f edit.ChangedFile) bool { return f.Kind != edit.Delete && !f.Folder })
	c.Warn(contract.WarnAfterRestart, contract.Facts{"files": shortList(changed)},
		"lspi's process ended after it had applied this edit; all of it is on disk, so do not repeat the call. Only the check for new errors was not done")
	if len(changed) > 0 {
		c.Step(contract.NextStep{Kind: contract.StepTool, Tool: "get_diagnostics",
			Message:   "See whether the edit brought errors.",
			Arguments: map[string]any{"file_paths": shortList(changed)}})
	}
	if others := labels(o.Files, func(f edit.ChangedFile) bool { return f.Now != edit.ContentNew }); len(others) > 0 {
		c.Warn(contract.WarnChangedSince, contract.Facts{"files": shortList(others)},
			fmt.Sprintf("another program changed %d of the files again after the edit, such as %s", len(others),
				others[0]))
	}
	if kept := keptTexts(o); len(kept) > 0 {
		c.Warn(contract.WarnKept, contract.Facts{"files": kept},
			"another program wrote into the old files at the last moment; lspi kept its texts in "+kept[0])
	}
	// A call of check_edit has its counts in totals also where only texts change.
	return &interruptedOut{edits.Recorded(o, c.Tool.Class == answer.Write)}
}

// halfUndone is the error for an edit that was undone, except for what another program had changed
// meanwhile.
func halfUndone(c *answer.Call, o edit.CallOutcome) error {
	left := labels(o.Files, func(f edit.ChangedFile) bool { return f.Now != edit.ContentOld })
	facts := contract.Facts{"changed": "part", "files": shortList(left)}
	kept := keptTexts(o)
	text := ""
	if len(kept) > 0 {
		facts["kept"] = kept
		text = "; texts that could not be put back are in " + kept[0]
	}
	return contract.Errorf(contract.KindCallInterrupted, facts,
		"lspi's process ended while it applied this edit. lspi undid the edit, except in files that another program had changed meanwhile: %s%s",
		strings.Join(shortList(left), ", "), text)
}

// nothingChanged is the error for a call of which nothing is on disk.
func nothingChanged(c *answer.Call, o edit.CallOutcome) error {
	facts := contract.Facts{"changed": "nothing"}
	text := "lspi's process ended during this call; it changed nothing, and you can make the same call again"
	if kept := keptTexts(o); len(kept) > 0 {
		facts["kept"] = kept
		text += "; another program wrote into its files at the same time, and lspi kept these texts in " + kept[0]
	}
	return contract.Errorf(contract.KindCallInterrupted, facts, "%s", text)
}

// labels returns the names of the files for which meant is true, each once.
func labels(files []edit.ChangedFile, meant func(edit.ChangedFile) bool) (out []string) {
	for _, f := range files {
		if meant(f) && !slices.Contains(out, f.Label) {
			out = append(out, f.Label)
		}
	}
	return out
}

// shortList returns the first ten names of a list, as facts and steps have them; never nil.
func shortList(names []string) []string { return append([]string{}, names[:min(len(names), 10)]...) }

// keptTexts returns the files in which texts of other programs were kept.
func keptTexts(o edit.CallOutcome) (out []string) {
	for _, k := range o.Kept {
		if k.Kept != "" {
			out = append(out, k.Kept)
		}
	}
	slices.Sort(out)
	return shortList(out)
}
