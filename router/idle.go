package router

import (
	"time"

	"lspi/lsp"
)

// idleCheck is how often the pool looks for idle servers; idle_shutdown_ms is in minutes, so this is exact enough.
const idleCheck = 15 * time.Second

// idleLoop closes idle servers until the pool is detached.
func (p *Pool) idleLoop() {
	ticker := time.NewTicker(idleCheck)
	defer ticker.Stop()
	for {
		select {
		case now := <-ticker.C:
			for _, s := range p.takeIdle(now) {
				p.work.Go(s.Close)
			}
		case <-p.ctx.Done():
			return
		}
	}
}

// takeIdle takes those servers out of their slots that nobody has used for their idle time, or that run longer than
// their restart interval, and returns them for closing. Servers in use
// stay until a later look.
func (p *Pool) takeIdle(now time.Time) []*lsp.Server {
	p.group.mu.Lock()
	defer p.group.mu.Unlock()
	p.dropKept(func(one *keptProcess) bool { return now.Sub(one.since) > keepFor })
	var out []*lsp.Server
	for _, sl := range p.slots() {
		t := sl.spec.Timeouts
		idle := t.Idle > 0 && now.Sub(sl.lastUsed) > t.Idle
		old := t.Restart > 0 && now.Sub(sl.startedAt) > t.Restart
		if sl.server == nil || sl.inUse > 0 || !idle && !old {
			continue
		}
		out = append(out, sl.server)
		sl.takeServer()
	}
	return out
}
