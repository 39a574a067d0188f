package wire

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// stallTime is how long a server may be silent in the middle of a message while somebody waits for an answer. Servers
// write a message when all of it is there: who stops within one has announced more bytes than it sends, and every
// answer that follows would be swallowed as the rest of it. The same time is given to calls whose answer may have
// been in what was no message.
const stallTime = 5 * time.Second

// ProtocolError says that what a server sent cannot be cut into messages, so that answers to calls were lost.
type ProtocolError struct{ Reason string }

func (e *ProtocolError) Error() string { return "it broke the protocol: " + e.Reason }

// unanswered are the calls that wait for their answers, by the order in which they began.
type unanswered struct {
	mu    sync.Mutex
	began int              // calls so far; guarded by mu
	open  map[int]struct{} // guarded by mu
}

// begin counts a call until end is called.
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

// count is the number of calls that have begun.
func (u *unanswered) count() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.began
}

// any reports whether one of the first n calls waits.
func (u *unanswered) any(n int) bool {
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
	within string // what a read waits for more of, "" for none; guarded by mu
}

func newStall(calls *unanswered, end func(error)) *stall {
	s := &stall{calls: calls, end: end}
	s.timer = time.AfterFunc(stallTime, s.check)
	s.timer.Stop()
	return s
}

// wait is called before a read that waits for more of what within says, done when it has returned.
func (s *stall) wait(within string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.within = within
	s.timer.Reset(stallTime)
}

func (s *stall) done() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.within = ""
	s.timer.Stop()
}

// check ends the stream, or goes on watching while nobody waits for an answer.
func (s *stall) check() {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.within == "":
	case s.calls.any(s.calls.count()):
		s.end(&ProtocolError{fmt.Sprintf("%s, and nothing more for %v", s.within, stallTime)})
	default:
		s.timer.Reset(stallTime)
	}
}

// lost is told of what was no message, and may have been the answer to a call that waits now. One at a time is
// enough: it ends the stream or nothing was lost.
func (s *stream) lost(reason string) {
	n := s.calls.count()
	if !s.calls.any(n) || s.losing.Swap(true) {
		return
	}
	timer := time.AfterFunc(stallTime, func() {
		s.losing.Store(false)
		if s.calls.any(n) {
			s.end(&ProtocolError{reason})
		}
	})
	context.AfterFunc(s.ctx, func() { timer.Stop() })
}
