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

// maxSlots bounds the slots of a pool without a process: a monorepo may have thousands of roots, and each would be
// remembered, with its journals and its row in the status, until lspi ends.
const maxSlots = 64

// slot is the place of one server over all of its processes: what is kept from one to the next, such as the crash
// budget. The first call for its key makes it; [Pool.prune] removes it when many are unused, and the group when no
// pool uses it any more. Its goroutines belong to it and not to a pool, since the pool that asked may close before
// others.
//
// Group.mu guards what changes, since a limit looks at the slots of all pools. Nothing waits for a process, a disk or
// a channel under it: what takes time runs in a goroutine of the slot, which takes the lock for its result.
type slot struct {
	group *Group
	key   slotKey
	spec  *spec.Spec // from the table of the pool that made the slot, as setup is
	root  string     // of the first route; a server with shared folders gets more of them
	setup setup

	launcher lsp.Launcher // used by the start under way alone, so it needs no lock

	ctx    context.Context // ends when the slot is taken out of the group
	cancel context.CancelCauseFunc
	work   sync.WaitGroup          // starts, watchExit, and closings; added to under Group.mu while ctx lives
	gone   chan struct{}           // closed when the slot was taken out and its processes are gone
	traces atomic.Pointer[[]Trace] // replaced under Group.mu, read for each message without it

	// All below is guarded by Group.mu.
	server   *lsp.Server
	starting *event                  // the start under way; nil when none is
	abort    context.CancelCauseFunc // ends the start under way
	exit     *event                  // finished when the end of server is recorded
	// exited is closed when the process that was stopped last is gone; nil when none was stopped.
	exited     <-chan struct{}
	err        error       // why the last start failed; nil after a good one
	failures   failures    // crashes and failed starts
	memoryEnds []time.Time // when the server ended for its memory; see memory.go
	maxFolders int         // of the next processes; 0 unless one ended for its memory
	starts     int         // that succeeded
	evicted    string      // why the last process was stopped to stay within the limits; "" when it was not
	// By how many calls of Get the server is used; until they release it, it is not stopped for being idle.
	inUse     int
	lock      useLock // which callers those are
	lastUsed  time.Time
	startedAt time.Time // of the running process
}

// workspace is the workspace of the pool that made the slot; limits spare servers by it.
func (sl *slot) workspace() string { return sl.setup.opt.Table.Workspace }

// event is something that callers wait for: the end of a start, a recorded crash, or a change of a useLock.
type event struct {
	done chan struct{}
	err  error // set before done is closed
	busy bool  // the caller waits for other callers, and not for a start; for its error
}

func newEvent() *event { return &event{done: make(chan struct{})} }

func (e *event) finish(err error) {
	e.err = err
	close(e.done)
}

// slotFor returns the slot of a key, which is that of the route r, and makes it when there is none. Group.mu is held.
func (p *Pool) slotFor(key slotKey, r Route) *slot {
	sl := p.group.slots[key]
	if sl == nil {
		p.prune()
		sl = &slot{group: p.group, key: key, spec: r.Spec, root: r.Root, setup: p.setup.fork(),
			launcher: p.newLauncher(r.Spec),
			gone:     make(chan struct{}), lastUsed: time.Now(), lock: newUseLock()}
		sl.ctx, sl.cancel = context.WithCancelCause(context.Background())
		p.group.slots[key] = sl
		p.group.updateTraces(sl)
	}
	return sl
}

// prune removes the least recently used of the pool's slots without a process when there are maxSlots. One whose
// crashes still count stays, since they would be forgotten with it. Group.mu is held.
func (p *Pool) prune() {
	all := p.slots()
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

// finish ends the process of a slot that was taken out of the group, and blocks until the process and all goroutines
// of the slot are gone. Then starts that wait for it may go on (see endingProcesses).
func (sl *slot) finish() {
	sl.group.mu.Lock()
	s := sl.server // no later one: publish looks at sl.ctx, which has ended
	sl.group.mu.Unlock()
	if s != nil {
		s.Close()
	}
	sl.work.Wait()
	sl.setup.journals.releaseAll()
	sl.group.mu.Lock()
	defer sl.group.mu.Unlock()
	sl.group.ending = slices.DeleteFunc(sl.group.ending, func(other *slot) bool { return other == sl })
	close(sl.gone)
}

// takeServer removes the server from its slot; the caller must close the server. Group.mu is held.
func (sl *slot) takeServer() {
	sl.exited = sl.server.Done()
	sl.server = nil
}
