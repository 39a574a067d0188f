package session

import (
	"context"
	"sync"
	"time"

	"lspi/lsp/edit"
)

// edits is what a process has to change files with.
type edits struct {
	once   sync.Once
	writer *edit.Writer  // nil when there is no folder for journals; set by once
	lock   chan struct{} // held by who applies or recovers; made by once

	// barriers waits for those of all journals before an edit is applied, and has those that come wait: one that
	// went on meanwhile would have servers told of a half of the edit, and the calls of other sessions answered
	// from that.
	barriers gate
}

// barrierLimit is how long an edit waits for barriers that are going on. They take a tenth of a millisecond, and
// seconds only where a large tree is compared on a slow disk; what is asked about such a tree then may see the half
// of an edit of another one.
const barrierLimit = 2 * time.Second

// Writer applies plans; nil when nothing can be edited.
func (p *Process) Writer() *edit.Writer {
	p.edits.once.Do(func() {
		p.edits.lock = make(chan struct{}, 1)
		if p.EditDir != "" {
			p.edits.writer = edit.NewWriter(p.EditDir)
		}
	})
	return p.edits.writer
}

// Apply applies a plan under the lock of [Process.LockEdits]. No answer of this process is from the half of it.
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

// LockEdits waits until no other call of the process changes files. It is one lock for all workspaces, because
// their roots may overlap, and is held for milliseconds. Its only error is the end of ctx.
func (p *Process) LockEdits(ctx context.Context) (release func(), err error) {
	p.Writer() // makes the lock
	select {
	case p.edits.lock <- struct{}{}:
		return func() { <-p.edits.lock }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
