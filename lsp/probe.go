package lsp

import (
	"context"
	"sync"
	"time"
)

// A server that answers nothing any more is found out when a request has waited in vain: it is sent a request that
// every server has to answer at once, with an error (LSP 3.17, "$/" requests). One that neither answers nor writes
// anything nor works is hung, and ended; one that works is given more time.
//
// Three things are signs of life: an answer to the probe, bytes that the server writes, and CPU time that it uses
// wherever it runs. The first ends the probe. The other two only begin the time without a sign anew; probeBusy bounds
// the whole, so that a server that works without end is ended, too.

// methodProbe is unknown to every server.
const methodProbe = "$/lspi/probe"

// The limits of a probe.
const (
	probeIdle  = 5 * time.Second  // without a sign of life, doing nothing; less where requests have less
	probeBlind = 20 * time.Second // without a sign of life, where the system does not tell whether it does anything
	probeBusy  = 5 * time.Minute  // without a sign of life, though it works: what it works at would begin anew
	probeTick  = 250 * time.Millisecond
)

// probe is the question whether the server lives, shared by all who ask at a time.
type probe struct {
	conn *Connection

	mu      sync.Mutex
	running *probeRun     // guarded by mu; nil when nobody asks
	wanted  chan struct{} // wakes [Connection.tend], which asks
}

// probeRun is one verdict, shared by all who suspect the server at the same time.
type probeRun struct{ done chan struct{} } // closed when the answer is known; a server that is hung is ended before

// newProbe makes wanted with room for one: suspect must not wait for tend, and a second wish says nothing new.
func newProbe(of *Connection) *probe { return &probe{conn: of, wanted: make(chan struct{}, 1)} }

// suspect has the server probed, by the goroutine that outlives every call.
func (p *probe) suspect() *probeRun {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.running == nil {
		p.running = &probeRun{make(chan struct{})}
		select {
		case p.wanted <- struct{}{}:
		default:
		}
	}
	return p.running
}

// lives waits for the verdict over a server that is suspected; true also when none comes in time: it works, or ctx
// ended.
func (p *probe) lives(ctx context.Context) bool {
	run := p.suspect()
	limit := time.NewTimer(2 * probeIdle)
	defer limit.Stop()
	select {
	case <-run.done:
	case <-p.conn.life.Done():
	case <-ctx.Done():
	case <-limit.C:
	}
	return p.conn.life.Err() == nil
}

// idleLimit is how long a server may show no sign of life while it does nothing.
func (p *probe) idleLimit() time.Duration {
	if p.conn.spec.Timeouts.Request > 0 {
		return min(probeIdle, max(p.conn.spec.Timeouts.Request, time.Second))
	}
	return probeIdle
}

// judge ends a hung server. It belongs to tend.
func (p *probe) judge() {
	if p.conn.life.Err() == nil && !p.answersProbe() {
		p.conn.log.Warn("the server does not answer any more and is ended")
		p.conn.hung.Store(true)
		p.conn.release(errEnded)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	close(p.running.done)
	p.running = nil
}

// answersProbe reports whether the server shows any sign of life within the limits.
func (p *probe) answersProbe() bool {
	ctx, cancel := context.WithTimeout(p.conn.life, probeBusy)
	defer cancel()
	answered := make(chan struct{})
	go func() { // ends with ctx
		defer close(answered)
		_ = p.conn.wire.Call(ctx, methodProbe, nil, nil)
	}()
	// The goroutine must be over before the probe is: it uses the wire, which tend closes afterwards.
	defer func() { cancel(); <-answered }()
	heard, began := p.conn.proc.Received(), time.Now()
	before, known := p.conn.usage()
	idle, limit := began, p.idleLimit()
	if !known {
		limit = probeBlind
	}
	tick := time.NewTicker(probeTick)
	defer tick.Stop()
	for {
		select {
		case <-answered:
			// The call also returns when the time of the probe (probeBusy) is over, which is no answer. That the
			// server was ended meanwhile is nothing that it is to be ended for.
			return ctx.Err() == nil || p.conn.life.Err() != nil
		case <-p.conn.proc.Done():
			return true // which is another story
		case now := <-tick.C:
			// What it writes shows that it is at work, and no more: behind a header with a wrong length it may write
			// answers for good that nobody will ever see.
			if n := p.conn.proc.Received(); n != heard {
				heard, idle = n, now
			}
			if u, ok := p.conn.usage(); ok && u.CPU-before.CPU >= probeTick/10 {
				before, idle = u, now
			}
			if now.Sub(idle) < limit {
				continue
			}
			if p.conn.works == nil || !p.conn.works(ctx) {
				return false
			}
			idle = time.Now()
		}
	}
}
