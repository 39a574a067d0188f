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

// closeCause is the cause of the service's context after [Service.Close]. Its text is the reason given there;
// errors.Is finds context.Canceled in it as well.
type closeCause struct{ reason error }

func (c *closeCause) Error() string { return c.reason.Error() }

func (c *closeCause) Unwrap() []error { return []error{context.Canceled, c.reason} }

// notBegun returns the error of a call that arrives after Close; ctx is the service's.
func notBegun(ctx context.Context) error {
	return contract.Errorf(contract.KindCancelled, nil, "the call was cancelled: %w", context.Cause(ctx))
}

// lazySession is the session of a service. The first call opens it; calls that come during the opening wait for it and
// share it. The opening runs in the service's context, so that cancelling the first call does not fail the others.
// After a failed opening the next call tries again. When the configuration that the session was opened with has
// changed, the next call opens another session; calls in flight keep theirs, which ends after the last of them.
type lazySession struct {
	ctx    context.Context // of the service
	open   func(ctx context.Context, hostRoots []string) (*session.Session, error)
	opened func(*session.Session) // called with each new session before a call gets it
	log    *slog.Logger

	mu      sync.Mutex
	closed  bool           // guarded by mu
	now     *heldSession   // what calls get; guarded by mu; nil until an opening succeeded
	past    *heldSession   // the previous session while the next is opened; guarded by mu
	left    []*heldSession // retired sessions that calls still use; guarded by mu
	opening *opening       // guarded by mu; nil while no session is being opened
	roots   []string       // the host's, when the last session was opened; guarded by mu
	ending  sync.WaitGroup // sessions that end in the background; added to under mu while closed is not set
}

// heldSession is a session with the number of calls that use it. Its fields are guarded by lazySession.mu.
type heldSession struct {
	*session.Session
	calls   int
	retired bool // new calls do not get it; it ends with the last call that uses it
}

// opening is one attempt to open the session. held and err are set before done is closed.
type opening struct {
	done chan struct{}
	held *heldSession
	err  error
}

// use returns the session for a call, opening it when necessary; the call gives it back when it ends. roots asks the
// host for its roots; it is called only if this call opens the session.
func (s *lazySession) use(ctx context.Context, roots func(context.Context) []string) (session *session.Session,
	giveBack func(), err error) {
	for again := false; ; again = true {
		s.retire()
		h, joined, err := s.get(ctx, roots)
		if joined && !again && ctx.Err() == nil {
			continue // another call began this opening; it may have read files that changed before this call came
		}
		if err != nil {
			return nil, func() {}, err
		}
		if giveBack, ok := s.take(h); ok {
			return h.Session, giveBack, nil
		}
		// The session was retired between get and take.
	}
}

// take registers a call as a user of the session; false when the session is retired.
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

// endUnused ends a retired session that no call uses, in the background. The caller holds mu.
func (s *lazySession) endUnused(h *heldSession) {
	if !h.retired || h.calls > 0 || s.closed {
		return
	}
	s.left = slices.DeleteFunc(s.left, func(other *heldSession) bool { return other == h })
	s.ending.Go(h.Discard())
}

// retire puts an outdated session aside, so that the next call opens another. The old one ends only after the new one
// has begun: servers that both use go on running.
func (s *lazySession) retire() {
	s.mu.Lock()
	h := s.now
	s.mu.Unlock()
	if h == nil || h.Outdated == nil || !h.Outdated() { // not under mu: Outdated reads the disk
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

// get returns the present session, or waits for the opening of one, which it starts when no other call has. joined
// reports that the opening had been started by another call.
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
		// Not in ctx: the opening goes on when this call is cancelled.
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

// current returns the session that new calls get; nil before the first one and while the next is opened.
func (s *lazySession) current() *session.Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now == nil {
		return nil
	}
	return s.now.Session
}

// attempt opens the session for all that wait for o. It runs in a goroutine of its own, which close waits for.
func (s *lazySession) attempt(o *opening, roots func(context.Context) []string) {
	defer close(o.done)
	session, err := s.openOnce(roots)
	if err == nil && s.opened != nil {
		s.opened(session)
	}
	if o.held, o.err = s.keep(session, err); o.err != nil && session != nil {
		session.Close() // not under mu: servers take seconds to end
	}
}

// keep ends an opening: from now on calls get session, unless the opening failed or the service was closed. The
// previous session is retired in any case, because the configuration that it was opened with is no longer valid.
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

// openOnce opens a session. It turns a panic into an error, which no caller's recover would see in this goroutine.
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

// close ends all sessions; a session that is being opened ends as soon as it is open. All calls have ended before.
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
