package pool

import (
	"cmp"
	"iter"
	"slices"
	"sync"

	"lspi/lsp"
)

// Group are the open pools of one process, one for each workspace. It has the lock of all their slots, because the limits hold over the
// servers of all of them: the server that was used longest ago goes first, whatever workspace it is of. The zero value has no pool.
type Group struct {
	mu    sync.Mutex
	pools []*Pool // guarded by mu
}

func (g *Group) add(p *Pool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.pools = append(g.pools, p)
}

// remove takes out a pool that is closed: from then on no other one stops its servers.
func (g *Group) remove(p *Pool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.pools = slices.DeleteFunc(g.pools, func(other *Pool) bool { return other == p })
}

// slots are those of all pools. mu is held until the caller has gone through them.
func (g *Group) slots() iter.Seq[*slot] {
	return func(yield func(*slot) bool) {
		for _, p := range g.pools {
			for _, sl := range p.slots {
				if !yield(sl) {
					return
				}
			}
		}
	}
}

// running are the servers that run now, of all pools, with the separate processes that stay.
func (g *Group) running() (out []*lsp.Server) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for sl := range g.slots() {
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
	return len(limited) > 0 && p == slices.MinFunc(limited, func(a, b *Pool) int { return cmp.Compare(a.opt.MaxMemory, b.opt.MaxMemory) })
}
