package watch

import "context"

// barrier is one wait of any number of callers. What it waits for is done after the last of them called.
type barrier struct {
	mark Mark          // written before done is closed
	done chan struct{} //
}

// Barrier returns when everything that anyone did to the tree before the call is in the journal, at or before the mark
// that it returns. It waits for the first walk. Errors: that of ctx, and ErrClosed. A caller that leaves early costs the others
// nothing.
func (j *Journal) Barrier(ctx context.Context) (Mark, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	b := j.join()
	select {
	case <-b.done:
		return b.mark, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	case <-j.done:
		return 0, ErrClosed
	}
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

// take makes the called barrier the pending one: from here on nobody joins it.
func (j *Journal) take() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.pending, j.next = j.next, nil
	return j.pending != nil
}

// finish releases who waits for the pending barrier, if there is one.
func (j *Journal) finish() {
	b := j.pending
	if b == nil {
		return
	}
	j.pending = nil
	b.mark = j.history.seal()
	close(b.done)
}
