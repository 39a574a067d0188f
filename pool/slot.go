package pool

import (
	"context"
	"slices"
	"strings"
	"time"

	"lspi/lsp"
	"lspi/lsp/spec"
	"lspi/router"
)

// maxSlots bounds the servers that are remembered after they ended; a monorepo may have thousands of roots.
const maxSlots = 64

// slot is the place of one server in the pool, over all its processes. It is made at the first question for its key, and forgotten
// when many servers that ended are remembered ([Pool.prune]).
type slot struct {
	pool *Pool
	key  router.Key
	spec *spec.Spec
	root string

	launcher lsp.Launcher // only for the start under way

	// All below is guarded by Group.mu.
	server    *lsp.Server
	starting  *event                  // the start under way; nil when none is
	abort     context.CancelCauseFunc // ends the start under way
	exit      *event                  // of server: finished when its end was recorded
	exited    <-chan struct{}         // closed when the process that was stopped last is gone; nil when none was stopped
	err       error                   // why the last start failed; nil after a good one
	failures  failures                // crashes and failed starts
	oversized []time.Time             // recent ends for the memory; see memory.go
	starts    int                     // that succeeded
	evicted   string                  // why the last process was stopped to stay within the limits; "" when it was not
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

// slotFor is the slot of a route, made when there is none. Group.mu is held.
func (p *Pool) slotFor(r router.Route) *slot {
	sl := p.slots[r.Key()]
	if sl == nil {
		p.prune()
		sl = &slot{pool: p, key: r.Key(), spec: r.Spec, root: r.Root, launcher: p.launcher(r.Spec), lastUsed: time.Now(), lock: newUseLock()}
		p.slots[sl.key] = sl
	}
	return sl
}

// prune forgets the server that ended longest ago when there are many. One whose crashes still count is kept.
// Group.mu is held.
func (p *Pool) prune() {
	if len(p.slots) < maxSlots {
		return
	}
	var oldest *slot
	for _, sl := range p.slots {
		idle := sl.server == nil && sl.starting == nil && sl.inUse == 0 && len(sl.failures.recent(time.Now())) == 0
		if idle && (oldest == nil || sl.lastUsed.Before(oldest.lastUsed)) {
			oldest = sl
		}
	}
	if oldest != nil {
		delete(p.slots, oldest.key)
	}
}

// sorted are the slots in the order of the table, then of their roots. Group.mu is held.
func (p *Pool) sorted() []*slot {
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

// detach takes the server out of its slot; whoever calls it closes the server. Group.mu is held.
func (sl *slot) detach() {
	sl.exited = sl.server.Done()
	sl.server = nil
}
