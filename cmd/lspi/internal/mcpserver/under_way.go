package mcpserver

import (
	"context"
	"sync"
)

// underWay counts requests, for who waits for the end of all of them. Unlike sync.WaitGroup it may be waited for
// while new ones come, and not for ever.
type underWay struct {
	mu   sync.Mutex
	n    int           // guarded by mu
	none chan struct{} // closed when n becomes 0; nil while nobody waits; guarded by mu
}

// begin counts one more; the caller calls end once.
func (u *underWay) begin() (end func()) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.n++
	return func() {
		u.mu.Lock()
		defer u.mu.Unlock()
		if u.n--; u.n == 0 && u.none != nil {
			close(u.none)
			u.none = nil
		}
	}
}

// wait returns when there is none, or ctx ends.
func (u *underWay) wait(ctx context.Context) {
	u.mu.Lock()
	if u.n == 0 {
		u.mu.Unlock()
		return
	}
	if u.none == nil {
		u.none = make(chan struct{})
	}
	none := u.none
	u.mu.Unlock()
	select {
	case <-none:
	case <-ctx.Done():
	}
}
