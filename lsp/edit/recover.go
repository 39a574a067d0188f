package edit

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"lspi/contract"
)

// Outcome is what became of an edit that was left unfinished.
type Outcome string

// The outcomes.
const (
	RolledBack Outcome = "rolled_back" // every file is as before the edit
	Completed  Outcome = "completed"   // every file is as the edit wanted it, or was changed further by somebody
	Conflicted Outcome = "conflicted"  // neither: see Kept
)

// Recovered is an edit that was left unfinished, as after a crash, and is now finished.
type Recovered struct {
	Files   []string // real paths that it was about
	Outcome Outcome
	Kept    []Kept
}

// Recover finishes what killed processes left of edits in these roots, in folders above and in folders inside of
// them. An edit that is being applied right now is left alone. What somebody changed since is not overwritten. It
// is to be called at start; Apply calls it too. The error, if any, is edit_rejected with [ReasonUnfinishedEdits]:
// the system refused, the journal stays, and to call again may help.
func (w *Writer) Recover(ctx context.Context, roots []string) ([]Recovered, error) {
	left, err := w.left()
	if err != nil {
		return nil, unreadable(w.journals(), err)
	}
	if len(left) == 0 { // as nearly always
		return nil, nil
	}
	real := realRoots(roots)
	var out []Recovered
	var failed error
	for _, path := range left {
		if err := context.Cause(ctx); err != nil {
			return out, contract.Errorf(contract.KindCancelled, nil, "recovering earlier edits: %w", err)
		}
		r, err := w.recoverOne(path, real)
		if r != nil {
			out = append(out, *r)
		}
		if err != nil {
			failed = rejected(ReasonUnfinishedEdits, "", "recovering the edit whose journal is %s: %w", path, err)
		}
	}
	return out, failed
}

// Unfinished are the files, by their real paths, that edits were about which a killed process left unfinished in these
// roots, as [Writer.Recover] would find them. It changes nothing; an edit that is being applied right now does not
// count.
func (w *Writer) Unfinished(roots []string) ([]string, error) {
	left, err := w.left()
	if err != nil || len(left) == 0 {
		return nil, err
	}
	real := realRoots(roots)
	var out []string
	for _, path := range left {
		h, concerned, err := concerns(path, real)
		if err != nil {
			return out, unreadable(path, err)
		}
		if !concerned {
			continue
		}
		release, err := w.tryLock(h.Roots)
		if err != nil {
			return out, err
		}
		if release != nil {
			release()
			if exists(path) { // it was not finished meanwhile
				out = append(out, files(h.Steps)...)
			}
		}
	}
	return out, nil
}

// concerns reports whether a journal is of an edit that may have begun, in one of the roots, in a folder in it, or
// in one around it.
func concerns(path string, roots []string) (header, bool, error) {
	h, _, whole, err := read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return h, false, nil
	}
	return h, whole > 0 && overlap(h.Roots, roots), err
}

// realRoots are the roots without symbolic links; one that cannot be resolved stays as it is.
func realRoots(roots []string) (out []string) {
	for _, root := range roots {
		real, err := filepath.EvalSymlinks(root)
		if err != nil {
			real = filepath.Clean(root)
		}
		out = append(out, real)
	}
	return out
}

// abandoned is the age at which a journal without a complete header is deleted: to write one takes milliseconds.
const abandoned = time.Hour

// recoverOne takes the lock of a journal's roots and finishes it; nil when there is nothing to do.
func (w *Writer) recoverOne(path string, roots []string) (*Recovered, error) {
	h, _, whole, err := read(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case whole == 0: // nothing was done yet, and perhaps somebody is about to
		if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) > abandoned {
			return nil, w.disk.remove(path)
		}
		return nil, nil
	case !overlap(h.Roots, roots):
		return nil, nil
	}
	release, err := w.tryLock(h.Roots)
	if err != nil || release == nil {
		return nil, err
	}
	defer release()
	return w.recoverHeld(path)
}

// recoverHeld is recoverOne for a caller that holds the lock; nil when there is nothing to do. With an error the
// result is there when the files are as it says and only auxiliary files are left.
func (w *Writer) recoverHeld(path string) (*Recovered, error) {
	h, records, whole, err := read(path) // again: it may have gone on meanwhile
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	j, err := w.reopen(path, h, whole)
	if err != nil {
		return nil, err
	}
	defer j.f.Close()
	return w.finish(j, h, records)
}

// finish goes on with a run where the last record says that it was.
func (w *Writer) finish(j *journal, h header, records []record) (*Recovered, error) {
	r := &run{w: w, disk: &w.disk, log: j, steps: h.Steps, done: make([]bool, len(h.Steps)), begun: -1}
	out := &Recovered{Files: files(h.Steps), Outcome: RolledBack}
	partial := len(records) == 0
	if !partial {
		completed, err := r.resume(records[len(records)-1])
		if err != nil {
			return nil, err
		}
		if completed {
			out.Outcome = Completed
		}
	}
	r.tidy(partial)
	out.Kept = r.kept
	if out.Outcome == RolledBack && (len(r.kept) > 0 || slices.Contains(r.done, true)) {
		out.Outcome = Conflicted
	}
	if len(r.left) > 0 {
		return out, rejected(ReasonUnfinishedEdits, r.left[0], "removing %s", r.left[0])
	}
	return out, nil
}

// resume brings the steps to one of their two ends, and says whether it is the end of the edit.
func (r *run) resume(last record) (completed bool, err error) {
	for i, s := range r.steps {
		switch last.State {
		case stateCommitted:
			r.done[i] = true
		case stateBegin, stateUndo:
			r.done[i] = s.Kind != stepSwap && i < last.Step
		}
	}
	for _, i := range last.Done {
		r.done[i] = true
	}
	switch last.State {
	case stateCommitted:
		r.committed = true
		return true, nil
	case stateUndone:
		return false, nil
	case stateBegin, stateUndo:
		r.begun = last.Step
	}
	if err := r.inspectAll(); err != nil {
		return false, err
	}
	if last.State != stateUndo && r.drifted() && r.complete() == nil {
		return true, nil
	}
	return false, r.back()
}

// inspectAll sets what the journal does not say.
func (r *run) inspectAll() (err error) {
	// the step that was begun may have moved the folders of swaps, which come before it
	for i, s := range slices.Backward(r.steps) {
		if s.Kind == stepSwap || i == r.begun {
			if r.done[i], err = r.inspect(i); err != nil {
				return err
			}
		}
	}
	return nil
}

// drifted reports whether somebody changed a file that already had its new text. It cannot be put back without
// losing that.
func (r *run) drifted() bool {
	for i, s := range r.steps {
		if !r.done[i] || s.Kind != stepSwap && s.Kind != stepPlace {
			continue
		}
		if has, err := digest(r.where(i, s.Path)); err == nil && has != s.After {
			return true
		}
	}
	return false
}

// files are the paths of the steps, each once.
func files(steps []step) []string {
	var out []string
	for _, s := range steps {
		out = append(out, s.Path)
		if s.From != "" {
			out = append(out, s.From)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
