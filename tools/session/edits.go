package session

import (
	"context"
	"sync"
	"time"

	"lspi/lsp/edit"
)

// edits is what a process needs to change files.
type edits struct {
	once   sync.Once
	writer *edit.Writer  // nil when there is no folder for journals; set by once
	lock   chan struct{} // held while a plan is applied or an interrupted edit recovered; made by once

	// barriers delays the barriers of all journals of changes while an edit of several files is written. A barrier
	// that ran meanwhile would tell servers of half of the edit, and calls of other sessions would be answered from it.
	barriers gate
}

// barrierLimit is how long an edit waits for barriers that are going on. A barrier takes a tenth of a
// millisecond, and seconds only where a large tree is compared on a slow disk. After the limit the edit
// is written all the same; what is asked about such a tree then may see half of it.
const barrierLimit = 2 * time.Second

// Writer returns what applies plans; nil when there is no place for journals, so that nothing may be
// edited.
func (p *Process) Writer() *edit.Writer {
	p.edits.once.Do(func() {
		p.edits.lock = make(chan struct{}, 1)
		if p.EditDir != "" {
			p.edits.writer = edit.NewWriter(p.EditDir)
		}
	})
	return p.edits.writer
}

// Apply applies a plan while no other edit of the process runs, and no barrier tells servers of
// changes. It waits for both; ctx ends the first wait.
func (p *Process) Apply(ctx context.Context, plan *edit.Plan, o edit.ApplyOptions) (*edit.Applied, error) {
	release, err := p.LockEdits(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	patient, cancel := context.WithTimeout(ctx, barrierLimit)
	defer cancel()
	if open, err := p.edits.barriers.shut(patient); err == nil {
		defer open()
	}
	return p.Writer().Apply(ctx, plan, o)
}

// LockEdits waits until no other call of the process changes files. One lock serves all workspaces,
// because their roots may overlap; it is held for milliseconds. The only error is the end of ctx.
func (p *Process) LockEdits(ctx context.Context) (release func(), err error) {
	p.Writer() // makes the lock
	select {
	case p.edits.lock <- struct{}{}:
		return func() { <-p.edits.lock }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
