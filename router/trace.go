package router

// Trace sees a message between lspi and a server.
type Trace func(serverID string, sent bool, message []byte)

// A log level belongs to a session, and servers are shared: so the traffic of a server is for all pools that see it
// and trace, from when they open until they are closed, whichever pool has started it.

// retrace sets who gets the traffic of a slot. mu is held.
func (g *Group) retrace(sl *slot) {
	var out []Trace
	for _, p := range g.pools {
		if p.opt.Trace != nil && p.hasSight(sl) {
			out = append(out, p.opt.Trace)
		}
	}
	sl.traces.Store(&out)
}

// retraceSeen is retrace for the slots of a pool that traces. mu is held.
func (g *Group) retraceSeen(p *Pool) {
	if p.opt.Trace == nil {
		return
	}
	for _, sl := range p.sees() {
		g.retrace(sl.slot)
	}
}

// trace is for [lsp.Options].
func (sl *slot) trace(sent bool, message []byte) {
	for _, trace := range *sl.traces.Load() {
		trace(sl.key.Server, sent, message)
	}
}
