package pool

import (
	"context"
	"errors"
	"sync"

	"lspi/contract"
	"lspi/lsp"
)

// A server that is shown texts which are not on disk must not be asked by anyone else meanwhile. So who does that has it
// alone ([Pool.Alone]): it waits until the others are done, and who comes later waits for it.

// holder is one user of servers: a call of a tool, however many of its parts ask at a time.
type holder struct{ _ byte }

type holderKey struct{}

// Holding makes everything that is asked under ctx one user, so that a part of a call which has a server already never
// waits behind somebody who waits for that call to be done.
func Holding(ctx context.Context) context.Context {
	return context.WithValue(ctx, holderKey{}, &holder{})
}

func holderOf(ctx context.Context) *holder {
	if h, ok := ctx.Value(holderKey{}).(*holder); ok {
		return h
	}
	return &holder{}
}

// turns say who uses the server of a slot. Pool.mu guards all of it.
type turns struct {
	users   map[*holder]int  // who has the server, and how many parts of it
	waiting map[*holder]bool // of these who wait to have it alone, and do not ask meanwhile
	alone   *holder          // who has it alone; nil when nobody does
	moved   chan struct{}    // closed and replaced at every change
}

func newTurns() turns {
	return turns{users: map[*holder]int{}, waiting: map[*holder]bool{}, moved: make(chan struct{})}
}

func (t *turns) move() {
	close(t.moved)
	t.moved = make(chan struct{})
}

// barred reports whether h must wait: somebody else has the server alone, or waits to while h does not have it yet.
func (t *turns) barred(h *holder) bool {
	if t.alone != nil {
		return t.alone != h
	}
	return len(t.waiting) > 0 && t.users[h] == 0
}

func (t *turns) enter(h *holder) { t.users[h]++ }

func (t *turns) leave(h *holder) {
	if t.users[h]--; t.users[h] == 0 {
		delete(t.users, h)
	}
	t.move()
}

// free reports whether nobody but h is at work with the server.
func (t *turns) free(h *holder) bool {
	if t.alone != nil {
		return false
	}
	for other := range t.users {
		if other != h && !t.waiting[other] {
			return false
		}
	}
	return true
}

// Alone waits until nobody else uses a server that the caller got from [Pool.Get] under the same ctx, and keeps others
// out until release is called. Its errors are the end of ctx, and server_crashed when the server is no longer the pool's.
func (p *Pool) Alone(ctx context.Context, s *lsp.Server) (release func(), err error) {
	h := holderOf(ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	sl := p.slotOf(s)
	if sl == nil {
		return nil, s.CrashError()
	}
	sl.turns.waiting[h] = true
	defer func() {
		delete(sl.turns.waiting, h)
		sl.turns.move()
	}()
	sl.turns.move() // who waits too does not have to wait for this one
	for !sl.turns.free(h) {
		moved := sl.turns.moved
		p.mu.Unlock()
		select {
		case <-moved:
		case <-s.Done():
		case <-ctx.Done():
		}
		p.mu.Lock()
		switch {
		case ctx.Err() != nil:
			return nil, busy(ctx, sl.spec)
		case sl.server != s || ended(s):
			return nil, s.CrashError()
		}
	}
	sl.turns.alone = h
	return sync.OnceFunc(func() { p.shared(sl) }), nil
}

func ended(s *lsp.Server) bool {
	select {
	case <-s.Done():
		return true
	default:
		return false
	}
}

// slotOf is the slot in which a server runs; nil when it was taken out. Pool.mu is held.
func (p *Pool) slotOf(s *lsp.Server) *slot {
	for _, sl := range p.slots {
		if sl.server == s {
			return sl
		}
	}
	return nil
}

func (p *Pool) shared(sl *slot) {
	p.mu.Lock()
	defer p.mu.Unlock()
	sl.turns.alone = nil
	sl.turns.move()
}

// busy is the error of a caller whose time ended while others had the server.
func busy(ctx context.Context, spec *lsp.Spec) error {
	facts := contract.Facts{"server_id": spec.ID}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) || errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return contract.Errorf(contract.KindRequestTimeout, facts, "%s was kept busy by other calls: %w", spec.ID, context.Cause(ctx))
	}
	return contract.Errorf(contract.KindCancelled, facts, "waiting for %s was cancelled: %w", spec.ID, context.Cause(ctx))
}
