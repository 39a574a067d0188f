package router

import (
	"sync"
	"time"

	"lspi/lsp/spec"
)

// Stopped is what [Pool.Stop] found of one server at one root.
type Stopped struct {
	Route    Route // by which [Caller.Get] starts it again
	State    string
	PID      int // of the process that ended; 0 when none ran
	LastUsed time.Time
}

// Stop ends the processes of the servers that are selected, starts under way included, and forgets their failures,
// so that the next Get starts each anew: that is what a user's own order means. It returns when the processes are
// gone, which takes the seconds of [lsp.Connection.Close], with every place of these servers that the pool knows,
// in the order of [Pool.Status]; those with nothing to end too. Calls in flight end as by a crash.
func (p *Pool) Stop(selected func(*spec.Spec) bool) []Stopped {
	var out []Stopped
	var group sync.WaitGroup
	p.group.mu.Lock()
	if s := p.dropSeparate(func(one *separate) bool { return selected(one.of) }); s != nil {
		group.Go(s.Close)
	}
	now := time.Now()
	for _, sl := range p.sees() {
		if !selected(sl.spec) {
			continue
		}
		found := Stopped{Route: Route{Spec: sl.spec, Root: sl.root}, State: sl.status(now).State, LastUsed: sl.lastUsed}
		sl.failures.forget()
		sl.oversized, sl.err = nil, nil
		if sl.server != nil {
			s := sl.server
			found.State, found.PID = "running", s.PID()
			sl.detach()
			group.Go(s.Close)
		}
		if sl.starting != nil {
			found.State = "starting"
			sl.abort(errStopped)
			done := sl.starting.done
			group.Go(func() { <-done })
		}
		out = append(out, found)
	}
	p.group.mu.Unlock()
	group.Wait()
	return out
}
