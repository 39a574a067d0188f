package wire

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// stallTime is how long a server may be silent within a message while a call waits. Servers write a message when all
// of it is there: one that stops within a message has announced more bytes than it sends, and every answer that
// follows would be swallowed as the rest of it. Calls whose answer may have been in an unreadable message get the
// same time.
const stallTime = 5 * time.Second

// ProtocolError says that the server's output cannot be cut into messages, so that answers to calls were lost.
type ProtocolError struct{ Reason string }

func (e *ProtocolError) Error() string { return "it broke the protocol: " + e.Reason }

// unanswered are the calls that wait for their answers, numbered in the order in which they began.
type unanswered struct {
	mu    sync.Mutex
	began int              // calls so far; guarded by mu
	open  map[int]struct{} // numbers of the calls that wait; guarded by mu
}

// begin adds a call, which waits until end is called.
func (u *unanswered) begin() (end func()) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.open == nil {
		u.open = map[int]struct{}{}
	}
	u.began++
	n := u.began
	u.open[n] = struct{}{}
	return func() {
		u.mu.Lock()
		defer u.mu.Unlock()
		delete(u.open, n)
	}
}

// count returns how many calls have begun so far.
func (u *unanswered) count() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.began
}

// anyOf reports whether one of the first n calls still waits.
func (u *unanswered) anyOf(n int) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	for call := range u.open {
		if call <= n {
			return true
		}
	}
	return false
}

// stall ends the stream when the server is silent within a message for stallTime while a call waits.
type stall struct {
	calls *unanswered
	end   func(error)
	timer *time.Timer

	mu     sync.Mutex
	within string // what the present read waits for the rest of; "" for none; guarded by mu
}

func newStall(calls *unanswered, end func(error)) *stall {
	s := &stall{calls: calls, end: end}
	s.timer = time.AfterFunc(stallTime, s.check)
	s.timer.Stop()
	return s
}

// readBegins is called before a read that waits for the rest of what within says; readEnded after it.
func (s *stall) readBegins(within string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.within = within
	s.timer.Reset(stallTime)
}

func (s *stall) readEnded() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.within = ""
	s.timer.Stop()
}

// check ends the stream when a call waits. Otherwise it looks again later: nobody is harmed yet.
func (s *stall) check() {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.within == "":
	case s.calls.anyOf(s.calls.count()):
		s.end(&ProtocolError{fmt.Sprintf("%s, and nothing more for %v", s.within, stallTime)})
	default:
		s.timer.Reset(stallTime)
	}
}

// lost is told of output that was not a message and may have been the answer to a call that waits now. If none of
// these calls has ended within stallTime, it ends the stream. One timer at a time is enough: either it ends the
// stream, or nothing was lost.
func (s *stream) lost(reason string) {
	n := s.calls.count()
	if !s.calls.anyOf(n) || s.losing.Swap(true) {
		return
	}
	timer := time.AfterFunc(stallTime, func() {
		s.losing.Store(false)
		if s.calls.anyOf(n) {
			s.end(&ProtocolError{reason})
		}
	})
	context.AfterFunc(s.ctx, func() { timer.Stop() })
}
