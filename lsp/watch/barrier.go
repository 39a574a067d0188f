package watch

import (
	"context"
	"sync/atomic"
	"time"
)

// pendingBarrier is one barrier that any number of callers wait for. Its work begins after the last of them called;
// otherwise a caller could be answered from a look at the disk that was made before its call.
type pendingBarrier struct {
	mark Mark          // written before done is closed
	done chan struct{} // closed when the barrier is over
}

// Barrier returns when everything that anyone did to the tree before the call is in the journal, at or before the
// returned mark. It blocks during the first walk, and while Options.Hold does. Its errors are that of ctx, and
// ErrClosed. A caller whose ctx ends early does not disturb the other callers of the same barrier.
func (j *Journal) Barrier(ctx context.Context) (Mark, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	b := earlyOf(ctx, j)
	if b == nil {
		b = j.join()
	}
	select {
	case <-b.done:
		return b.mark, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	// Not ctx of the journal: run may still be ending the barrier, and its result counts.
	case <-j.done:
		return 0, ErrClosed
	}
}

// earlyBarrier is a barrier that began before anyone waits for it.
type earlyBarrier struct {
	journal *Journal
	barrier *pendingBarrier
	began   time.Time
	taken   atomic.Bool
}

type earlyKey struct{}

// earlyLasts is how long an early barrier may be used. It covers what a call does before it asks a server; a call
// that was delayed longer has to learn what has changed meanwhile.
const earlyLasts = 100 * time.Millisecond

// Early begins a barrier for the first call of [Journal.Barrier] with the returned context, so that the barrier runs
// while the caller prepares its question. That call gets everything that was done to the tree before Early. Every
// other call begins a barrier of its own.
func (j *Journal) Early(ctx context.Context) context.Context {
	return context.WithValue(ctx, earlyKey{}, &earlyBarrier{journal: j, barrier: j.join(), began: time.Now()})
}

// earlyOf returns the barrier that [Journal.Early] began for this caller, once; nil when there is none.
func earlyOf(ctx context.Context, j *Journal) *pendingBarrier {
	e, _ := ctx.Value(earlyKey{}).(*earlyBarrier)
	if e == nil || e.journal != j || time.Since(e.began) > earlyLasts || !e.taken.CompareAndSwap(false, true) {
		return nil
	}
	return e.barrier
}

// join returns the barrier that has not begun yet, so that all of its work follows this call.
func (j *Journal) join() *pendingBarrier {
	j.mu.Lock()
	b := j.next
	if b == nil {
		b = &pendingBarrier{done: make(chan struct{})}
		j.next = b
	}
	j.mu.Unlock()
	j.wake()
	return b
}

// beginPending makes the barrier that callers asked for the pending one, which nobody joins from then on, and reports
// whether there was one. It waits for edits in progress ([Options].Hold) first: callers that join during that wait
// are served by the same barrier. j.mu is not held during the wait.
func (j *Journal) beginPending() bool {
	j.mu.Lock()
	called := j.next != nil
	j.mu.Unlock()
	if !called {
		return false
	}
	if j.hold != nil {
		release, err := j.hold(j.ctx)
		if err != nil { // the journal is closed
			return false
		}
		j.release = release
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.pending, j.next = j.next, nil
	return true
}

// releaseHold lets edits begin again.
func (j *Journal) releaseHold() {
	if j.release != nil {
		j.release()
		j.release = nil
	}
}

// finish ends the pending barrier, if there is one: it seals the history and wakes the callers. Edits may go on
// before the callers do, since the mark is taken.
func (j *Journal) finish() {
	b := j.pending
	if b == nil {
		return
	}
	j.pending = nil
	b.mark = j.history.seal()
	j.releaseHold()
	close(b.done)
}
