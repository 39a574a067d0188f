package router

import (
	"context"
	"errors"
	"sync"

	"lspi/contract"
	"lspi/lsp"
	"lspi/lsp/spec"
)

// A server that is shown texts which are not on disk must not be asked by another caller meanwhile. So whoever
// shows them has the server exclusively ([Caller.Exclusive]): it waits until the other callers are done, and who
// comes later waits for it.

// Caller is one user of servers, such as one call of a tool. Its parts may ask at the same time; none of them waits
// for the exclusive use that its own caller has, nor for another caller that waits for this one to be done.
type Caller struct{ pool *Pool }

// NewCaller makes a user of the pool's servers.
func (p *Pool) NewCaller() *Caller { return &Caller{p} }

// Get is the running server for a route, started when there is none. release must be called when the caller is done
// with it; until then the server is not stopped for being idle. It waits for the start, and while another caller
// has the server exclusively. Its errors are those of [lsp.Start], server_disabled when the server crashed too
// often, and the end of ctx.
func (c *Caller) Get(ctx context.Context, r Route) (s *lsp.Server, release func(), err error) {
	return c.pool.get(ctx, r, c)
}

// useLock says who uses the server of a slot: several callers at the same time, or one exclusively. Group.mu guards
// all of it.
type useLock struct {
	shared    map[*Caller]int  // who has the server, and how many parts of it
	upgrading map[*Caller]bool // of these, who wait for exclusive use and do not ask meanwhile
	exclusive *Caller          // nil when nobody has exclusive use
	changed   chan struct{}    // closed and replaced at every change
}

func newUseLock() useLock {
	return useLock{shared: map[*Caller]int{}, upgrading: map[*Caller]bool{}, changed: make(chan struct{})}
}

func (l *useLock) notify() {
	close(l.changed)
	l.changed = make(chan struct{})
}

// blocks reports whether c must wait: another caller has exclusive use, or waits for it while c does not have the
// server yet.
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

// canUpgrade reports whether no caller but c asks the server at present.
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

// Exclusive waits until no other caller uses a server that this one got from [Caller.Get], and keeps others out
// until release is called. Its errors are the end of ctx, and server_crashed when the server is no longer the
// pool's.
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
	sl.lock.notify() // who upgrades too does not have to wait for this one
	for !sl.lock.canUpgrade(c) {
		changed := sl.lock.changed
		p.group.mu.Unlock()
		select {
		case <-changed:
		case <-s.Done():
		case <-ctx.Done():
		}
		p.group.mu.Lock()
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

// slotOf is the slot in which a server runs; nil when it was taken out. Group.mu is held.
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

// busy is the error of a caller whose time ended while others had the server.
func busy(ctx context.Context, spec *spec.Spec) error {
	facts := contract.Facts{"server_id": spec.ID}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) || errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return contract.Errorf(contract.KindRequestTimeout, facts, "%s was kept busy by other calls: %w", spec.ID,
			context.Cause(ctx))
	}
	return contract.Errorf(contract.KindCancelled, facts, "waiting for %s was cancelled: %w", spec.ID,
		context.Cause(ctx))
}
