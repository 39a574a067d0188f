package watch

import (
	"context"
	"sync/atomic"
	"time"
)

// barrier is one wait of any number of callers. What it waits for is done after the last of them called.
type barrier struct {
	mark Mark          // written before done is closed
	done chan struct{} //
}

// Barrier returns when everything that anyone did to the tree before the call is in the journal, at or before the mark
// that it returns. It waits for the first walk. Errors: that of ctx, and ErrClosed. A caller that leaves early
// costs the others nothing.
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
	case <-j.done:
		return 0, ErrClosed
	}
}

// early is a barrier that was begun before anyone waits for it.
type early struct {
	journal *Journal
	barrier *barrier
	began   time.Time
	taken   atomic.Bool
}

type earlyKey struct{}

// earlyLasts is for how long an early barrier is taken. It is for what a call does before it asks; who had to wait
// longer wants to know what has changed meanwhile.
const earlyLasts = 100 * time.Millisecond

// Early begins a barrier for the first [Journal.Barrier] that is called with the context that it returns: that
// gives everything that anyone did to the tree before Early, and takes no time where what lies between took as
// long. Every other call begins one of its own.
func (j *Journal) Early(ctx context.Context) context.Context {
	return context.WithValue(ctx, earlyKey{}, &early{journal: j, barrier: j.join(), began: time.Now()})
}

// earlyOf is the barrier of [Journal.Early]; nil when there is none for this caller.
func earlyOf(ctx context.Context, j *Journal) *barrier {
	e, _ := ctx.Value(earlyKey{}).(*early)
	if e == nil || e.journal != j || time.Since(e.began) > earlyLasts || !e.taken.CompareAndSwap(false, true) {
		return nil
	}
	return e.barrier
}

// join returns the barrier that has not begun yet, so that whatever it does comes after this call.
func (j *Journal) join() *barrier {
	j.mu.Lock()
	b := j.next
	if b == nil {
		b = &barrier{done: make(chan struct{})}
		j.next = b
	}
	j.mu.Unlock()
	j.wake()
	return b
}

// take makes the called barrier the pending one: from here on nobody joins it. It waits for who changes files
// ([Options].Hold).
func (j *Journal) take() bool {
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

// letGo ends what take has held.
func (j *Journal) letGo() {
	if j.release != nil {
		j.release()
		j.release = nil
	}
}

// finish releases who waits for the pending barrier, if there is one.
func (j *Journal) finish() {
	b := j.pending
	if b == nil {
		return
	}
	j.pending = nil
	b.mark = j.history.seal()
	j.letGo()
	close(b.done)
}
