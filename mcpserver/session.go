package mcpserver

import (
	"context"
	"log/slog"
	"runtime/debug"
	"sync"

	"lspi/contract"
	"lspi/workspace"
)

// errServiceClosed ends the calls of a service that is ending.
var errServiceClosed = contract.Errorf(contract.KindCancelled, nil, "lspi is shutting down")

// lazySession is the session of a service: opened once, by the first call, shared by all that come meanwhile. The opening
// belongs to the service and not to the call that was first, so that its cancellation costs the others nothing. A
// failed opening is forgotten, and the next call tries again.
type lazySession struct {
	ctx  context.Context // of the service
	open func(ctx context.Context, hostRoots []string) (*workspace.Session, error)
	log  *slog.Logger

	mu      sync.Mutex
	closed  bool               // guarded by mu
	session *workspace.Session // guarded by mu; nil until the opening succeeded
	opening *opening           // guarded by mu; nil when none is under way
	inUse   int                // calls that have the session, or wait for it; guarded by mu
}

// opening is one attempt. session and err are set before done is closed.
type opening struct {
	done    chan struct{}
	session *workspace.Session
	err     error
}

// use is get for a call, which gives the session back. One that is outdated is left for a new one as soon as no other call has it.
func (s *lazySession) use(ctx context.Context, roots func(context.Context) []string) (session *workspace.Session, giveBack func(), err error) {
	s.retire()
	s.mu.Lock()
	s.inUse++
	s.mu.Unlock()
	giveBack = sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.inUse--
	})
	session, err = s.get(ctx, roots)
	return session, giveBack, err
}

// retire closes a session that no call has and that is outdated. The next one opens once its servers have ended
// ([workspace.Process.Open]).
func (s *lazySession) retire() {
	s.mu.Lock()
	session := s.session
	idle := session != nil && s.inUse == 0 && session.Outdated != nil
	s.mu.Unlock()
	if !idle || !session.Outdated() { // which looks at the disk
		return
	}
	s.mu.Lock()
	var end func()
	if s.session == session && s.inUse == 0 {
		s.session, end = nil, session.Leave()
	}
	s.mu.Unlock()
	if end != nil {
		s.log.Info("the session is opened anew, because trust in the workspace has changed")
		end()
	}
}

// get is the session. roots is asked for the host's roots when this call is the one that opens.
func (s *lazySession) get(ctx context.Context, roots func(context.Context) []string) (*workspace.Session, error) {
	s.mu.Lock()
	if s.session != nil || s.closed {
		defer s.mu.Unlock()
		if s.closed {
			return nil, errServiceClosed
		}
		return s.session, nil
	}
	o := s.opening
	if o == nil {
		o = &opening{done: make(chan struct{})}
		s.opening = o
		// Not in ctx: the call may leave, while its host is still asked.
		go s.attempt(o, roots)
	}
	s.mu.Unlock()
	select {
	case <-o.done:
		return o.session, o.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// attempt runs in its own goroutine, which close waits for.
func (s *lazySession) attempt(o *opening, roots func(context.Context) []string) {
	defer close(o.done)
	session, err := s.openOnce(roots)
	if err == nil {
		err = s.keep(session)
	}
	if err == nil {
		o.session = session
	} else {
		o.err = err
		if session != nil {
			session.Close() // not under the lock: servers take seconds to end
		}
	}
	s.mu.Lock()
	s.opening = nil
	s.mu.Unlock()
}

// keep makes session that of all calls, unless the service was closed meanwhile.
func (s *lazySession) keep(session *workspace.Session) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errServiceClosed
	}
	s.session = session
	return nil
}

// openOnce turns a panic into an error: this goroutine is nobody's call.
func (s *lazySession) openOnce(roots func(context.Context) []string) (session *workspace.Session, err error) {
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("panic while opening the session", "panic", p, "stack", string(debug.Stack()))
			err = contract.Errorf(contract.KindPanic, nil, "opening the session failed because of a bug in lspi: %v", p)
		}
	}()
	return s.open(s.ctx, roots(s.ctx))
}

// close ends the servers of the session, or waits for an opening under way and ends what it gave.
func (s *lazySession) close() {
	s.mu.Lock()
	s.closed = true
	session, o := s.session, s.opening
	s.session = nil
	s.mu.Unlock()
	if o != nil {
		<-o.done
	}
	if session != nil {
		session.Close()
	}
}
