package router

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/launch"
	"lspi/lsp/spec"
	"lspi/lsp/watch"
)

// errPoolClosed ends starts that are under way when lspi ends.
var errPoolClosed = contract.Errorf(contract.KindCancelled, nil, "lspi is shutting down")

// PoolOptions are what a pool needs.
type PoolOptions struct {
	Table *Table
	Log   *slog.Logger
	Texts *source.Cache
	// Launcher makes what is particular about starting a server and about its processes, once for each server; nil,
	// or a nil launcher, is for servers that behave as LSP says.
	Launcher func(*spec.Spec) lsp.Launcher
	Trace    Trace      // nil traces nothing
	Watch    watch.Mode // Auto, or Compare where a test wants the fallback
	Cache    string     // lspi's cache of this user, absolute; "" lets servers write where they want

	// Hold keeps the edits of this process from beginning while a barrier of a journal goes on ([watch.Options]);
	// nil where nothing is edited.
	Hold func(ctx context.Context) (release func(), err error)

	// Group are the pools with which this one shares its limits; nil when it has them for itself.
	Group      *Group
	MaxServers int    // that run at a time in the group; 0 means DefaultMaxServers
	MaxMemory  uint64 // of all servers of the group together, in bytes; 0 means no limit

	memoryOf func(*lsp.Server) uint64 // nil asks the system; tests do not
}

// Pool keeps the running servers of one configuration: it starts each once, shares it between callers and with the
// other pools of its group that would start the same, restarts it when it crashed, and ends those that no other
// pool has. What it starts does not belong to the caller that asked first: an impatient caller leaves, the start
// goes on.
type Pool struct {
	setup
	ctx     context.Context // ends with Detach or Close
	cancel  context.CancelCauseFunc
	work    sync.WaitGroup // the idle loop, and ends of processes; entered under Group.mu while ctx lives
	digests digests
	detach  sync.Once
	finish  sync.Once
	alone   []*slot // that finish ends; set by detach

	group *Group
	left  bool // no session has the pool; guarded by Group.mu
	// separate is the process that stays for the next question ([Pool.Separate]); nil when there is none. Guarded
	// by Group.mu
	separate *separate
}

// NewPool watches the workspace's roots from now on; it starts no server.
func NewPool(o PoolOptions) *Pool {
	p := &Pool{setup: setup{opt: o}, group: cmp.Or(o.Group, &Group{}), digests: digests{of: map[*spec.Spec]string{}}}
	p.ctx, p.cancel = context.WithCancelCause(context.Background())
	p.journals = newLooker(&p.group.journals, &p.opt)
	p.journals.at(o.Table.Workspace)
	p.group.add(p)
	p.work.Go(p.idleLoop)
	if o.MaxMemory > 0 {
		p.work.Go(func() { p.watchMemory(p.ctx) })
	}
	return p
}

// Journal is the journal of the allowed root that holds path; nil when no root does.
func (p *Pool) Journal(path string) *watch.Journal { return p.journals.of(path) }

// get is [Caller.Get].
func (p *Pool) get(ctx context.Context, r Route, c *Caller) (s *lsp.Server, release func(), err error) {
	if err := launch.SpecialFile(r.Spec, p.Journal(r.Root), r.Root); err != nil { // that came since the start
		return nil, nil, err
	}
	for {
		s, sl, wait, err := p.claim(p.keyOf(r), r, c)
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
		case <-p.ctx.Done(): // what others share may go on
			noted()
			return nil, nil, errPoolClosed
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
func (p *Pool) claim(key slotKey, r Route, c *Caller) (*lsp.Server, *slot, *event, error) {
	p.group.mu.Lock()
	defer p.group.mu.Unlock()
	if p.ctx.Err() != nil {
		return nil, nil, nil, errPoolClosed
	}
	p.left = false
	sl := p.slotFor(key, r)
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
func (sl *slot) watchExit(s *lsp.Server, exit *event) {
	<-s.Done()
	var crash error
	if !s.Closed() {
		crash = s.CrashError()
		sl.setup.opt.Log.Warn("a server ended by itself", "server_id", sl.spec.ID, "error", crash)
	}
	sl.group.mu.Lock()
	if sl.server == s {
		sl.server = nil
	}
	if crash != nil {
		sl.failures.add(crash, time.Now())
	}
	exit.finish(nil)
	sl.group.mu.Unlock()
	s.Close() // the connection's goroutines, also after a crash
}

// Restart ends a server, so that the next Get starts a new process. Its crashes are forgotten when forget is set,
// which is what a user's own restart means.
func (p *Pool) Restart(s *lsp.Server, forget bool) {
	p.takeAway(s, forget)
	s.Close()
}

// Discard is [Pool.Restart] of a server that was only tried: one that is busy is not waited for.
func (p *Pool) Discard(s *lsp.Server) {
	p.takeAway(s, false)
	s.Discard()
}

// takeAway makes a server one that no call gets any more.
func (p *Pool) takeAway(s *lsp.Server, forget bool) {
	p.group.mu.Lock()
	defer p.group.mu.Unlock()
	if sl := p.slotOf(s); sl != nil {
		sl.detach()
		if forget {
			sl.failures.forget()
			sl.oversized = nil
		}
	}
}

// Running lists the servers that run now, in the order of the table, then of their roots.
func (p *Pool) Running() []*lsp.Server {
	p.group.mu.Lock()
	defer p.group.mu.Unlock()
	var out []*lsp.Server
	for _, sl := range p.sees() {
		if sl.server != nil {
			out = append(out, sl.server)
		}
	}
	return out
}

// Detach is the beginning of [Pool.Close] that waits for nothing: from now on nobody gets a server of this pool,
// and where another pool starts one at the same project that is not shared, it waits until that of this one is
// gone.
func (p *Pool) Detach() {
	p.detach.Do(func() {
		p.cancel(errPoolClosed)
		p.alone = p.group.remove(p)
	})
}

// Close ends all servers that no other pool shares, at the same time, and waits until their processes are gone.
// Starts under way end too.
func (p *Pool) Close() {
	p.Detach()
	p.group.mu.Lock()
	p.dropSeparate(func(*separate) bool { return true })
	p.group.mu.Unlock()
	p.finish.Do(func() {
		var all sync.WaitGroup
		for _, sl := range p.alone {
			all.Go(sl.finish)
		}
		all.Wait()
	})
	p.work.Wait()
	p.journals.close()
}

// LeaveWarm is for a pool that no session has any more, and that another one may get: its servers go on, and what
// goes on only for a caller that asks again ends.
func (p *Pool) LeaveWarm() {
	p.group.mu.Lock()
	p.left = true
	p.dropSeparate(func(*separate) bool { return true })
	var unused []*lsp.Server
	for _, sl := range p.sees() {
		if sl.server != nil && !p.group.shared(sl.slot, p, true) {
			unused = append(unused, sl.server)
		}
	}
	p.group.mu.Unlock()
	for _, s := range unused {
		s.Diagnostics().DropRest()
	}
}

// stillStarting is the error of a caller that leaves while the start goes on.
func stillStarting(ctx context.Context, spec *spec.Spec) error {
	facts := contract.Facts{"server_id": spec.ID}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) || errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return contract.Errorf(contract.KindStillIndexing, facts, "%s is still starting: %w", spec.ID,
			context.Cause(ctx))
	}
	return contract.Errorf(contract.KindCancelled, facts, "waiting for %s to start was cancelled: %w", spec.ID,
		context.Cause(ctx))
}
