package mcpserver

import (
	"context"
	"sync"
)

// underWay counts requests in flight. Unlike with a sync.WaitGroup, new ones may begin while somebody waits, and
// waiting ends with a context.
type underWay struct {
	mu   sync.Mutex
	n    int           // guarded by mu
	none chan struct{} // closed when n becomes 0; nil while nobody waits; guarded by mu
}

// begin counts one request; the caller calls end once when it is answered.
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

// wait returns when no request is in flight, or ctx ends.
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
