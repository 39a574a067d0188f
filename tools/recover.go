package tools

import (
	"context"
	"fmt"
	"slices"

	"lspi/contract"
	"lspi/lsp/edit"
)

// recover finishes, before a call asks anything, what a killed process left of an edit of these files, and waits for one that
// this session is about: no answer is to be given from a tree that is half changed. It costs the look into one folder. A
// session that is read-only changes nothing and says so. An error ends the call, and the next one tries again.
func (c *Call) recover(ctx context.Context) error {
	w := c.env.writer()
	if w == nil {
		return nil
	}
	release, err := c.env.edits.take(ctx)
	if err != nil {
		return err
	}
	defer release()
	if c.env.Settings.ReadOnly {
		return c.unfinished(w)
	}
	found, err := w.Recover(ctx, c.env.editRoots())
	for _, r := range found {
		c.recovered(r)
	}
	return err
}

// unfinished says which files a cut-off edit may have left half changed.
func (c *Call) unfinished(w *edit.Writer) error {
	files, err := w.Unfinished(c.env.editRoots())
	if err != nil || len(files) == 0 {
		return err
	}
	c.warn(contract.WarnEditUnfinished, contract.Facts{"files": c.showSome(files)}, fmt.Sprintf(
		"an edit of %s, such as %s, was interrupted by a crash and may be half done; a session of lspi that is not read-only finishes it",
		counted(len(files), "file"), c.show(files[0])))
	return nil
}

// outcomes say what became of an edit that was cut off.
var outcomes = map[edit.Outcome]string{
	edit.RolledBack: "was taken back",
	edit.Completed:  "was completed",
	edit.Conflicted: "was taken back but for what somebody changed meanwhile",
}

func (c *Call) recovered(r edit.Recovered) {
	facts := contract.Facts{"outcome": string(r.Outcome), "files": c.showSome(r.Files)}
	message := fmt.Sprintf("an edit of %s that was cut off by a crash %s", counted(len(r.Files), "file"), outcomes[r.Outcome])
	if kept := keptPaths(r.Kept); len(kept) > 0 {
		facts["kept"] = kept
		message += fmt.Sprintf("; texts that could not be put back were kept in %s", kept[0])
	}
	c.warn(contract.WarnEditRecovered, facts, message)
}

// keptPaths are where texts were put aside.
func keptPaths(kept []edit.Kept) []string {
	var out []string
	for _, k := range kept {
		out = append(out, k.Kept)
	}
	slices.Sort(out)
	return out
}
