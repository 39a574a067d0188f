package workspace

import (
	"context"
	"os"
	"sync"

	"lspi/lsp/edit"
)

// Protected are the places in which no tool edits.
func (e *Env) Protected() edit.Protected {
	p := edit.DefaultProtected()
	if e.Settings.Protected != nil {
		p.Refused = e.Settings.Protected
	}
	if e.Settings.Confirmed != nil {
		p.Confirmed = e.Settings.Confirmed
	}
	return p
}

// edits is what a session has to change files with.
type edits struct {
	once   sync.Once
	writer *edit.Writer  // nil when there is no folder for journals; set by once
	turn   chan struct{} // held by who applies; made by once
}

// Writer applies plans; nil when nothing can be edited.
func (e *Env) Writer() *edit.Writer {
	e.Edits.once.Do(func() {
		e.Edits.turn = make(chan struct{}, 1)
		if e.EditDir != "" {
			e.Edits.writer = edit.NewWriter(e.EditDir)
		}
	})
	return e.Edits.writer
}

// EditRoots are the folders in which files may be changed; one that is not there has none.
func (e *Env) EditRoots() []string {
	out := []string{e.Settings.Workspace}
	for _, root := range e.Settings.Roots {
		if _, err := os.Stat(root); err == nil {
			out = append(out, root)
		}
	}
	return out
}

// Apply applies a plan. Calls that come meanwhile wait at [Call.recover].
func (e *Env) Apply(ctx context.Context, p *edit.Plan, o edit.ApplyOptions) (*edit.Applied, error) {
	w := e.Writer()
	release, err := e.Edits.Take(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	return w.Apply(ctx, p, o)
}

// Take waits for the turn; it is held for milliseconds.
func (e *edits) Take(ctx context.Context) (release func(), err error) {
	select {
	case e.turn <- struct{}{}:
		return func() { <-e.turn }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
