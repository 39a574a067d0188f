package router

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"lspi/lsp"
)

// Two limits hold the machine free, over all pools of the process together: how many servers run, and how much
// memory they have. The workspace that was used longest ago gives its servers first, and of these the one that was
// used longest ago. For their number none goes that is in use, and never the one that was used last: it would only
// be started anew. For their memory these go last (endLargest).

// DefaultMaxServers is how many servers run at a time.
const DefaultMaxServers = 12

// makeRoom stops servers until one more may start. Group.mu is held.
func (p *Pool) makeRoom() {
	limit := p.opt.MaxServers
	if limit <= 0 {
		limit = DefaultMaxServers
	}
	running := 0
	for _, sl := range p.group.slots {
		if sl.server != nil || sl.starting != nil {
			running++
		}
	}
	if running >= limit {
		p.group.dropSeparates(func(*lsp.Server) bool { return true })
	}
	for ; running >= limit; running-- {
		if !p.group.oldestIdle(nil).evict(fmt.Sprintf("more than %d servers would run", limit)) {
			p.opt.Log.Warn("more servers run than are allowed, because all are in use", "running", running+1, "limit",
				limit)
			return
		}
	}
}

// oldestIdle is the server that goes first of those that are not in use; nil when there is none. Group.mu is held.
func (g *Group) oldestIdle(except *slot) *slot {
	used := map[string]time.Time{} // when a workspace was used last
	for _, sl := range g.slots {
		last := sl.lastUsed
		if sl.inUse > 0 || sl.starting != nil {
			last = time.Now()
		}
		if last.After(used[sl.workspace()]) {
			used[sl.workspace()] = last
		}
	}
	var oldest *slot
	for _, sl := range g.slots {
		if sl.server == nil || sl.inUse > 0 || sl == except {
			continue
		}
		if oldest == nil || cmp.Or(used[sl.workspace()].Compare(used[oldest.workspace()]),
			sl.lastUsed.Compare(oldest.lastUsed)) < 0 {
			oldest = sl
		}
	}
	return oldest
}

// evict stops the server of the slot; false for a nil slot. Group.mu is held.
func (sl *slot) evict(why string) bool {
	if sl == nil {
		return false
	}
	sl.setup.opt.Log.Warn("a server is stopped to stay within the limits", "server_id", sl.spec.ID, "root", sl.root,
		"reason", why)
	s := sl.server
	sl.detach()
	sl.evicted = why
	sl.work.Go(s.Close)
	return true
}

// checkMemory stops the servers that were used longest ago while all of them together have more memory than
// allowed, then those in use. It returns what they had.
func (p *Pool) checkMemory() (had uint64) {
	limit := p.opt.MaxMemory
	if limit == 0 {
		return 0
	}
	// Measured without the lock: it reads as many files as the machine has processes.
	used := map[*lsp.Server]uint64{}
	var sum uint64
	for _, s := range p.group.running() {
		used[s] = p.memory(s)
		sum += used[s]
	}
	had = sum
	p.group.mu.Lock()
	defer p.group.mu.Unlock()
	if p.ctx.Err() != nil {
		return had
	}
	var last *slot
	for _, sl := range p.group.slots {
		if sl.server != nil && (last == nil || sl.lastUsed.After(last.lastUsed)) {
			last = sl
		}
	}
	if sum > limit {
		for _, s := range p.group.dropSeparates(func(s *lsp.Server) bool { return used[s] > 0 }) {
			sum -= min(used[s], sum)
		}
	}
	for sum > limit {
		sl := p.group.oldestIdle(last)
		if sl == nil {
			p.group.endLargest(used, sum, limit)
			break
		}
		sum -= min(used[sl.server], sum)
		sl.evict(fmt.Sprintf("the servers had more than %d MB of memory", limit>>20))
	}
	return had
}

func (p *Pool) memory(s *lsp.Server) uint64 {
	if p.opt.memoryOf != nil {
		return p.opt.memoryOf(s)
	}
	return s.Memory()
}

// watchMemory looks at the memory of the servers until ctx ends.
func (p *Pool) watchMemory(ctx context.Context) {
	timer := time.NewTimer(watchClosely)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
			var had uint64
			if p.group.measures(p) {
				had = p.checkMemory()
			}
			timer.Reset(memoryInterval(had, p.opt.MaxMemory))
		case <-ctx.Done():
			return
		}
	}
}

// memoryCheck is how often the memory is looked at: a server that indexes grows by about 100 MB in a second.
const memoryCheck = 5 * time.Second
