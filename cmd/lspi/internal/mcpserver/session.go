package mcpserver

import (
	"context"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"

	"lspi/contract"
	"lspi/tools/session"
)

// closeCause is the cause of the service's context once it is closed. It reads as the reason that [Service.Close]
// was given, and is a cancellation besides, for those who tell by that.
type closeCause struct{ reason error }

func (c *closeCause) Error() string { return c.reason.Error() }

func (c *closeCause) Unwrap() []error { return []error{context.Canceled, c.reason} }

// notBegun is the error of a call that a closed service does not begin; ctx is the service's.
func notBegun(ctx context.Context) error {
	return contract.Errorf(contract.KindCancelled, nil, "the call was cancelled: %w", context.Cause(ctx))
}

// lazySession is the session of a service: opened once, by the first call, shared by all that come meanwhile. The
// opening belongs to the service and not to the call that was first, so that its cancellation costs the others
// nothing. A failed opening is forgotten, and the next call tries again. When what decided about the session has
// changed, the next call opens another one; calls in flight end with the one that they began with, which ends
// behind the last of them.
type lazySession struct {
	ctx    context.Context // of the service
	open   func(ctx context.Context, hostRoots []string) (*session.Session, error)
	opened func(*session.Session) // hears of each session that calls have from now on
	log    *slog.Logger

	mu      sync.Mutex
	closed  bool           // guarded by mu
	now     *heldSession   // guarded by mu; nil until the opening succeeded
	past    *heldSession   // the one before, while the opening of the next is under way; guarded by mu
	left    []*heldSession // those that are retired and that calls still have; guarded by mu
	opening *opening       // guarded by mu; nil when none is under way
	roots   []string       // of the host, when the last session was opened; guarded by mu
	ending  sync.WaitGroup // ends of sessions that no call waits for; entered under mu while closed is not set
}

// heldSession is a session with the calls that have it. Its fields are guarded by the mu of its lazySession.
type heldSession struct {
	*session.Session
	calls   int
	retired bool // no call gets it any more: it ends with the last one that has it
}

// opening is one attempt. held and err are set before done is closed.
type opening struct {
	done chan struct{}
	held *heldSession
	err  error
}

// use is the session for a call, which gives it back. roots is asked for the host's roots when this call is the one
// that opens.
func (s *lazySession) use(ctx context.Context, roots func(context.Context) []string) (session *session.Session,
	giveBack func(), err error) {
	for again := false; ; again = true {
		s.retire()
		h, joined, err := s.get(ctx, roots)
		if joined && !again && ctx.Err() == nil {
			continue // it was begun for another call, and may have read what has changed before this one came
		}
		if err != nil {
			return nil, func() {}, err
		}
		if giveBack, ok := s.take(h); ok {
			return h.Session, giveBack, nil
		}
		// It was left for the next one between the two steps.
	}
}

// take counts a call that has the session; false when no call gets it any more.
func (s *lazySession) take(h *heldSession) (giveBack func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if h.retired {
		return nil, false
	}
	h.calls++
	return sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		h.calls--
		s.endUnused(h)
	}), true
}

// endUnused ends a session that is retired and that no call has, in the background. It needs mu.
func (s *lazySession) endUnused(h *heldSession) {
	if !h.retired || h.calls > 0 || s.closed {
		return
	}
	s.left = slices.DeleteFunc(s.left, func(other *heldSession) bool { return other == h })
	s.ending.Go(h.Discard())
}

// retire leaves a session that is outdated for the next one, which begins before it ends, so that servers which
// both have go on.
func (s *lazySession) retire() {
	s.mu.Lock()
	h := s.now
	s.mu.Unlock()
	if h == nil || h.Outdated == nil || !h.Outdated() { // which looks at the disk
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now != h {
		return
	}
	s.log.Info("the session is opened anew, because its configuration, or trust in the workspace, has changed")
	s.now, s.past = nil, h
}

// get is the session. roots is asked for the host's roots when this call is the one that opens; joined reports that
// another one is.
func (s *lazySession) get(ctx context.Context, roots func(context.Context) []string) (h *heldSession, joined bool,
	err error) {
	s.mu.Lock()
	if s.now != nil || s.closed {
		defer s.mu.Unlock()
		if s.closed {
			return nil, false, notBegun(s.ctx)
		}
		return s.now, false, nil
	}
	o := s.opening
	if joined = o != nil; !joined {
		o = &opening{done: make(chan struct{})}
		s.opening = o
		// Not in ctx: the call may leave, while its host is still asked.
		go s.attempt(o, roots)
	}
	s.mu.Unlock()
	select {
	case <-o.done:
		return o.held, joined, o.err
	case <-ctx.Done():
		return nil, joined, context.Cause(ctx)
	}
}

// refresh opens the session anew when it is outdated, with the host's roots that are known; false when there is
// none. One that is being opened may have been read before what has changed.
func (s *lazySession) refresh() (there bool) {
	s.mu.Lock()
	there = s.now != nil || s.past != nil || s.opening != nil
	roots := s.roots
	s.mu.Unlock()
	if !there {
		return false
	}
	_, giveBack, err := s.use(s.ctx, func(context.Context) []string { return roots })
	giveBack()
	if err != nil && s.ctx.Err() == nil {
		s.log.Warn("opening the session anew", "error", err)
	}
	return err == nil
}

// current is the session that calls have; nil before the first and between two.
func (s *lazySession) current() *session.Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now == nil {
		return nil
	}
	return s.now.Session
}

// attempt runs in its own goroutine, which close waits for.
func (s *lazySession) attempt(o *opening, roots func(context.Context) []string) {
	defer close(o.done)
	session, err := s.openOnce(roots)
	if err == nil && s.opened != nil {
		s.opened(session) // before the first call has it
	}
	if o.held, o.err = s.keep(session, err); o.err != nil && session != nil {
		session.Close() // not under the lock: servers take seconds to end
	}
}

// keep ends an opening: session is that of all calls from now on, unless the opening failed or the service was
// closed meanwhile. The one before ends with its calls, also when nothing follows it: what it was opened with does
// not hold any more.
func (s *lazySession) keep(session *session.Session, err error) (*heldSession, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opening = nil
	if past := s.past; past != nil {
		s.past, past.retired = nil, true
		s.left = append(s.left, past)
		s.endUnused(past)
	}
	if s.closed && err == nil {
		err = notBegun(s.ctx)
	}
	if err != nil {
		return nil, err
	}
	s.now = &heldSession{Session: session}
	return s.now, nil
}

// openOnce turns a panic into an error: this goroutine is nobody's call.
func (s *lazySession) openOnce(roots func(context.Context) []string) (session *session.Session, err error) {
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("panic while opening the session", "panic", p, "stack", string(debug.Stack()))
			err = contract.Errorf(contract.KindPanic, nil, "opening the session failed because of a bug in lspi: %v", p)
		}
	}()
	known := roots(s.ctx)
	s.mu.Lock()
	s.roots = known
	s.mu.Unlock()
	return s.open(s.ctx, known)
}

// close ends the servers of the session, or waits for an opening under way and ends what it gave. The calls have ended.
func (s *lazySession) close() {
	s.mu.Lock()
	s.closed = true
	held, o := append(s.left, s.now, s.past), s.opening
	s.now, s.past, s.left = nil, nil, nil
	s.mu.Unlock()
	if o != nil {
		<-o.done
	}
	for _, h := range held {
		if h != nil {
			h.Close()
		}
	}
	s.ending.Wait()
}
