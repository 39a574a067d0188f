package edits

import (
	"fmt"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/tools/answer"
	"lspi/tools/ask"
)

// maxRepeated bounds the arguments that a step which applies repeats, in bytes: a caller that wrote a
// long text need not read it again.
const maxRepeated = 300

// ApplyStep returns the step by which a change is applied: ready to run where that is short, else in
// words that say how the repeated call differs.
func ApplyStep(c *answer.Call, message string, with map[string]any) contract.NextStep {
	if len(c.Request.Arguments) > maxRepeated {
		return c.RepeatInWords(message, with)
	}
	return c.Repeat(message, with)
}

// offerChange ends a preview with the step that applies it, or, where something is known to be missing
// from the change, with how to go on instead.
func offerChange(c *answer.Call, ch *Proposed, out *ChangeOut) {
	// Two measures: an action edits the files that it knows, a rename has to reach every use.
	lacks := append(lackingFiles(c), c.WarningsThat(func(k contract.WarningKind) bool {
		return k == contract.WarnMentions // of what is deleted
	})...)
	if ch.Renamed != nil {
		lacks = lackingUses(c)
	}
	var kinds []string
	for _, w := range append(lacks, c.WarningsThat(func(k contract.WarningKind) bool {
		return k == contract.WarnCompilerOnly || k == contract.WarnNotBuilt
	})...) {
		if !slices.Contains(kinds, string(w.Kind)) {
			kinds = append(kinds, string(w.Kind))
		}
	}
	// Only then is there a step that applies at once: a host that follows steps blindly must not apply a partial
	// rename.
	if doubt := nameRisk(c, ch); len(kinds) == 0 && doubt != "" {
		offerIfSafe(c, ch, out, doubt)
		return
	}
	if len(kinds) == 0 {
		c.Offer(ApplyStep(c, "Apply exactly this.", map[string]any{"dry_run": false, "preview_id": out.PreviewID,
			"offset":          nil,
			"max_total_chars": nil, "diff": nil}))
		return
	}
	if slices.Contains(kinds, string(contract.WarnRestricted)) { // nobody can tell which uses that are
		c.Step(answer.AskUserStep())
	}
	message := fmt.Sprintf("There is no step to apply this change, because it may miss uses (%s). ",
		strings.Join(kinds, ", "))
	if slices.Equal(kinds, []string{string(contract.WarnMentions)}) {
		c.Step(contract.NextStep{Kind: contract.StepDoc, Message: message + "Read the places that the warning names " +
			"first. Where the program uses none of them as the name, or you change them as well, apply it with dry_run " +
			"false and preview_id."})
		return
	}
	if ch.Renamed != nil && ch.Plan != nil && keepsName(ch.Plan, ch.OldName) != "" &&
		slices.Equal(kinds, []string{string(contract.WarnUsesLeft)}) {
		message = "The code works behind this change as it stands: the old name stays as the exported one. Apply it with " +
			"dry_run false and preview_id, or rename what is exported as well, with rename_symbol at the export."
	} else if c.HasSteps() {
		message += "Take the other steps first, then preview again."
	} else {
		message += "To go on, apply it with dry_run false and preview_id, and then change these uses yourself."
	}
	c.Step(contract.NextStep{Kind: contract.StepDoc, Message: message})
}

// offerIfSafe is offerChange for a change that may break the code: its step applies the change only if
// that brings no error. Where if_safe was tried, or would not try, somebody has to look.
func offerIfSafe(c *answer.Call, ch *Proposed, out *ChangeOut, doubt string) {
	if out.NotApplied == "" && notSafe(c, ch, true) == "" {
		c.Offer(ApplyStep(c, "Apply it if that brings no error, because "+doubt+".",
			map[string]any{"apply": IfSafe, "dry_run": nil,
				"preview_id": out.PreviewID, "offset": nil, "max_total_chars": nil, "diff": nil}))
		return
	}
	c.Step(contract.NextStep{Kind: contract.StepDoc, Message: "There is no step to apply this change, because " +
		doubt +
		". Look there first, then apply it with dry_run false and preview_id."})
}

// lackingFiles returns the warnings by which a server may not know all files yet.
func lackingFiles(c *answer.Call) []contract.Warning {
	return c.WarningsThat(func(k contract.WarningKind) bool {
		return slices.Contains(ask.NotAllFiles, k) || k == contract.WarnSyncIncomplete ||
			k == contract.WarnProjectBroken ||
			k == contract.WarnNotCompiled
	})
}

// lackingUses returns the warnings by which uses of a symbol may be missing from its rename.
func lackingUses(c *answer.Call) []contract.Warning {
	return c.WarningsThat(func(k contract.WarningKind) bool {
		return k.Effect() == contract.Partial && k != contract.WarnTruncated || k == contract.WarnMentions
	})
}

// refuseLacking refuses to apply the edit of a server that may not know all files yet, or all uses of
// what is renamed because it runs no code of the workspace: what it left out would stay as it was and
// break.
func refuseLacking(c *answer.Call, ch *Proposed) error {
	restricted := c.WarningsThat(func(k contract.WarningKind) bool { return k == contract.WarnRestricted })
	// A rename that misses a use breaks the code; an action edits what it was shown, whatever else there is.
	if ch.Renamed != nil && len(restricted) > 0 {
		return contract.Errorf(contract.KindEditRejected, contract.Facts{"reason": answer.NotTrusted,
			"server_id": ch.server()},
			"lspi applied nothing, because the edit may miss uses: %s", restricted[0].Message)
	}
	// A project that is not loaded is why its files have errors.
	for _, w := range c.WarningsThat(func(k contract.WarningKind) bool { return k == contract.WarnLoadFailed }) {
		return contract.Errorf(contract.KindLoadFailed, w.Facts,
			"lspi applied nothing, because the edit would miss files: %s", w.Message)
	}
	if ch.Renamed != nil {
		for _, w := range c.WarningsThat(func(k contract.WarningKind) bool {
			return k == contract.WarnUnexplained || k == contract.WarnUsesLeft
		}) {
			if w.Facts["not_compiled"] != nil {
				return contract.Errorf(contract.KindEditRejected, contract.Facts{"reason": "not_compiled",
					"server_id": ch.server(), "files": w.Facts["files"]},
					"lspi applied nothing, because the edit may miss uses in files with errors: %s", w.Message)
			}
		}
	}
	lacks := lackingFiles(c)
	for _, w := range lacks {
		switch w.Kind {
		case contract.WarnNotCompiled:
			return contract.Errorf(contract.KindEditRejected, contract.Facts{"reason": "not_compiled",
				"server_id": ch.server(), "files": w.Facts["files"]},
				"lspi applied nothing, because the edit may miss uses: %s", w.Message)
		case contract.WarnUnreadableFiles:
			return contract.Errorf(contract.KindFileUnreadable, w.Facts,
				"lspi applied nothing, because the edit may miss files: %s", w.Message)
		}
	}
	// The reasons above have errors of their own; what is left passes when the server has read more.
	if len(lacks) > 0 {
		return contract.Errorf(contract.KindStillIndexing, contract.Facts{"server_id": ch.server()},
			"lspi applied nothing, because the edit may miss files: %s", lacks[0].Message)
	}
	return nil
}
