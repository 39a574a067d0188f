package pool

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"lspi/contract"
	"lspi/lsp"
	"lspi/lsp/launch"
	"lspi/lsp/spec"
	"lspi/lsp/watch"
	"lspi/router"
	"lspi/source"
)

// errPoolClosed ends starts that are under way when lspi ends.
var errPoolClosed = contract.Errorf(contract.KindCancelled, nil, "lspi is shutting down")

// Options are what a pool needs.
type Options struct {
	Table *router.Table
	Log   *slog.Logger
	Texts *source.Cache
	// Launcher makes what is particular about starting a server and about its processes, once for each server; nil, or a nil launcher, is
	// for servers that behave as LSP says.
	Launcher func(*spec.Spec) lsp.Launcher
	Trace    func(serverID string, sent bool, message []byte) // nil traces nothing
	Watch    watch.Mode                                       // Auto, or Compare where a test wants the fallback
	Cache    string                                           // lspi's cache of this user, absolute; "" lets servers write where they want

	// Group are the pools with which this one shares its limits; nil when it has them for itself.
	Group      *Group
	MaxServers int    // that run at a time in the group; 0 means DefaultMaxServers
	MaxMemory  uint64 // of all servers of the group together, in bytes; 0 means no limit

	memoryOf func(*lsp.Server) uint64 // nil asks the system; tests do not
}

// Pool keeps the running servers: it starts each once, shares it between callers, restarts it when it crashed, and ends
// all of them. What it starts belongs to it and not to the caller that asked first: an impatient caller leaves, the
// start goes on.
type Pool struct {
	opt    Options
	ctx    context.Context // ends with Close
	cancel context.CancelCauseFunc
	work   sync.WaitGroup // starts, watchers of exits and the idle loop

	group *Group
	slots map[router.Key]*slot // guarded by Group.mu
	// separate is the process that stays for the next question ([Pool.Separate]); nil when there is none. Guarded by Group.mu
	separate *separate

	journals journals
}

// New watches the workspace's roots from now on; it starts no server.
func New(o Options) *Pool {
	p := &Pool{opt: o, group: cmp.Or(o.Group, &Group{}), slots: map[router.Key]*slot{}, journals: journals{byRoot: map[string]*watch.Journal{}}}
	p.ctx, p.cancel = context.WithCancelCause(context.Background())
	p.journal(o.Table.Workspace)
	p.group.add(p)
	p.work.Go(p.idleLoop)
	if o.MaxMemory > 0 {
		p.work.Go(func() { p.watchMemory(p.ctx) })
	}
	return p
}

// get is [Caller.Get].
func (p *Pool) get(ctx context.Context, r router.Route, c *Caller) (s *lsp.Server, release func(), err error) {
	if err := launch.SpecialFile(r.Spec, p.Journal(r.Root), r.Root); err != nil { // that came since the start
		return nil, nil, err
	}
	for {
		s, sl, wait, err := p.claim(r, c)
		if err != nil {
			return nil, nil, err
		}
		if s != nil {
			if err := s.AddFolder(ctx, r.Root); err != nil {
				p.release(sl, c)
				return nil, nil, err
			}
			return s, sync.OnceFunc(func() { p.release(sl, c) }), nil
		}
		what := "its start"
		if wait.busy {
			what = "another question"
		}
		noted := lsp.Wait(ctx, r.Spec.ID, what)
		select {
		case <-wait.done:
			noted()
		case <-ctx.Done():
			noted()
			if wait.busy {
				return nil, nil, busy(ctx, r.Spec)
			}
			return nil, nil, stillStarting(ctx, r.Spec)
		}
		if wait.err != nil && !errors.Is(wait.err, errStopped) {
			return nil, nil, wait.err
		}
	}
}

// claim is the running server with its slot, marked as used, or what to wait for: the start under way, or the record of
// the end of a process that is gone.
func (p *Pool) claim(r router.Route, c *Caller) (*lsp.Server, *slot, *event, error) {
	p.group.mu.Lock()
	defer p.group.mu.Unlock()
	if p.ctx.Err() != nil {
		return nil, nil, nil, errPoolClosed
	}
	sl := p.slotFor(r)
	switch {
	case sl.server != nil && ended(sl.server):
		return nil, nil, sl.exit, nil
	case sl.server != nil && sl.lock.blocks(c):
		return nil, nil, &event{done: sl.lock.changed, busy: true}, nil
	case sl.server != nil:
		sl.inUse++
		sl.lock.enter(c)
		sl.lastUsed = time.Now()
		return sl.server, sl, nil, nil
	case sl.starting == nil:
		if err := p.startSlot(sl); err != nil {
			return nil, nil, nil, err
		}
	}
	return nil, nil, sl.starting, nil
}

func (p *Pool) release(sl *slot, c *Caller) {
	p.group.mu.Lock()
	defer p.group.mu.Unlock()
	sl.inUse--
	sl.lock.leave(c)
	sl.lastUsed = time.Now()
}

// watchExit counts an end that nobody asked for as a crash. Who finds the process gone waits for that, so that the
// budget is never behind.
func (p *Pool) watchExit(sl *slot, s *lsp.Server, exit *event) {
	<-s.Done()
	var crash error
	if !s.Closed() {
		crash = s.CrashError()
		p.opt.Log.Warn("a server ended by itself", "server_id", sl.spec.ID, "error", crash)
	}
	p.group.mu.Lock()
	if sl.server == s {
		sl.server = nil
	}
	if crash != nil {
		sl.failures.add(crash, time.Now())
	}
	exit.finish(nil)
	p.group.mu.Unlock()
	s.Close() // the connection's goroutines, also after a crash
}

// Restart ends a server, so that the next Get starts a new process. Its crashes are forgotten when forget is set,
// which is what a user's own restart means.
func (p *Pool) Restart(s *lsp.Server, forget bool) {
	p.detach(s, forget)
	s.Close()
}

// Discard is [Pool.Restart] of a server that was only tried: one that is busy is not waited for.
func (p *Pool) Discard(s *lsp.Server) {
	p.detach(s, false)
	s.Discard()
}

// detach makes a server one that no call gets any more.
func (p *Pool) detach(s *lsp.Server, forget bool) {
	p.group.mu.Lock()
	defer p.group.mu.Unlock()
	for _, sl := range p.slots {
		if sl.server == s {
			sl.detach()
			if forget {
				sl.failures.forget()
				sl.oversized = nil
			}
		}
	}
}

// Running lists the servers that run now, in the order of the table, then of their roots.
func (p *Pool) Running() []*lsp.Server {
	p.group.mu.Lock()
	defer p.group.mu.Unlock()
	var out []*lsp.Server
	for _, sl := range p.sorted() {
		if sl.server != nil {
			out = append(out, sl.server)
		}
	}
	return out
}

// Close ends all servers, at the same time, and waits until their processes are gone. Starts under way end too.
func (p *Pool) Close() {
	p.cancel(errPoolClosed)
	p.group.remove(p)
	p.group.mu.Lock()
	p.dropSeparate(func(*separate) bool { return true })
	p.group.mu.Unlock()
	for _, s := range p.Running() { // none is added any more: see enter
		p.work.Go(s.Close)
	}
	p.work.Wait()
	p.journals.close()
}

// LeaveWarm is for a pool that no session has any more, and that another one may get: its servers go on, and what goes on only for a caller
// that asks again ends.
func (p *Pool) LeaveWarm() {
	p.group.mu.Lock()
	p.dropSeparate(func(*separate) bool { return true })
	p.group.mu.Unlock()
	for _, s := range p.Running() {
		s.Diagnostics().DropRest()
	}
}

// stillStarting is the error of a caller that leaves while the start goes on.
func stillStarting(ctx context.Context, spec *spec.Spec) error {
	facts := contract.Facts{"server_id": spec.ID}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) || errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return contract.Errorf(contract.KindStillIndexing, facts, "%s is still starting: %w", spec.ID, context.Cause(ctx))
	}
	return contract.Errorf(contract.KindCancelled, facts, "waiting for %s to start was cancelled: %w", spec.ID, context.Cause(ctx))
}
