package edits

import (
	"context"
	"fmt"
	"slices"

	"lspi/contract"
	"lspi/lsp/edit"
	"lspi/tools/answer"
)

// Recover finishes, before a call asks anything, what a killed process left of an edit of these files,
// and waits for an edit that this process is writing: no answer may come from a tree that is half
// changed. It costs the look into one folder. A read-only session changes nothing and warns instead. An
// error ends the call; the next call tries again.
func Recover(ctx context.Context, c *answer.Call) error {
	w := c.Workspace.Process.Writer()
	if w == nil {
		return nil
	}
	// An edit of another call of this process is waited for, and then nothing is left to recover.
	release, err := c.Workspace.Process.LockEdits(ctx)
	if err != nil {
		return err
	}
	defer release()
	if c.Session.Settings.ReadOnly {
		return withoutJournal(c, unfinished(c, w))
	}
	found, err := w.Recover(ctx, c.Workspace.EditRoots())
	for _, r := range found {
		recovered(c, r)
	}
	return withoutJournal(c, err)
}

// withoutJournal is the error of a look for unfinished edits, but for a folder of journals that cannot be read, which
// questions do not need: a session is told of it once, and an edit fails by it when it is to be written.
func withoutJournal(c *answer.Call, err error) error {
	if err == nil {
		return nil
	}
	e := answer.AsError(err)
	if e.Facts["reason"] != string(edit.ReasonNoJournal) {
		return err
	}
	if answer.NotYetTold(c, "journal") {
		message := e.Message + "; questions are answered, and nothing can be edited"
		answer.WillTell(c, "journal", string(contract.WarnConfig), message)
		c.Warn(contract.WarnConfig,
			contract.Facts{"fix": "Set XDG_STATE_HOME to a folder that can be written."}, message)
	}
	return nil
}

// unfinished warns of the files that a cut-off edit may have left half changed.
func unfinished(c *answer.Call, w *edit.Writer) error {
	files, err := w.Unfinished(c.Workspace.EditRoots())
	if err != nil || len(files) == 0 {
		return err
	}
	c.Warn(contract.WarnEditUnfinished, contract.Facts{"files": c.ShowSome(files)}, fmt.Sprintf(
		"an edit of %s, such as %s, was interrupted by a crash and may be half done; a session of lspi that is not read-only finishes or undoes it",
		answer.Counted(len(files), "file"), c.Show(files[0])))
	return nil
}

// outcomes says in words what became of an edit that was cut off.
var outcomes = map[edit.Outcome]string{
	edit.RolledBack: "was undone",
	edit.Completed:  "was completed",
	edit.Conflicted: "was undone, except for what somebody changed meanwhile",
}

// recovered warns of an edit that was put right, in whichever call found it: the host may have seen
// half of it.
func recovered(c *answer.Call, r edit.Recovered) {
	facts := contract.Facts{"outcome": string(r.Outcome), "files": c.ShowSome(r.Files)}
	message := fmt.Sprintf("an edit of %s that a crash had interrupted %s", answer.Counted(len(r.Files), "file"),
		outcomes[r.Outcome])
	if kept := keptPaths(r.Kept); len(kept) > 0 {
		facts["kept"] = kept
		message += fmt.Sprintf("; texts that could not be put back were kept in %s", kept[0])
	}
	c.Warn(contract.WarnEditRecovered, facts, message)
}

// keptPaths returns where texts of other programs were put aside.
func keptPaths(kept []edit.Kept) []string {
	var out []string
	for _, k := range kept {
		out = append(out, k.Kept)
	}
	slices.Sort(out)
	return out
}
