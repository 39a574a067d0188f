package hooks

import (
	"context"
	"path/filepath"
	"time"

	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/diagnostics"
)

// Mark notes where the journals stand, so that what changes from now on is the session's, and as owed what changed
// since it began ([State.Began]). It waits for the first walk of a tree. What an event before it has noted stays.
func (st *State) Mark(ctx context.Context, c *answer.Call) error {
	release, err := st.take(ctx)
	if err != nil {
		return err
	}
	defer release()
	for _, tree := range c.Workspace.Trees() {
		j := c.Workspace.Pool.Journal(tree)
		if j == nil || st.marks[tree].journal == j {
			continue
		}
		mark, err := j.Barrier(ctx)
		if err != nil {
			return err
		}
		st.marks[tree] = position{j, mark}
	}
	l := &look{st: st, c: c}
	l.noteSinceBegan()
	l.later()
	return nil
}

// Began tells that the session was there at a time, when the host told an event of it: two events that come at once may
// come in any order. It waits for no other event.
func (st *State) Began(at time.Time) {
	for {
		known := st.began.Load()
		if at.IsZero() || known != nil && !at.Before(*known) || st.began.CompareAndSwap(known, &at) {
			return
		}
	}
}

// noteSinceBegan notes the files that changed since the session began. A host does not wait for the journals' first
// walk: a file that its model wrote by a command meanwhile would count as there before, with its errors.
func (l *look) noteSinceBegan() {
	began := l.st.began.Load()
	if began == nil || began == l.st.noted {
		return
	}
	l.st.noted = began
	for _, at := range l.st.marks {
		for _, path := range at.journal.ChangedSince(*began) {
			l.note(path, false)
		}
	}
}

// Start is [State.Mark] that also reads the texts from before the session changes anything.
func (st *State) Start(ctx context.Context, c *answer.Call) error {
	if err := st.Mark(ctx, c); err != nil {
		return err
	}
	release, err := st.take(ctx)
	if err != nil {
		return err
	}
	defer release()
	if !st.before.known {
		st.before = readTexts(ctx, c)
		for path := range st.owed { // they were read behind the change
			delete(st.before.dirty, path)
		}
	}
	return nil
}

// Warm asks each server that runs for the diagnostics of one source, so that the first change does not have to wait
// for what a server finds out once: gopls 0.23.0 with an empty cache analyses the standard library for some 8 s
// first. What servers then tell of all files is from before the session.
func (st *State) Warm(ctx context.Context, c *answer.Call) {
	running := c.Workspace.Pool.Running()
	answer.Parallel(len(running), 0, func(i int) {
		for path := range running[i].Folders().Files() {
			if running[i].Spec().Serves(base(path)) {
				_, _ = diagnostics.OfChanged(ctx, c, []string{path}, false)
				st.noteWhole(ctx, c, running[i])
				return
			}
		}
	})
}

// noteWhole waits until a server that pushes the errors of all its files has looked at them, and keeps what it found,
// unless the session has changed something by then. Others tell more of a file when they are asked for it.
func (st *State) noteWhole(ctx context.Context, c *answer.Call, s *lsp.Server) {
	rest, _ := c.Session.Errors.Awaited(s)
	if means := s.Spec().Diagnostics; rest == nil || !means.Workspace || means.Pull || means.Check != nil {
		return
	}
	rest.Wait(ctx)
	release, err := st.take(ctx)
	if err != nil {
		return
	}
	defer release()
	reports, state, _ := rest.Errors(ctx)
	l := &look{st: st, c: c}
	if state != lsp.RestOver || len(st.marks) == 0 || len(st.files) > 0 || l.changedSince(ctx) {
		return
	}
	for _, r := range reports {
		text, err := c.Workspace.Text(r.Path)
		if err != nil {
			return
		}
		f := st.file(r.Path)
		f.text, f.errors = text, r.Findings
	}
	for _, root := range s.Folders().All() {
		st.whole[serverAt{s.ID(), root}] = true
	}
}

func base(path string) string { return filepath.Base(path) }
