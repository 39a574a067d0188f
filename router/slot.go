package router

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"lspi/lsp"
	"lspi/lsp/spec"
)

// maxSlots bounds the servers that are remembered after they ended; a monorepo may have thousands of roots.
const maxSlots = 64

// slot is the place of one server, over all its processes. It is made at the first question for its key, and
// forgotten when many servers that ended are remembered ([Pool.prune]), or when no pool sees it any more. What it
// starts belongs to it, since the pool that asked may be closed before others that share it.
type slot struct {
	group *Group
	key   slotKey
	spec  *spec.Spec // of the pool that made the slot, like the rest of how its process is started
	root  string
	setup setup

	launcher lsp.Launcher // only for the start under way

	ctx    context.Context // ends when the slot is taken out of the group
	cancel context.CancelCauseFunc
	work   sync.WaitGroup // starts, watchers of exits, and ends; entered under Group.mu while ctx lives
	gone   chan struct{}  // closed when the slot was taken out and its processes are gone
	traces atomic.Pointer[[]Trace]

	// All below is guarded by Group.mu.
	server   *lsp.Server
	starting *event                  // the start under way; nil when none is
	abort    context.CancelCauseFunc // ends the start under way
	exit     *event                  // of server: finished when its end was recorded
	// closed when the process that was stopped last is gone; nil when none was stopped
	exited    <-chan struct{}
	err       error       // why the last start failed; nil after a good one
	failures  failures    // crashes and failed starts
	oversized []time.Time // recent ends for the memory; see memory.go
	starts    int         // that succeeded
	evicted   string      // why the last process was stopped to stay within the limits; "" when it was not
	inUse     int
	lock      useLock // of inUse
	lastUsed  time.Time
	startedAt time.Time // of the running process
}

// workspace is the root of the workspace that the server is for.
func (sl *slot) workspace() string { return sl.setup.opt.Table.Workspace }

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

// slotFor is the slot of a key, which is that of the route, made when there is none. Group.mu is held.
func (p *Pool) slotFor(key slotKey, r Route) *slot {
	sl := p.group.slots[key]
	if sl == nil {
		p.prune()
		sl = &slot{group: p.group, key: key, spec: r.Spec, root: r.Root, setup: p.setup.fork(),
			launcher: p.launcher(r.Spec),
			gone:     make(chan struct{}), lastUsed: time.Now(), lock: newUseLock()}
		sl.ctx, sl.cancel = context.WithCancelCause(context.Background())
		p.group.slots[key] = sl
		p.group.retrace(sl)
	}
	return sl
}

// prune forgets the server that ended longest ago when there are many. One whose crashes still count is kept.
// Group.mu is held.
func (p *Pool) prune() {
	all := p.sees()
	if len(all) < maxSlots {
		return
	}
	var oldest *slot
	for _, sl := range all {
		idle := sl.server == nil && sl.starting == nil && sl.inUse == 0 && len(sl.failures.recent(time.Now())) == 0
		if idle && (oldest == nil || sl.lastUsed.Before(oldest.lastUsed)) {
			oldest = sl.slot
		}
	}
	if oldest != nil {
		p.group.takeOut(oldest)
		p.work.Go(oldest.finish)
	}
}

// finish ends the process of a slot that was taken out of the group, and waits until it is gone.
func (sl *slot) finish() {
	sl.group.mu.Lock()
	s := sl.server // none comes any more: see enter
	sl.group.mu.Unlock()
	if s != nil {
		s.Close()
	}
	sl.work.Wait()
	sl.setup.journals.close()
	sl.group.mu.Lock()
	defer sl.group.mu.Unlock()
	sl.group.ending = slices.DeleteFunc(sl.group.ending, func(other *slot) bool { return other == sl })
	close(sl.gone)
}

// detach takes the server out of its slot; whoever calls it closes the server. Group.mu is held.
func (sl *slot) detach() {
	sl.exited = sl.server.Done()
	sl.server = nil
}
