package router

import (
	"time"

	"lspi/lsp"
)

// idleCheck is how often idle servers are looked for; idle_shutdown_ms is in minutes, so this is exact enough.
const idleCheck = 15 * time.Second

// idleLoop ends with the pool.
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

// takeIdle takes the servers out of the pool that nobody used for their idle time, or that run longer than their
// restart interval; none that is in use.
func (p *Pool) takeIdle(now time.Time) []*lsp.Server {
	p.group.mu.Lock()
	defer p.group.mu.Unlock()
	p.dropSeparate(func(one *separate) bool { return now.Sub(one.since) > staysFor })
	var out []*lsp.Server
	for _, sl := range p.sees() {
		t := sl.spec.Timeouts
		idle := t.Idle > 0 && now.Sub(sl.lastUsed) > t.Idle
		old := t.Restart > 0 && now.Sub(sl.startedAt) > t.Restart
		if sl.server == nil || sl.inUse > 0 || !idle && !old {
			continue
		}
		out = append(out, sl.server)
		sl.detach()
	}
	return out
}
