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

// hostSession holds the Env of a service: opened once, by the first call, shared by all that come meanwhile. The opening
// belongs to the service and not to the call that was first, so that its cancellation costs the others nothing. A
// failed opening is forgotten, and the next call tries again.
type hostSession struct {
	ctx  context.Context // of the service
	open func(ctx context.Context, hostRoots []string) (*workspace.Env, error)
	log  *slog.Logger

	mu      sync.Mutex
	closed  bool           // guarded by mu
	env     *workspace.Env // guarded by mu; nil until the opening succeeded
	opening *opening       // guarded by mu; nil when none is under way
	ending  chan struct{}  // closed when the servers of the Env before have ended; nil when there was none; guarded by mu
	inUse   int            // calls that have the Env, or wait for it; guarded by mu
}

// opening is one attempt. env and err are set before done is closed.
type opening struct {
	done chan struct{}
	env  *workspace.Env
	err  error
}

// use is get for a call, which gives the Env back. An Env that is outdated is left for a new one as soon as no other call has it.
func (s *hostSession) use(ctx context.Context, roots func(context.Context) []string) (env *workspace.Env, giveBack func(), err error) {
	s.retire()
	s.mu.Lock()
	s.inUse++
	s.mu.Unlock()
	giveBack = sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.inUse--
	})
	env, err = s.get(ctx, roots)
	return env, giveBack, err
}

// retire ends an Env that nobody has and that is outdated. It waits for its servers, so that no two are at one project.
func (s *hostSession) retire() {
	s.mu.Lock()
	env := s.env
	idle := env != nil && s.inUse == 0 && env.Outdated != nil
	s.mu.Unlock()
	if !idle || !env.Outdated() { // which looks at the disk
		return
	}
	s.mu.Lock()
	mine := s.env == env && s.inUse == 0
	ended := make(chan struct{})
	if mine {
		s.env, s.ending = nil, ended // other calls wait for it before they open a new one
	}
	s.mu.Unlock()
	if mine {
		s.log.Info("the session is opened anew, because trust in the workspace has changed")
		defer close(ended)
		env.Close()
	}
}

// get is the Env. roots is asked for the host's roots when this call is the one that opens.
func (s *hostSession) get(ctx context.Context, roots func(context.Context) []string) (*workspace.Env, error) {
	s.mu.Lock()
	if s.env != nil || s.closed {
		defer s.mu.Unlock()
		if s.closed {
			return nil, errServiceClosed
		}
		return s.env, nil
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
		return o.env, o.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// attempt runs in its own goroutine, which close waits for.
func (s *hostSession) attempt(o *opening, roots func(context.Context) []string) {
	defer close(o.done)
	s.ended()
	env, err := s.openOnce(roots)
	if err == nil {
		err = s.keep(env)
	}
	if err == nil {
		o.env = env
	} else {
		o.err = err
		if env != nil {
			env.Close() // not under the lock: servers take seconds to end
		}
	}
	s.mu.Lock()
	s.opening = nil
	s.mu.Unlock()
}

// ended waits for the servers of the Env before. They end within a bounded time, whoever ends them.
func (s *hostSession) ended() {
	s.mu.Lock()
	ending := s.ending
	s.mu.Unlock()
	if ending != nil {
		<-ending
	}
}

// keep makes env that of all calls, unless the service was closed meanwhile.
func (s *hostSession) keep(env *workspace.Env) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errServiceClosed
	}
	s.env = env
	return nil
}

// openOnce turns a panic into an error: this goroutine is nobody's call.
func (s *hostSession) openOnce(roots func(context.Context) []string) (env *workspace.Env, err error) {
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("panic while opening the session", "panic", p, "stack", string(debug.Stack()))
			err = contract.Errorf(contract.KindPanic, nil, "opening the session failed because of a bug in lspi: %v", p)
		}
	}()
	return s.open(s.ctx, roots(s.ctx))
}

// close ends the servers of the session, or waits for an opening under way and ends what it gave.
func (s *hostSession) close() {
	s.mu.Lock()
	s.closed = true
	env, o := s.env, s.opening
	s.env = nil
	s.mu.Unlock()
	if o != nil {
		<-o.done
	}
	if env != nil {
		env.Close()
	}
	s.ended()
}
