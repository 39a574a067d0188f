package tools

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"

	"lspi/contract"
	"lspi/lsp/edit"
)

// edits is what a session has to change files with.
type edits struct {
	once   sync.Once
	writer *edit.Writer  // nil when there is no folder for journals; set by once
	turn   chan struct{} // held by who applies; made by once
}

// writer applies plans; nil when nothing can be edited.
func (e *Env) writer() *edit.Writer {
	e.edits.once.Do(func() {
		e.edits.turn = make(chan struct{}, 1)
		if e.EditDir != "" {
			e.edits.writer = edit.NewWriter(e.EditDir)
		}
	})
	return e.edits.writer
}

// editRoots are the folders in which files may be changed; one that is not there has none.
func (e *Env) editRoots() []string {
	out := []string{e.Settings.Workspace}
	for _, root := range e.Settings.Roots {
		if _, err := os.Stat(root); err == nil {
			out = append(out, root)
		}
	}
	return out
}

// protected are the places in which no tool edits.
func (e *Env) protected() edit.Protected {
	p := edit.DefaultProtected()
	if e.Settings.Protected != nil {
		p.Refused = e.Settings.Protected
	}
	if e.Settings.Confirmed != nil {
		p.Confirmed = e.Settings.Confirmed
	}
	return p
}

// apply applies a plan. Calls that come meanwhile wait at [Call.recover].
func (e *Env) apply(ctx context.Context, p *edit.Plan, o edit.ApplyOptions) (*edit.Applied, error) {
	w := e.writer()
	release, err := e.edits.take(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	return w.Apply(ctx, p, o)
}

// take waits for the turn; it is held for milliseconds.
func (e *edits) take(ctx context.Context) (release func(), err error) {
	select {
	case e.turn <- struct{}{}:
		return func() { <-e.turn }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

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
	recovered, err := w.Recover(ctx, c.env.editRoots())
	for _, r := range recovered {
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
