package router

import (
	"cmp"
	"slices"
	"sync"

	"lspi/lsp"
)

// Group are the open pools of one process, one for each configuration of a workspace, with the servers and journals
// that they share. It has the lock of all slots, because the limits hold over the servers of all pools together.
// The zero value has no pool.
type Group struct {
	mu     sync.Mutex
	pools  []*Pool           // guarded by mu
	slots  map[slotKey]*slot // guarded by mu
	ending []*slot           // that were taken out, and whose processes may still run; guarded by mu

	journals journals
}

func (g *Group) add(p *Pool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.slots == nil {
		g.slots = map[slotKey]*slot{}
	}
	g.pools = append(g.pools, p)
	g.retraceSeen(p)
}

// remove takes out a pool, and the slots that no other one sees. The caller has to call finish for each of these.
func (g *Group) remove(p *Pool) (alone []*slot) {
	g.mu.Lock()
	defer g.mu.Unlock()
	i := slices.Index(g.pools, p)
	if i < 0 {
		return nil
	}
	g.pools = slices.Delete(g.pools, i, i+1)
	for _, sl := range p.sees() {
		if !g.shared(sl.slot, p, false) {
			g.takeOut(sl.slot)
			alone = append(alone, sl.slot)
		}
	}
	g.retraceSeen(p)
	return alone
}

// takeOut makes a slot one that nobody gets any more, and ends its start. mu is held.
func (g *Group) takeOut(sl *slot) {
	delete(g.slots, sl.key)
	g.ending = append(g.ending, sl)
	sl.cancel(errPoolClosed)
}

// running are the servers that run now, of all pools, with the separate processes that stay.
func (g *Group) running() (out []*lsp.Server) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, sl := range g.slots {
		if sl.server != nil {
			out = append(out, sl.server)
		}
	}
	for _, p := range g.pools {
		if p.separate != nil {
			out = append(out, p.separate.server)
		}
	}
	return out
}

// measures reports whether p is the pool that looks at the memory of all: the first one with the smallest limit.
func (g *Group) measures(p *Pool) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	limited := slices.DeleteFunc(slices.Clone(g.pools), func(p *Pool) bool { return p.opt.MaxMemory == 0 })
	return len(limited) > 0 && p == slices.MinFunc(limited, func(a, b *Pool) int {
		return cmp.Compare(a.opt.MaxMemory, b.opt.MaxMemory)
	})
}
