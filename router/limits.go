package router

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"lspi/lsp"
)

// Two limits over all pools of the process protect the machine: how many servers run, and how much
// memory they use together. Servers of the workspace that was used longest ago end first, and of these the least
// recently used: a user who works in one workspace keeps all of its servers before any of an abandoned one.
//
// The limit on the number never ends a server in use: one process more does less harm than a failed call. The limit on
// memory spares servers in use and the most recently used one, which the next call would start again, until nothing
// else is left (endLargest).

// DefaultMaxServers is how many servers run at a time when the configuration does not say.
const DefaultMaxServers = 12

// makeRoom stops idle servers until one more may start. When all are in use it lets one more run and logs that.
// Group.mu is held.
func (p *Pool) makeRoom() {
	limit := p.opt.MaxServers
	if limit <= 0 {
		limit = DefaultMaxServers
	}
	// Starts under way count: several at once would else all find room.
	running := 0
	for _, sl := range p.group.slots {
		if sl.server != nil || sl.starting != nil {
			running++
		}
	}
	if running >= limit {
		p.group.dropAllKept(func(*lsp.Server) bool { return true })
	}
	// oldestIdle looks at all servers again for each one that ends: there are a dozen of them.
	for ; running >= limit; running-- {
		if !p.group.oldestIdle(nil).evict(fmt.Sprintf("more than %d servers would run", limit)) {
			p.opt.Log.Warn("more servers run than are allowed, because all are in use", "running", running+1, "limit",
				limit)
			return
		}
	}
}

// oldestIdle returns the slot whose server has to end first among those not in use, except excluded; nil when there
// is none. Group.mu is held.
func (g *Group) oldestIdle(except *slot) *slot {
	used := map[string]time.Time{} // workspace → its last use; now for one with a server in use
	for _, sl := range g.slots {
		last := sl.lastUsed
		// One server in use makes its whole workspace the most recently used one.
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

// evict stops the server of the slot and notes why for the status. It returns false for a nil slot, which is how
// makeRoom learns that nothing is left to stop. Group.mu is held.
func (sl *slot) evict(why string) bool {
	if sl == nil {
		return false
	}
	sl.setup.opt.Log.Warn("a server is stopped to stay within the limits", "server_id", sl.spec.ID, "root", sl.root,
		"reason", why)
	s := sl.server
	sl.takeServer()
	sl.evicted = why
	sl.work.Go(s.Close)
	return true
}

// checkMemory ends servers while all of them together use more memory than the limit: first the kept separate
// processes, then idle servers, least recently used first, then servers in use. It returns the bytes used before
// that.
func (p *Pool) checkMemory() (had uint64) {
	limit := p.opt.MaxMemory
	if limit == 0 {
		return 0
	}
	// Measured without Group.mu, since it reads as many files as the machine has processes. A server that starts
	// meanwhile is not in used and so counts from the next look on.
	used := map[*lsp.Server]uint64{} // resident bytes, child processes included
	var sum uint64
	for _, s := range p.group.runningServers() {
		used[s] = p.memory(s)
		sum += used[s]
	}
	had = sum
	p.group.mu.Lock()
	defer p.group.mu.Unlock()
	// The pool was detached while it measured; another pool of the group measures from now on.
	if p.ctx.Err() != nil {
		return had
	}
	// The most recently used server stays even when it is idle: the next call would start it again at once, and its
	// index with it.
	var last *slot
	for _, sl := range p.group.slots {
		if sl.server != nil && (last == nil || sl.lastUsed.After(last.lastUsed)) {
			last = sl
		}
	}
	// A kept separate process holds nothing that a call waits for, so it ends before any server.
	if sum > limit {
		for _, s := range p.group.dropAllKept(func(s *lsp.Server) bool { return used[s] > 0 }) {
			sum -= min(used[s], sum)
		}
	}
	for sum > limit {
		// What ended servers had is subtracted and not measured again: their memory is not free before they are gone.
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

// watchMemory checks the memory of the servers until ctx ends. Every pool with a limit runs it, but only one measures
// at a time ([Group.measures]): when that pool closes, another takes over at its next look.
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

// memoryCheck is how often memory is measured while little is used: a server that indexes grows by about 100 MB a
// second.
const memoryCheck = 5 * time.Second
