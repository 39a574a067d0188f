package router

import (
	"context"
	"errors"
	"sync"

	"lspi/contract"
	"lspi/lsp"
	"lspi/lsp/spec"
)

// A server that is shown texts which are not on disk would answer other callers from these texts. So the caller that
// shows them holds the server exclusively ([Caller.Exclusive]): it waits until the other callers have released the
// server, and callers that arrive later wait for it.
//
// The lock belongs to callers and not to goroutines, since one call of a tool asks one server from several goroutines:
// a plain sync.RWMutex would make the parts of one call wait for each other. It is a set under Group.mu with a channel
// for changes, because a waiting caller also has to notice the end of its context and of the server.

// Caller is one user of servers, such as one call of a tool. Its goroutines may use a server at the same time: none
// of them waits for the exclusive use of its own caller, nor for another caller that waits for this one.
type Caller struct{ pool *Pool }

// NewCaller returns a new user of the pool's servers. Each call of a tool needs its own.
func (p *Pool) NewCaller() *Caller { return &Caller{p} }

// Get returns the running server for a route and starts one when there is none. The caller must call release when it
// is done; until then the server is not stopped for being idle or to make room.
//
// Get blocks while the server starts and while another caller holds it exclusively. Its errors are those of
// [lsp.Start], server_disabled and memory_limit when the server is kept off, special_file, and the end of ctx:
// still_indexing when the time was up during a start, request_timeout when other callers kept the server, cancelled.
func (c *Caller) Get(ctx context.Context, r Route) (s *lsp.Server, release func(), err error) {
	return c.pool.acquire(ctx, r, c)
}

// useLock records which callers use the server of a slot: several that share it, or one that holds it exclusively.
// Group.mu guards all fields.
type useLock struct {
	shared    map[*Caller]int  // callers that use the server → how many of their goroutines do
	upgrading map[*Caller]bool // of these, the ones that wait for exclusive use and ask nothing meanwhile
	exclusive *Caller          // nil when no caller holds the server exclusively
	changed   chan struct{}    // closed and replaced at every change; waiting callers then look again
}

func newUseLock() useLock {
	return useLock{shared: map[*Caller]int{}, upgrading: map[*Caller]bool{}, changed: make(chan struct{})}
}

func (l *useLock) notify() {
	close(l.changed)
	l.changed = make(chan struct{})
}

// blocks reports whether c must wait: another caller holds the server exclusively, or waits for that while c does not
// use the server yet. Without the second rule a stream of short calls would starve the caller that waits. A caller
// that already uses the server is let through, since the waiting one waits for its end.
func (l *useLock) blocks(c *Caller) bool {
	if l.exclusive != nil {
		return l.exclusive != c
	}
	return len(l.upgrading) > 0 && l.shared[c] == 0
}

func (l *useLock) enter(c *Caller) { l.shared[c]++ }

func (l *useLock) leave(c *Caller) {
	if l.shared[c]--; l.shared[c] == 0 {
		delete(l.shared, c)
	}
	l.notify()
}

// canUpgrade reports whether no caller but c may ask the server at present. Callers that wait for exclusive use
// themselves do not count: two that share a server and both want it would else wait for each other for ever.
func (l *useLock) canUpgrade(c *Caller) bool {
	if l.exclusive != nil {
		return false
	}
	for other := range l.shared {
		if other != c && !l.upgrading[other] {
			return false
		}
	}
	return true
}

// Exclusive waits until no other caller uses a server that c got from [Caller.Get], and keeps others out until
// release is called. Its errors are the end of ctx, and server_crashed when the process ended or was taken out of the
// pool.
func (c *Caller) Exclusive(ctx context.Context, s *lsp.Server) (release func(), err error) {
	defer lsp.Wait(ctx, s.ID(), "other questions")()
	p := c.pool
	p.group.mu.Lock()
	defer p.group.mu.Unlock()
	sl := p.slotOf(s)
	if sl == nil {
		return nil, s.CrashError()
	}
	sl.lock.upgrading[c] = true
	defer func() {
		delete(sl.lock.upgrading, c)
		sl.lock.notify()
	}()
	sl.lock.notify() // callers that wait for exclusive use no longer wait for c
	for !sl.lock.canUpgrade(c) {
		changed := sl.lock.changed
		p.group.mu.Unlock()
		select {
		case <-changed:
		case <-s.Done():
		case <-ctx.Done():
		}
		p.group.mu.Lock()
		// The lock was released while waiting: the server may have ended, or have been taken out of its slot by a
		// restart.
		switch {
		case ctx.Err() != nil:
			return nil, busy(ctx, sl.spec)
		case sl.server != s || ended(s):
			return nil, s.CrashError()
		}
	}
	sl.lock.exclusive = c
	return sync.OnceFunc(func() { p.endExclusive(sl) }), nil
}

func ended(s *lsp.Server) bool {
	select {
	case <-s.Done():
		return true
	default:
		return false
	}
}

// slotOf returns the slot in which a server runs; nil when the server was taken out. Group.mu is held.
func (p *Pool) slotOf(s *lsp.Server) *slot {
	for _, sl := range p.group.slots {
		if sl.server == s {
			return sl
		}
	}
	return nil
}

func (p *Pool) endExclusive(sl *slot) {
	p.group.mu.Lock()
	defer p.group.mu.Unlock()
	sl.lock.exclusive = nil
	sl.lock.notify()
}

// busy is the error of a caller whose context ended while other callers used the server.
func busy(ctx context.Context, spec *spec.Spec) error {
	facts := contract.Facts{"server_id": spec.ID}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) || errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return contract.Errorf(contract.KindRequestTimeout, facts, "%s was kept busy by other calls: %w", spec.ID,
			context.Cause(ctx))
	}
	return contract.Errorf(contract.KindCancelled, facts, "waiting for %s was cancelled: %w", spec.ID,
		context.Cause(ctx))
}
