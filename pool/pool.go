package pool

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"lspi/catalogue"
	"lspi/contract"
	"lspi/lsp"
	"lspi/lsp/edit"
	"lspi/lsp/watch"
	"lspi/router"
	"lspi/source"
)

// errPoolClosed ends starts that are under way when lspi ends.
var errPoolClosed = contract.Errorf(contract.KindCancelled, nil, "lspi is shutting down")

// maxSlots bounds the servers that are remembered after they ended; a monorepo may have thousands of roots.
const maxSlots = 64

// Options are what a pool needs.
type Options struct {
	Table *router.Table
	Log   *slog.Logger
	Texts *source.Cache
	Trace func(serverID string, sent bool, message []byte) // nil traces nothing
	Watch watch.Mode                                       // Auto, or Compare where a test wants the fallback
	Cache string                                           // lspi's cache of this user, absolute; "" lets servers write where they want

	MaxServers int    // that run at a time; 0 means DefaultMaxServers
	MaxMemory  uint64 // of all servers together, in bytes; 0 means no limit

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

	mu    sync.Mutex
	slots map[router.Key]*slot // guarded by mu

	journalsMu sync.Mutex                // apart, since opening a journal looks at the disk
	journals   map[string]*watch.Journal // by allowed root; guarded by journalsMu
}

// slot is the place of one server in the pool, over all its processes.
type slot struct {
	key  router.Key
	spec *lsp.Spec
	root string

	commands lsp.Commands // only for the start under way
	indexAge lsp.IndexAge

	// All below is guarded by Pool.mu.
	server    *lsp.Server
	starting  *event                  // the start under way; nil when none is
	abort     context.CancelCauseFunc // ends the start under way
	exit      *event                  // of server: finished when its end was recorded
	exited    <-chan struct{}         // closed when the process that was stopped last is gone; nil when none was stopped
	err       error                   // why the last start failed; nil after a good one
	crashes   []time.Time             // recent ones, for the crash budget
	oversized []time.Time             // recent ends for the memory; see memory.go
	lastErr   error                   // the last crash or failed start, for the status
	lastErrAt time.Time
	starts    int    // that succeeded
	evicted   string // why the last process was stopped to stay within the limits; "" when it was not
	inUse     int
	lock      useLock // of inUse
	lastUsed  time.Time
	startedAt time.Time // of the running process
}

// event is something that callers wait for.
type event struct {
	done chan struct{}
	err  error // set before done is closed
	busy bool  // others have the server
}

func newEvent() *event { return &event{done: make(chan struct{})} }

func (e *event) finish(err error) {
	e.err = err
	close(e.done)
}

// New watches the workspace's roots from now on; it starts no server.
func New(o Options) *Pool {
	p := &Pool{opt: o, slots: map[router.Key]*slot{}, journals: map[string]*watch.Journal{}}
	p.ctx, p.cancel = context.WithCancelCause(context.Background())
	p.journal(o.Table.Workspace)
	p.work.Go(p.idleLoop)
	if o.MaxMemory > 0 {
		p.work.Go(func() { p.watchMemory(p.ctx) })
	}
	return p
}

func (p *Pool) get(ctx context.Context, r router.Route, c *Caller) (s *lsp.Server, release func(), err error) {
	if err := r.Spec.SpecialFile(p.Journal(r.Root), r.Root); err != nil { // that came since the start
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
		select {
		case <-wait.done:
		case <-ctx.Done():
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
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ctx.Err() != nil {
		return nil, nil, nil, errPoolClosed
	}
	sl := p.slots[r.Key()]
	if sl == nil {
		p.pruneLocked()
		sl = &slot{key: r.Key(), spec: r.Spec, root: r.Root, lastUsed: time.Now(), lock: newUseLock()}
		p.slots[sl.key] = sl
	}
	if sl.server != nil {
		select {
		case <-sl.server.Done():
			return nil, nil, sl.exit, nil
		default:
			if sl.lock.blocks(c) {
				return nil, nil, &event{done: sl.lock.changed, busy: true}, nil
			}
			sl.inUse++
			sl.lock.enter(c)
			sl.lastUsed = time.Now()
			return sl.server, sl, nil, nil
		}
	}
	if sl.starting == nil {
		if err := sl.memoryError(time.Now()); err != nil {
			return nil, nil, nil, err
		}
		if err := sl.crashError(time.Now()); err != nil {
			return nil, nil, nil, err
		}
		sl.err = nil
		p.makeRoom()
		sl.starting = newEvent()
		var ctx context.Context
		ctx, sl.abort = context.WithCancelCause(p.ctx)
		delay, after := sl.backOff(time.Now()), sl.exited
		p.work.Go(func() { p.start(ctx, sl, delay, after) })
	}
	return nil, nil, sl.starting, nil
}

// pruneLocked forgets the server that ended longest ago when there are many. One whose crashes still count is kept.
func (p *Pool) pruneLocked() {
	if len(p.slots) < maxSlots {
		return
	}
	var oldest *slot
	for _, sl := range p.slots {
		idle := sl.server == nil && sl.starting == nil && sl.inUse == 0 && len(sl.recentCrashes(time.Now())) == 0
		if idle && (oldest == nil || sl.lastUsed.Before(oldest.lastUsed)) {
			oldest = sl
		}
	}
	if oldest != nil {
		delete(p.slots, oldest.key)
	}
}

func (p *Pool) release(sl *slot, c *Caller) {
	p.mu.Lock()
	defer p.mu.Unlock()
	sl.inUse--
	sl.lock.leave(c)
	sl.lastUsed = time.Now()
}

// start runs in its own goroutine for as long as the start takes. ctx ends with the pool, or when the start is stopped.
func (p *Pool) start(ctx context.Context, sl *slot, delay time.Duration, after <-chan struct{}) {
	s, err := p.startAfter(ctx, sl, delay, after)
	if err == nil && !p.enter(ctx, sl, s) {
		s.Close()
		err = context.Cause(ctx)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil && !errors.Is(err, errStopped) {
		sl.err = err
		sl.recordFailure(err, time.Now())
	}
	starting := sl.starting
	sl.abort(nil)
	sl.starting, sl.abort = nil, nil
	starting.finish(err)
}

// enter makes a server that has started the one of its slot; false when its start was ended meanwhile.
func (p *Pool) enter(ctx context.Context, sl *slot, s *lsp.Server) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if ctx.Err() != nil {
		return false
	}
	exit := newEvent()
	sl.server, sl.exit, sl.evicted = s, exit, ""
	sl.startedAt, sl.lastUsed = time.Now(), time.Now()
	sl.starts++
	p.work.Go(func() { p.watchExit(sl, s, exit) })
	return true
}

// startAfter starts the server when the back-off is over and the process before it is gone: two of one project may fight
// for its index (jdtls locks it).
func (p *Pool) startAfter(ctx context.Context, sl *slot, delay time.Duration, after <-chan struct{}) (*lsp.Server, error) {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	for _, wait := range []func() bool{
		func() bool { return receives(timer.C, ctx.Done()) },
		func() bool { return after == nil || receives(after, ctx.Done()) },
	} {
		if !wait() {
			return nil, context.Cause(ctx)
		}
	}
	o := p.options(sl.spec, sl.root)
	o.Commands, o.IndexAge = &sl.commands, &sl.indexAge
	s, err := lsp.Start(ctx, o)
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return s, err
}

// options are what a server of the pool is started with.
func (p *Pool) options(spec *lsp.Spec, root string) lsp.Options {
	o := lsp.Options{Spec: spec, Root: root, Journal: p.Journal(root), JournalOf: p.Journal, JournalBeyond: p.journal, Readable: p.opt.Table.Allowed(),
		Texts: p.opt.Texts, Log: p.opt.Log, Cache: p.opt.Cache, Adapter: catalogue.Adapter}
	if o.Journal == nil {
		o.Journal = p.journal(root)
	}
	o.Folders = append([]string{root}, slices.DeleteFunc(slices.Clone(spec.Folders), func(f string) bool {
		return f == root || !spec.SharedFolders
	})...)
	if p.opt.Trace != nil {
		o.Trace = func(sent bool, message []byte) { p.opt.Trace(spec.ID, sent, message) }
	}
	return o
}

// StartSeparate starts a process that is not the pool's: nobody else uses it, and the caller must close it.
func (p *Pool) StartSeparate(ctx context.Context, spec *lsp.Spec, root string) (*lsp.Server, error) {
	return lsp.Start(ctx, p.options(spec, root))
}

// receives waits for c; false when ended comes first.
func receives[T any](c <-chan T, ended <-chan struct{}) bool {
	select {
	case <-c:
		return true
	case <-ended:
		return false
	}
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
	p.mu.Lock()
	if sl.server == s {
		sl.server = nil
	}
	if crash != nil {
		sl.recordFailure(crash, time.Now())
	}
	exit.finish(nil)
	p.mu.Unlock()
	s.Close() // the connection's goroutines, also after a crash
}

// Restart ends a server, so that the next Get starts a new process. Its crashes are forgotten when forget is set,
// which is what a user's own restart means.
func (p *Pool) Restart(s *lsp.Server, forget bool) {
	p.mu.Lock()
	for _, sl := range p.slots {
		if sl.server == s {
			sl.detach()
			if forget {
				sl.crashes, sl.oversized = nil, nil
			}
		}
	}
	p.mu.Unlock()
	s.Close()
}

// detach takes the server out of its slot; whoever calls it closes the server. Pool.mu is held.
func (sl *slot) detach() {
	sl.exited = sl.server.Done()
	sl.server = nil
}

// Running lists the servers that run now, in the order of the table, then of their roots.
func (p *Pool) Running() []*lsp.Server {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []*lsp.Server
	for _, sl := range p.sortedLocked() {
		if sl.server != nil {
			out = append(out, sl.server)
		}
	}
	return out
}

func (p *Pool) sortedLocked() []*slot {
	var out []*slot
	for i := range p.opt.Table.Specs {
		var of []*slot
		for _, sl := range p.slots {
			if sl.spec == &p.opt.Table.Specs[i] {
				of = append(of, sl)
			}
		}
		slices.SortFunc(of, func(a, b *slot) int { return strings.Compare(a.root, b.root) })
		out = append(out, of...)
	}
	return out
}

// Journal is the journal of the allowed root that holds path; nil when no root does.
func (p *Pool) Journal(path string) *watch.Journal {
	root := p.opt.Table.RootOf(path)
	if root == "" {
		return nil
	}
	return p.journal(root)
}

func (p *Pool) journal(root string) *watch.Journal {
	p.journalsMu.Lock()
	defer p.journalsMu.Unlock()
	j := p.journals[root]
	if j == nil {
		j = watch.Open(root, watch.Options{Log: p.opt.Log, SkipDir: router.NeverWatched, Keep: p.opt.Table.WatchedThoughIgnored, TempPrefix: edit.Prefix, Mode: p.opt.Watch})
		p.journals[root] = j
	}
	return j
}

// Close ends all servers, at the same time, and waits until their processes are gone. Starts under way end too.
func (p *Pool) Close() {
	p.cancel(errPoolClosed)
	for _, s := range p.Running() { // none is added any more: see enter
		p.work.Go(s.Close)
	}
	p.work.Wait()
	p.journalsMu.Lock()
	defer p.journalsMu.Unlock()
	for _, j := range p.journals {
		_ = j.Close()
	}
}

// stillStarting is the error of a caller that leaves while the start goes on.
func stillStarting(ctx context.Context, spec *lsp.Spec) error {
	facts := contract.Facts{"server_id": spec.ID}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) || errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return contract.Errorf(contract.KindStillIndexing, facts, "%s is still starting: %w", spec.ID, context.Cause(ctx))
	}
	return contract.Errorf(contract.KindCancelled, facts, "waiting for %s to start was cancelled: %w", spec.ID, context.Cause(ctx))
}
