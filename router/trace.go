package router

// Trace gets the body of each message between lspi and a server; sent is false for those of the server. It must not
// block, since the connection waits for it, and may be called from two goroutines at once. message is valid only until
// it returns ([wire.Options]).
type Trace func(serverID string, sent bool, message []byte)

// A log level belongs to a session, and servers are shared. So each pool that traces gets the messages of the servers
// that it uses for as long as it is open, also of those that another pool started.

// updateTraces sets which pools get the messages of a slot. mu is held.
func (g *Group) updateTraces(sl *slot) {
	var out []Trace
	for _, p := range g.pools {
		if p.opt.Trace != nil && p.uses(sl) {
			out = append(out, p.opt.Trace)
		}
	}
	sl.traces.Store(&out)
}

// updateTracesOf updates the slots that a pool uses, when it opens and when it closes. mu is held.
func (g *Group) updateTracesOf(p *Pool) {
	if p.opt.Trace == nil {
		return
	}
	for _, sl := range p.slots() {
		g.updateTraces(sl.slot)
	}
}

// forwardTrace is the Trace of [lsp.Options]. It takes no lock, since every message passes here.
func (sl *slot) forwardTrace(sent bool, message []byte) {
	for _, trace := range *sl.traces.Load() {
		trace(sl.key.Server, sent, message)
	}
}
