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

// Outcome is what became of an unfinished edit.
type Outcome string

// The outcomes.
const (
	RolledBack Outcome = "rolled_back" // every file is as before the edit
	Completed  Outcome = "completed"   // every file is as the edit made it, or somebody has changed it further
	Conflicted Outcome = "conflicted"  // neither: see Kept
)

// Recovered is an edit that was unfinished, as after a crash, and is finished now.
type Recovered struct {
	Files   []string // their paths, links resolved
	Outcome Outcome
	Kept    []Kept
}

// Recover finishes the edits that killed processes have left in these roots, in folders above them and in folders
// below. It leaves alone an edit that is being applied, and does not overwrite what somebody has changed since. It is
// called at start, and by Apply. Its error is edit_rejected with [ReasonUnfinishedEdits] when the system refused; the
// journal stays, and calling again may help.
func (w *Writer) Recover(ctx context.Context, roots []string) ([]Recovered, error) {
	left, err := w.left()
	if err != nil {
		return nil, err
	}
	if len(left) == 0 { // the usual case
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

// Unfinished returns the files, links resolved, of the edits that [Writer.Recover] would finish in these roots. It
// changes nothing.
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
				out = append(out, stepPaths(h.Steps)...)
			}
		}
	}
	return out, nil
}

// concerns reports whether a journal is of an edit that may have begun, in one of the roots or in a folder below or
// above one.
func concerns(path string, roots []string) (header, bool, error) {
	h, _, whole, err := read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return h, false, nil
	}
	return h, whole > 0 && overlap(h.Roots, roots), err
}

// realRoots returns the roots with symbolic links resolved; one that cannot be resolved stays as it is.
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

// abandoned is the age at which a journal without a complete header is deleted: writing one takes milliseconds.
const abandoned = time.Hour

// recoverOne finishes a journal if it can lock its roots; nil when there is nothing to do.
func (w *Writer) recoverOne(path string, roots []string) (*Recovered, error) {
	h, _, whole, err := read(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case whole == 0: // nothing was done yet; a process may be writing the header now
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

// recoverHeld is recoverOne for a caller that holds the lock; nil when there is nothing to do. When it returns both a
// result and an error, the files are as the result says and only auxiliary files are left.
func (w *Writer) recoverHeld(path string) (*Recovered, error) {
	h, records, whole, err := read(path) // again: the edit may have gone on before the lock was free
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

// finish continues a run from its last record.
func (w *Writer) finish(j *journal, h header, records []record) (*Recovered, error) {
	r := &run{w: w, disk: &w.disk, log: j, steps: h.Steps, done: make([]bool, len(h.Steps)), begun: -1}
	out := &Recovered{Files: stepPaths(h.Steps), Outcome: RolledBack}
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

// resume brings the steps to one of their two ends, and reports whether the edit was completed.
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
	// Nothing is left to do but tidy; inspecting the steps could take somebody's later file for one of ours.
	case stateUndone:
		return false, nil
	case stateBegin, stateUndo:
		r.begun = last.Step
	}
	if err := r.inspectAll(); err != nil {
		return false, err
	}
	// Forward only where undoing would lose somebody's change. When that fails too, everything but that change is
	// undone.
	if last.State != stateUndo && r.drifted() && r.complete() == nil {
		return true, nil
	}
	return false, r.back()
}

// inspectAll finds out from the disk what the journal does not say: which swaps are done, and whether the last step
// is.
func (r *run) inspectAll() (err error) {
	// Backwards, since the step that had begun may have moved the folders of swaps, which come before it.
	for i, s := range slices.Backward(r.steps) {
		if s.Kind == stepSwap || i == r.begun {
			if r.done[i], err = r.inspect(i); err != nil {
				return err
			}
		}
	}
	return nil
}

// drifted reports whether somebody has changed a file that already had its new text: undoing would lose that change.
func (r *run) drifted() bool {
	for i, s := range r.steps {
		if !r.done[i] || s.Kind != stepSwap && s.Kind != stepPlace {
			continue
		}
		if has, err := digestOf(r.where(i, s.Path)); err == nil && has != s.After {
			return true
		}
	}
	return false
}

// stepPaths returns the paths of the steps, each once.
func stepPaths(steps []step) []string {
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
