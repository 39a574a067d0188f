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

// Writer applies plans. Its folder holds what must survive a crash: locks, journals, records and kept texts. Writers
// of all processes that may edit the same files share one folder. Its methods may be called from several goroutines.
type Writer struct {
	dir  string
	disk disk
}

// NewWriter returns a writer with its folder, absolute and outside of what is edited. The folder is made when needed.
func NewWriter(dir string) *Writer { return &Writer{dir: dir} }

// ApplyOptions say how a plan is applied.
type ApplyOptions struct {
	// Expected are the digests of the preview that the user or agent has accepted, by path; see [Plan.Agree].
	Expected map[string]string
	// Backup is appended to the name of each changed or deleted file for a copy of its old text; "" makes no copies.
	// Where that name is taken, a number is appended too.
	Backup string
	// Call is the id of the call for which the edit is made; it must be unguessable, and "" is for no call. With it,
	// [Writer.Outcome] in any process can find what became of the edit, until [Writer.Forget]. A call makes its edits
	// one after the other.
	Call string
	// Undoes says that this edit takes back the one before it of the same call, so that nothing of the call is left
	// when it is applied.
	Undoes bool
}

// Applied is the result of [Writer.Apply].
type Applied struct {
	Backups   map[string]string // path before the plan → path of the copy
	Changed   []string          // paths that somebody has changed since
	Kept      []Kept            // texts that somebody wrote at the last moment, through a handle of the old file
	Leftover  []string          // auxiliary files that could not be removed; Recover tries again
	Recovered []Recovered       // earlier edits that were unfinished, and what became of them
}

// Apply carries a plan out, wholly or not at all. It blocks while other writers hold the same roots, until ctx ends;
// once the first file is changed it does not stop any more.
//
// After these errors the files are as before: outside_workspace, those of [Plan.Agree], file_changed when a file is
// not as it was planned, cancelled, and edit_rejected with [ReasonReadOnly], [ReasonHardLinks] or
// [ReasonWriteFailed]. After [ReasonRollbackFailed] and [ReasonUnfinishedEdits] they are not, and the caller has to
// call [Writer.Recover]. The fact kept lists texts that were kept for somebody whose change came in between. With an
// error, Applied may be there and say what was recovered before.
func (w *Writer) Apply(ctx context.Context, p *Plan, o ApplyOptions) (*Applied, error) {
	if len(p.Outside) > 0 {
		return nil, contract.Errorf(contract.KindOutsideWorkspace,
			contract.Facts{"file_path": p.Outside[0], "file_paths": p.Outside, "roots": p.roots},
			"the edit changes %s, which is outside of the workspace", p.Outside[0])
	}
	if err := p.Agree(o.Expected); err != nil {
		return nil, err
	}
	// Before the lock, which Recover takes itself, for the roots of each unfinished edit.
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
	// Another process may have died between Recover and the lock.
	if err := w.checkFinished(p.roots); err != nil {
		return out, err
	}
	return out, w.applyLocked(ctx, p, o, out)
}

// checkFinished returns an error when an earlier edit of the roots is unfinished: its process may have died after the
// recovery at the beginning of Apply. The caller holds the lock, so no process is working on it.
func (w *Writer) checkFinished(roots []string) error {
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

// applyLocked is Apply for a caller that holds the lock.
func (w *Writer) applyLocked(ctx context.Context, p *Plan, o ApplyOptions, out *Applied) error {
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
		return rejected(ReasonWriteFailed, "", "writing the journal of the edit: %w", systemError(err))
	}
	defer r.log.f.Close()
	// Only now, when the journal is on disk: an Outcome that comes later finds it and waits for the lock.
	if w.wasTold(o.Call) {
		if err := r.log.end(false); err != nil {
			out.Leftover = append(out.Leftover, r.log.path)
		}
		return contract.Errorf(contract.KindCancelled, nil,
			"the host was told already what became of this call; nothing more is changed")
	}
	if err := r.execute(ctx); err != nil {
		return p.name(err)
	}
	out.Kept, out.Leftover = r.kept, r.left
	// The edit is done. What differs by now was changed by somebody since, and the caller should know.
	for _, f := range p.Files {
		if has, err := digestOf(realPath(f.Path)); f.AfterSHA256 != "" && (err != nil || has != f.AfterSHA256) {
			out.Changed = append(out.Changed, f.Path)
		}
	}
	return nil
}

// execute goes forward, and back when it cannot. ctx counts until the first file is changed.
func (r *run) execute(ctx context.Context) error {
	ended := func() error { return context.Cause(ctx) }
	staged := func() error { return r.log.append(record{State: stateStaged}) }
	err := r.writeStaged(ended)
	// A staged text may be incomplete only when writing it failed; after that, an auxiliary file with an unknown text
	// holds somebody's change.
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
	// The journal stays, for Recover.
	if back := r.back(); back != nil {
		return rejected(ReasonRollbackFailed, "",
			"applying the edit: %v; putting everything back: %w; the journal is %s", err, systemError(back), r.log.path)
	}
	r.tidy(partial)
	return r.failure(ctx, err)
}

// tidy removes the auxiliary files, and when all are gone, the journal.
func (r *run) tidy(partial bool) {
	r.clean(partial)
	if len(r.left) > 0 {
		return
	}
	// An edit that was put back whole leaves no record: without one, Outcome says that nothing was changed.
	if err := r.log.end(r.committed || slices.Contains(r.done, true)); err != nil {
		r.left = append(r.left, r.log.path)
	}
}

// failure returns the error of a plan that was put back.
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

// name replaces real paths in an error by the names that the caller knows.
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

// realPath returns a path with the symbolic links on the way resolved, the inverse of [Options.shown].
func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(real, filepath.Base(path))
	}
	return path
}

// preflight compares every file with the plan before anything is written.
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
		has, err := digestOf(o.path)
		if err != nil {
			return unreadable(path, err)
		}
		// Compared before anything is written, so that a stale preview costs no journal and leaves no trace.
		if has != o.digest {
			return changed(path, o.digest, has)
		}
		if err := o.writable(path); err != nil {
			return err
		}
	}
	return nil
}

// writable returns an error when the file is read-only, or its text may not be exchanged.
func (o original) writable(shown string) error {
	info, err := os.Lstat(o.path)
	if err != nil {
		return unreadable(shown, err)
	}
	if isReadOnly(o.path, info) {
		return rejected(ReasonReadOnly, shown, "%s is read-only", shown)
	}
	if n := furtherNames(info); o.swap && n > 0 {
		return rejected(ReasonHardLinks, shown, "%s has %d other names (hard links), which would keep the old text",
			shown, n)
	}
	return nil
}

// maxBackups bounds the numbers that are tried for the name of a backup.
const maxBackups = 1000

// withBackups returns the steps of the plan with those that place backups, after the swaps.
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
		b, err := p.backupStep(s, suffix, len(extra))
		if err != nil {
			return nil, err
		}
		extra = append(extra, b)
		out.Backups[p.shown(s.Path)] = p.shown(b.Path)
	}
	return slices.Concat(p.steps[:swaps], extra, p.steps[swaps:]), nil
}

// removesFile reports whether a step deletes a regular file that is on disk under that name.
func (p *Plan) removesFile(s step) bool {
	return s.Kind == stepRemove && len(s.Before) == 64 &&
		slices.ContainsFunc(p.originals, func(o original) bool { return o.path == s.Path && o.digest == s.Before })
}

// backupStep returns the step that places the copy of a file under a free name.
func (p *Plan) backupStep(s step, suffix string, n int) (step, error) {
	path := s.Path + suffix
	// An earlier backup is never replaced.
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
	// The copy must be of the text that the plan has shown.
	if DigestText(string(raw)) != s.Before {
		return step{}, changed(p.shown(s.Path), s.Before, DigestText(string(raw)))
	}
	stage := filepath.Join(filepath.Dir(s.Path), fmt.Sprintf("%s%s-b%d.tmp", Prefix, p.id, n+1))
	return step{Kind: stepPlace, Path: path, Stage: stage, Aux: stage, Like: s.Path, After: s.Before,
		text: string(raw)}, nil
}
