package lsp

import (
	"context"
	"sync"
	"time"

	"lspi/lsp/process"
)

// A server that answers nothing any more is found out when a request has waited in vain: it is sent a request that every
// server has to answer at once, with an error (LSP 3.17, "$/" requests). One that neither answers nor writes anything nor
// works is hung, and ended; one that works is given more time.

// methodProbe is unknown to every server.
const methodProbe = "$/lspi/probe"

// The limits of a probe.
const (
	probeIdle  = 5 * time.Second  // without a sign of life, doing nothing; less where requests have less
	probeBlind = 20 * time.Second // without a sign of life, where nobody knows whether it does anything
	probeBusy  = 5 * time.Minute  // without a sign of life, though it works: what it works at would begin anew
	probeTick  = 250 * time.Millisecond
)

// probe is the question whether the server lives, shared by all who ask at a time.
type probe struct {
	mu      sync.Mutex
	running *probeRun     // guarded by mu; nil when nobody asks
	wanted  chan struct{} // wakes [Server.tend], which asks
}

type probeRun struct{ done chan struct{} } // closed when the answer is known; a server that is hung is ended before

func newProbe() probe { return probe{wanted: make(chan struct{}, 1)} }

// suspect has the server probed, by the goroutine that outlives every call.
func (s *Server) suspect() *probeRun {
	s.probe.mu.Lock()
	defer s.probe.mu.Unlock()
	if s.probe.running == nil {
		s.probe.running = &probeRun{make(chan struct{})}
		select {
		case s.probe.wanted <- struct{}{}:
		default:
		}
	}
	return s.probe.running
}

// lives waits for the verdict over a server that is suspected; true also when none comes in time: it works, or ctx ended.
func (s *Server) lives(ctx context.Context) bool {
	run := s.suspect()
	limit := time.NewTimer(2 * probeIdle)
	defer limit.Stop()
	select {
	case <-run.done:
	case <-s.life.Done():
	case <-ctx.Done():
	case <-limit.C:
	}
	return s.life.Err() == nil
}

// idleLimit is how long a server may show no sign of life while it does nothing.
func (s *Server) idleLimit() time.Duration {
	if s.spec.Timeouts.Request > 0 {
		return min(probeIdle, max(s.spec.Timeouts.Request, time.Second))
	}
	return probeIdle
}

// judge ends a hung server. It belongs to tend.
func (s *Server) judge() {
	if s.life.Err() == nil && !s.answersProbe() {
		s.log.Warn("the server does not answer any more and is ended")
		s.hung.Store(true)
		s.release(errEnded)
	}
	s.probe.mu.Lock()
	defer s.probe.mu.Unlock()
	close(s.probe.running.done)
	s.probe.running = nil
}

// answersProbe reports whether the server shows any sign of life within the limits.
func (s *Server) answersProbe() bool {
	ctx, cancel := context.WithTimeout(s.life, probeBusy)
	defer cancel()
	answered := make(chan struct{})
	go func() { // ends with ctx
		defer close(answered)
		_ = s.conn.Call(ctx, methodProbe, nil, nil)
	}()
	defer func() { cancel(); <-answered }()
	heard, began := s.proc.Received(), time.Now()
	before, known := process.UsageOf(s.proc.PID())
	idle, limit := began, s.idleLimit()
	if !known {
		limit = probeBlind
	}
	tick := time.NewTicker(probeTick)
	defer tick.Stop()
	for {
		select {
		case <-answered:
			return ctx.Err() == nil || s.life.Err() != nil
		case <-s.proc.Done():
			return true // which is another story
		case now := <-tick.C:
			// What it writes shows that it is at work, and no more: behind a header with a wrong length it may write
			// answers for good that nobody will ever see.
			if n := s.proc.Received(); n != heard {
				heard, idle = n, now
			}
			if u, ok := process.UsageOf(s.proc.PID()); ok && u.CPU-before.CPU >= probeTick/10 {
				before, idle = u, now
			}
			if now.Sub(idle) >= limit {
				return false
			}
		}
	}
}
