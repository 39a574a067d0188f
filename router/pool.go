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

// errPoolClosed is the cause with which starts under way end when their pool or slot does.
var errPoolClosed = contract.Errorf(contract.KindCancelled, nil, "lspi is shutting down")

// PoolOptions are what a pool needs. Table, Log and Texts are required.
type PoolOptions struct {
	Table *Table
	Log   *slog.Logger
	Texts *source.Cache // of the text of files, shared by all pools
	// Launcher makes what is particular about starting a server and about its processes, once for each server. nil,
	// or a launcher that is nil, is for servers that behave as LSP says.
	Launcher func(*spec.Spec) lsp.Launcher
	Trace    Trace      // gets the messages of the servers that the pool uses; nil traces nothing
	Watch    watch.Mode // watch.Auto; a test of the fallback sets watch.Compare
	Cache    string     // lspi's cache folder of this user, absolute; "" lets servers write where they want

	// Hold keeps the edits of this process from beginning while a barrier of a journal runs ([watch.Options]), so
	// that no server hears of half an edit; nil where nothing is edited.
	Hold func(ctx context.Context) (release func(), err error)

	// Beside is done once, in the background, when the first server is wanted: what a question about the workspace needs
	// besides a server. Its ctx ends with the pool, which waits for it. It may be nil.
	Beside func(ctx context.Context)

	// Group are the pools with which this one shares servers, journals and limits; nil for a pool of its own.
	Group      *Group
	MaxServers int    // at a time in the group; 0 means DefaultMaxServers
	MaxMemory  uint64 // of all servers of the group together, in bytes; 0 means no limit

	memoryOf func(*lsp.Server) uint64 // bytes; nil asks the system, which tests do not
}

// Pool keeps the running servers of one configuration of a workspace. It starts each once, shares it between callers
// and with the other pools of its group that would start the same process, restarts it after a crash, and ends those
// that no other pool uses.
//
// A start does not belong to the caller that asked first. An agent's call may end after seconds while the server
// takes a minute to load its project; ending the start with the call would make every call begin anew and none
// succeed. So the caller leaves with still_indexing, and the start goes on for the next.
//
// The methods of a pool may be called from several goroutines at the same time. Close ends it.
type Pool struct {
	setup
	ctx        context.Context // ends with Detach or Close; cancelled outside of Group.mu, checked under it
	cancel     context.CancelCauseFunc
	work       sync.WaitGroup // the idle loop and closings of processes; added to under Group.mu while ctx lives
	digests    digests
	besideOnce sync.Once // guarded by Group.mu
	detachOnce sync.Once
	finishOnce sync.Once
	unshared   []*slot // slots that only this pool used; Detach sets it, Close ends them

	group           *Group
	withoutSessions bool // since LeaveWarm, until a call asks again; guarded by Group.mu
	// kept is the separate process that waits for the next question ([Pool.Separate]); nil when there is none.
	// Guarded by Group.mu.
	kept *keptProcess
}

// NewPool opens a pool and the journal of the workspace, which follows changes on disk from now on. It starts no
// server. The caller must Close the pool.
func NewPool(o PoolOptions) *Pool {
	p := &Pool{setup: setup{opt: o}, group: cmp.Or(o.Group, &Group{}), digests: digests{of: map[*spec.Spec]string{}}}
	p.ctx, p.cancel = context.WithCancelCause(context.Background())
	p.journals = newJournalRefs(&p.group.journals, &p.opt)
	p.journals.forRoot(o.Table.Workspace)
	p.group.register(p)
	p.work.Go(p.idleLoop)
	if o.MaxMemory > 0 {
		p.work.Go(func() { p.watchMemory(p.ctx) })
	}
	return p
}

// Journal returns the journal of the allowed root that holds path; nil when no root does.
func (p *Pool) Journal(path string) *watch.Journal { return p.journals.forPath(path) }

// acquire is [Caller.Get]. It loops, because what it waits for need not bring a server: the process may have crashed,
// another caller may have taken it exclusively, or [Pool.Stop] may have ended the start, after which a new one is
// due.
func (p *Pool) acquire(ctx context.Context, r Route, c *Caller) (s *lsp.Server, release func(), err error) {
	// Looked at for each call, though the start looks too: a pipe or a link to a device that came since would make
	// a running server read without end.
	if err := launch.SpecialFile(r.Spec, p.Journal(r.Root), r.Root); err != nil {
		return nil, nil, err
	}
	for {
		s, sl, wait, err := p.claim(p.keyOf(r), r, c)
		if err != nil {
			return nil, nil, err
		}
		if s != nil {
			// Outside of Group.mu: it sends a notification. A server that has the folder is left alone.
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
		case <-p.ctx.Done(): // the start may go on for other pools
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

// claim returns the running server with its slot, counted as in use; or what the caller has to wait for: the start
// under way, the release by other callers, or the record of a crash. It never blocks.
func (p *Pool) claim(key slotKey, r Route, c *Caller) (*lsp.Server, *slot, *event, error) {
	p.group.mu.Lock()
	defer p.group.mu.Unlock()
	if p.ctx.Err() != nil {
		return nil, nil, nil, errPoolClosed
	}
	p.withoutSessions = false
	if p.opt.Beside != nil {
		p.besideOnce.Do(func() { p.work.Go(func() { p.opt.Beside(p.ctx) }) })
	}
	sl := p.slotFor(key, r)
	switch {
	// The process is gone, and watchExit has not recorded it yet. The caller waits for that: counted first, a crash
	// can use up the budget before the next start.
	case sl.server != nil && ended(sl.server):
		return nil, nil, sl.exit, nil
	case sl.server != nil && sl.lock.blocks(c):
		return nil, nil, &event{done: sl.lock.changed, busy: true}, nil
	case sl.server != nil:
		// Counted under the same lock as the look at sl.server: takeIdle and makeRoom, which stop servers that are
		// not in use, cannot come between.
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

// release ends one use of a server by c. The idle time counts from the last one.
func (p *Pool) release(sl *slot, c *Caller) {
	p.group.mu.Lock()
	defer p.group.mu.Unlock()
	sl.inUse--
	sl.lock.leave(c)
	sl.lastUsed = time.Now()
}

// watchExit waits for the end of a process and counts one that nobody asked for as a crash. It finishes exit after
// the crash is recorded; callers that find the process gone wait for exit, so that the budget counts a crash before
// it allows the next start.
func (sl *slot) watchExit(s *lsp.Server, exit *event) {
	<-s.Done()
	// The end may have been asked for by Close, as takeIdle, evict and Restart do: that is no crash.
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
		sl.failures.record(crash, time.Now())
	}
	exit.finish(nil)
	sl.group.mu.Unlock()
	s.Close() // the connection's goroutines, also after a crash
}

// Restart ends a server, so that the next Get starts a new process. It waits until the process is gone. With forget,
// which a restart by order of the user sets, the earlier crashes and memory ends no longer count.
func (p *Pool) Restart(s *lsp.Server, forget bool) {
	p.detachServer(s, forget)
	s.Close()
}

// Discard is [Pool.Restart] for a server that was only probed: one that is busy gets less time to
// shut down, so that a server that indexes does not delay the doctor.
func (p *Pool) Discard(s *lsp.Server) {
	p.detachServer(s, false)
	s.Discard()
}

// detachServer takes a server out of its slot before it is closed, so that no call gets it, and the status does not
// show it as running, while its process ends.
func (p *Pool) detachServer(s *lsp.Server, forget bool) {
	p.group.mu.Lock()
	defer p.group.mu.Unlock()
	if sl := p.slotOf(s); sl != nil {
		sl.takeServer()
		if forget {
			sl.failures.forget()
			sl.memoryEnds, sl.maxFolders = nil, 0
		}
	}
}

// Running returns the running servers that the pool uses, in the order of the table, then of their roots.
func (p *Pool) Running() []*lsp.Server {
	p.group.mu.Lock()
	defer p.group.mu.Unlock()
	var out []*lsp.Server
	for _, sl := range p.slots() {
		if sl.server != nil {
			out = append(out, sl.server)
		}
	}
	return out
}

// Detach is the first part of [Pool.Close]; it does not block. From now on no call gets a server from this pool. When
// another pool starts a server at the same project, it waits for the end of this pool's unshared one.
func (p *Pool) Detach() {
	p.detachOnce.Do(func() {
		p.cancel(errPoolClosed)
		p.unshared = p.group.unregister(p)
	})
}

// Close detaches the pool, ends the servers that no other pool uses, all at the same time, and waits until their
// processes and the starts under way are gone.
func (p *Pool) Close() {
	p.Detach()
	p.group.mu.Lock()
	p.dropKept(func(*keptProcess) bool { return true })
	p.group.mu.Unlock()
	p.finishOnce.Do(func() {
		var all sync.WaitGroup
		// All at the same time: each may take the seconds of [lsp.Connection.Close].
		for _, sl := range p.unshared {
			all.Go(sl.finish)
		}
		all.Wait()
	})
	p.work.Wait()
	p.journals.releaseAll()
}

// LeaveWarm is for a pool whose last session has ended and that a later session may take over. Its servers keep
// running. What only a caller that asks again would use ends: the separate process, and the diagnostics still awaited
// of servers that no attended pool uses.
func (p *Pool) LeaveWarm() {
	p.group.mu.Lock()
	p.withoutSessions = true
	p.dropKept(func(*keptProcess) bool { return true })
	// Collected under the lock and told behind it: no lock is held across a call into package lsp.
	var unused []*lsp.Server
	for _, sl := range p.slots() {
		if sl.server != nil && !p.group.shared(sl.slot, p, true) {
			unused = append(unused, sl.server)
		}
	}
	p.group.mu.Unlock()
	for _, s := range unused {
		s.Diagnostics().DropRest()
	}
}

// stillStarting is the error of a caller whose context ended while the start goes on.
func stillStarting(ctx context.Context, spec *spec.Spec) error {
	facts := contract.Facts{"server_id": spec.ID}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) || errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return contract.Errorf(contract.KindStillIndexing, facts, "%s is still starting: %w", spec.ID,
			context.Cause(ctx))
	}
	return contract.Errorf(contract.KindCancelled, facts, "waiting for %s to start was cancelled: %w", spec.ID,
		context.Cause(ctx))
}
