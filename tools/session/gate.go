package session

import (
	"context"
	"sync"
)

// gate lets any number pass at the same time, or one shut it. It is a sync.RWMutex whose waits end with a context. The zero value is open.
type gate struct {
	mu      sync.Mutex
	inside  int           // who has passed and not left; guarded by mu
	shuts   int           // who has shut it or waits for that, so that nobody passes; guarded by mu
	closed  bool          // somebody has shut it; guarded by mu
	changed chan struct{} // closed at the next change; nil while nobody waits; guarded by mu
}

// hold passes the gate, and waits while somebody has shut it or wants to. Its only error is the end of ctx.
func (g *gate) hold(ctx context.Context) (release func(), err error) {
	err = g.await(ctx, func() bool { return g.shuts == 0 }, func() { g.inside++ })
	return g.change(func() { g.inside-- }), err
}

// shut waits until nobody is inside, and keeps everybody out until open is called. Its only error is the end of ctx.
func (g *gate) shut(ctx context.Context) (open func(), err error) {
	g.change(func() { g.shuts++ })()
	unshut := g.change(func() { g.shuts-- })
	if err := g.await(ctx, func() bool { return g.inside == 0 && !g.closed }, func() { g.closed = true }); err != nil {
		unshut()
		return nil, err
	}
	return func() {
		g.change(func() { g.closed = false })()
		unshut()
	}, nil
}

// await does something as soon as it may, both under the lock.
func (g *gate) await(ctx context.Context, may func() bool, do func()) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	for !may() {
		if g.changed == nil {
			g.changed = make(chan struct{})
		}
		changed := g.changed
		g.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
		}
		g.mu.Lock()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	do()
	return nil
}

// change is a change under the lock, of which who waits is told. Only its first call counts.
func (g *gate) change(do func()) func() {
	return sync.OnceFunc(func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		do()
		if g.changed != nil {
			close(g.changed)
			g.changed = nil
		}
	})
}
