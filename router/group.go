package router

import (
	"cmp"
	"slices"
	"sync"

	"lspi/lsp"
)

// Group holds the open pools of one process, one for each configuration of a workspace, with the servers and journals
// that they share. One lock guards all slots, because a limit has to see, and may end, the servers of every pool. The
// zero value is an empty group.
type Group struct {
	mu     sync.Mutex
	pools  []*Pool           // guarded by mu
	slots  map[slotKey]*slot // guarded by mu
	ending []*slot           // taken out, with processes that may still run (see endingProcesses); guarded by mu

	journals journals
}

func (g *Group) register(p *Pool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.slots == nil {
		g.slots = map[slotKey]*slot{}
	}
	g.pools = append(g.pools, p)
	g.updateTracesOf(p)
}

// unregister removes a pool, and takes out the slots that no other pool uses. The caller has to call finish for each
// of these, without the lock: it waits for processes.
func (g *Group) unregister(p *Pool) (alone []*slot) {
	g.mu.Lock()
	defer g.mu.Unlock()
	i := slices.Index(g.pools, p)
	if i < 0 {
		return nil
	}
	g.pools = slices.Delete(g.pools, i, i+1)
	for _, sl := range p.slots() {
		if !g.shared(sl.slot, p, false) {
			g.takeOut(sl.slot)
			alone = append(alone, sl.slot)
		}
	}
	g.updateTracesOf(p)
	return alone
}

// takeOut removes a slot from the group, so that no call finds it any more, and ends its start. mu is held.
func (g *Group) takeOut(sl *slot) {
	delete(g.slots, sl.key)
	g.ending = append(g.ending, sl)
	sl.cancel(errPoolClosed)
}

// runningServers returns the servers of all pools that run now, with the kept separate processes.
func (g *Group) runningServers() (out []*lsp.Server) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, sl := range g.slots {
		if sl.server != nil {
			out = append(out, sl.server)
		}
	}
	for _, p := range g.pools {
		if p.kept != nil {
			out = append(out, p.kept.server)
		}
	}
	return out
}

// measures reports whether p is the pool that measures memory for the whole group: the first one with the smallest
// limit. One is enough, since each measurement reads the processes of the whole machine.
func (g *Group) measures(p *Pool) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	limited := slices.DeleteFunc(slices.Clone(g.pools), func(p *Pool) bool { return p.opt.MaxMemory == 0 })
	return len(limited) > 0 && p == slices.MinFunc(limited, func(a, b *Pool) int {
		return cmp.Compare(a.opt.MaxMemory, b.opt.MaxMemory)
	})
}
