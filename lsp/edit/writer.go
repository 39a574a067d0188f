package edit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"lspi/contract"
)

// Writer applies plans. What it must remember across a crash is in its folder; writers of all processes that may
// edit the same files share one. It may be used concurrently.
type Writer struct {
	dir  string
	disk disk
}

// NewWriter makes a writer with its folder, absolute, outside of what is edited. The folder is made when it is needed.
func NewWriter(dir string) *Writer { return &Writer{dir: dir} }

// ApplyOptions say how a plan is applied.
type ApplyOptions struct {
	// Expected are the digests that somebody agreed to, by path; see [Plan.Agree].
	Expected map[string]string
	// Backup, if not "", is added to the name of each changed or deleted file for a copy of its text from before.
	// Where that name is taken, a number is added.
	Backup string
	// Call is the id of the call that the edit is made for, unguessable; "" for none. With it [Writer.Outcome] can
	// tell any process what became of the edit, until [Writer.Forget]. The edits of one call are made one after the
	// other.
	Call string
	// Undoes says that the edit takes back what the one before it of the same call did, so that nothing of the call
	// is left when it is applied.
	Undoes bool
}

// Applied is what was done.
type Applied struct {
	Backups   map[string]string // of a file by its path before the plan
	Changed   []string          // paths that somebody changed again right behind us
	Kept      []Kept            // texts that were written to files in the last instant through old handles
	Leftover  []string          // auxiliary files that could not be removed; Recover tries again
	Recovered []Recovered       // what an earlier edit had left, and became of it
}

// Apply carries a plan out, whole or not at all. It waits for other writers of the same roots until ctx ends; once
// the first file is changed it does not stop. Errors, after each of which the files are as they were before:
// outside_workspace, those of [Plan.Agree], file_changed when a file is not as it was planned, edit_rejected with
// [ReasonReadOnly], [ReasonHardLinks] or [ReasonWriteFailed]. After [ReasonRollbackFailed] and
// [ReasonUnfinishedEdits] they are not, and [Writer.Recover] has to be called. The fact kept lists what was kept
// for somebody whose change came in between. Applied is there beside an error to say what was recovered before.
func (w *Writer) Apply(ctx context.Context, p *Plan, o ApplyOptions) (*Applied, error) {
	if len(p.Outside) > 0 {
		return nil, contract.Errorf(contract.KindOutsideWorkspace,
			contract.Facts{"file_path": p.Outside[0], "file_paths": p.Outside, "roots": p.roots},
			"the edit changes %s, which is outside of the workspace", p.Outside[0])
	}
	if err := p.Agree(o.Expected); err != nil {
		return nil, err
	}
	recovered, err := w.Recover(ctx, p.roots)
	if err != nil {
		return &Applied{Recovered: recovered}, err
	}
	out := &Applied{Recovered: recovered}
	release, err := w.lock(ctx, p.roots)
	if err != nil {
		return out, err
	}
	defer release()
	if err := w.finished(p.roots); err != nil {
		return out, err
	}
	return out, w.apply(ctx, p, o, out)
}

// finished is an error when an edit of the roots was left unfinished, which may have happened between the recovery
// at the beginning of Apply and its lock. The caller holds the lock, so nobody is at it.
func (w *Writer) finished(roots []string) error {
	left, err := w.left()
	if err != nil {
		return unreadable(w.journals(), err)
	}
	for _, path := range left {
		if _, concerned, err := concerns(path, roots); err != nil || concerned {
			return rejected(ReasonUnfinishedEdits, "",
				"an earlier edit of these files is unfinished and could not be recovered; its journal is %s", path)
		}
	}
	return nil
}

func (w *Writer) apply(ctx context.Context, p *Plan, o ApplyOptions, out *Applied) error {
	if err := p.preflight(); err != nil {
		return err
	}
	steps, err := p.withBackups(o.Backup, out)
	if err != nil || len(steps) == 0 {
		return err
	}
	r := &run{w: w, disk: &w.disk, steps: steps, done: make([]bool, len(steps)), begun: -1}
	if r.log, err = w.newJournal(header{Version: journalVersion, ID: p.id, Roots: p.roots, Steps: steps,
		Call: p.callRecord(o, out.Backups)}); err != nil {
		return rejected(ReasonWriteFailed, "", "writing the journal of the edit: %w", reason(err))
	}
	defer r.log.f.Close()
	if w.wasTold(o.Call) {
		if err := r.log.end(false); err != nil {
			out.Leftover = append(out.Leftover, r.log.path)
		}
		return contract.Errorf(contract.KindCancelled, nil,
			"the host was told already what became of this call; nothing more is changed")
	}
	if err := r.apply(ctx); err != nil {
		return p.name(err)
	}
	out.Kept, out.Leftover = r.kept, r.left
	for _, f := range p.Files {
		if has, err := digest(realPath(f.Path)); f.AfterSHA256 != "" && (err != nil || has != f.AfterSHA256) {
			out.Changed = append(out.Changed, f.Path)
		}
	}
	return nil
}

// apply goes forward, and back when it cannot.
func (r *run) apply(ctx context.Context) error {
	ended := func() error { return context.Cause(ctx) }
	staged := func() error { return r.log.append(record{State: stateStaged}) }
	err := r.stage(ended)
	partial := err != nil
	for _, next := range []func() error{ended, staged, r.complete} {
		if err == nil {
			err = next()
		}
	}
	if err == nil {
		r.tidy(false)
		return nil
	}
	if back := r.back(); back != nil {
		return rejected(ReasonRollbackFailed, "",
			"applying the edit: %v; putting everything back: %w; the journal is %s", err, reason(back), r.log.path)
	}
	r.tidy(partial)
	return r.failure(ctx, err)
}

// tidy removes the auxiliary files, and when all are gone the journal.
func (r *run) tidy(partial bool) {
	r.clean(partial)
	if len(r.left) > 0 {
		return
	}
	// What was put back whole leaves no record: no change is what there is without one, too.
	if err := r.log.end(r.committed || slices.Contains(r.done, true)); err != nil {
		r.left = append(r.left, r.log.path)
	}
}

// failure is the error of a plan that was put back.
func (r *run) failure(ctx context.Context, err error) error {
	var e *contract.Error
	switch {
	case errors.As(err, &e):
	case ctx.Err() != nil && errors.Is(err, context.Cause(ctx)):
		return contract.Errorf(contract.KindCancelled, nil, "applying the edit: %w", err)
	default:
		e = rejected(ReasonWriteFailed, "", "applying the edit: %w; everything was put back", err)
	}
	if len(r.kept) > 0 {
		if e.Facts == nil {
			e.Facts = contract.Facts{}
		}
		kept := []string{}
		for _, k := range r.kept {
			kept = append(kept, k.Kept)
		}
		e.Facts["kept"] = kept
	}
	return e
}

// name gives the paths in an error the names that the caller knows.
func (p *Plan) name(err error) error {
	var e *contract.Error
	if errors.As(err, &e) && e.Kind == contract.KindFileChanged {
		real, _ := e.Facts["file_path"].(string)
		if path := p.shown(real); path != real {
			str := func(key string) string { s, _ := e.Facts[key].(string); return s }
			renamed := changed(path, str("expected"), str("actual"))
			if kept, ok := e.Facts["kept"]; ok {
				renamed.Facts["kept"] = kept
			}
			return renamed
		}
	}
	return err
}

// realPath is a path without symbolic links on the way, the inverse of [Options.shown].
func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(real, filepath.Base(path))
	}
	return path
}

// preflight looks at every file before anything is written.
func (p *Plan) preflight() error {
	for _, s := range p.steps {
		for _, path := range []string{s.Path, s.From, s.Stage} {
			if path != "" && !resolved(path) {
				return changed(p.shown(filepath.Dir(path)), "", "")
			}
		}
	}
	for _, o := range p.originals {
		path := p.shown(o.path)
		has, err := digest(o.path)
		if err != nil {
			return unreadable(path, err)
		}
		if has != o.digest {
			return changed(path, o.digest, has)
		}
		if err := o.writable(path); err != nil {
			return err
		}
	}
	return nil
}

func (o original) writable(shown string) error {
	info, err := os.Lstat(o.path)
	if err != nil {
		return unreadable(shown, err)
	}
	if readOnly(o.path, info) {
		return rejected(ReasonReadOnly, shown, "%s is read-only", shown)
	}
	if n := furtherNames(info); o.swap && n > 0 {
		return rejected(ReasonHardLinks, shown, "%s has %d other names (hard links), which would keep the old text",
			shown, n)
	}
	return nil
}

// maxBackups bounds the numbers that are tried for a free name.
const maxBackups = 1000

// withBackups are the steps of the plan, with those for the backups behind the swaps.
func (p *Plan) withBackups(suffix string, out *Applied) ([]step, error) {
	if suffix == "" {
		return slices.Clone(p.steps), nil
	}
	out.Backups = map[string]string{}
	var extra []step
	swaps := 0
	for _, s := range p.steps {
		if s.Kind == stepSwap {
			swaps++
		} else if !p.removesFile(s) {
			continue
		}
		b, err := p.backup(s, suffix, len(extra))
		if err != nil {
			return nil, err
		}
		extra = append(extra, b)
		out.Backups[p.shown(s.Path)] = p.shown(b.Path)
	}
	return slices.Concat(p.steps[:swaps], extra, p.steps[swaps:]), nil
}

// removesFile reports whether a step deletes a regular file that is on disk by that name.
func (p *Plan) removesFile(s step) bool {
	return s.Kind == stepRemove && len(s.Before) == 64 &&
		slices.ContainsFunc(p.originals, func(o original) bool { return o.path == s.Path && o.digest == s.Before })
}

// backup is the step that makes the copy of a file under a free name.
func (p *Plan) backup(s step, suffix string, n int) (step, error) {
	path := s.Path + suffix
	for i := 1; exists(path); i++ {
		if i > maxBackups {
			return step{}, rejected(ReasonExists, path, "there are already %d backups of %s", maxBackups, s.Path)
		}
		path = fmt.Sprintf("%s%s.%d", s.Path, suffix, i)
	}
	raw, err := os.ReadFile(s.Path)
	if err != nil {
		return step{}, unreadable(s.Path, err)
	}
	if DigestText(string(raw)) != s.Before {
		return step{}, changed(p.shown(s.Path), s.Before, DigestText(string(raw)))
	}
	stage := filepath.Join(filepath.Dir(s.Path), fmt.Sprintf("%s%s-b%d.tmp", Prefix, p.id, n+1))
	return step{Kind: stepPlace, Path: path, Stage: stage, Aux: stage, Like: s.Path, After: s.Before,
		text: string(raw)}, nil
}
