package router

import (
	"sync"
	"time"

	"lspi/lsp/spec"
)

// Stopped is the state in which [Pool.Stop] found one server at one root.
type Stopped struct {
	Route    Route  // [Caller.Get] starts the server again by it
	State    string // before the stop, as in [ServerStatus]
	PID      int    // of the process that ended; 0 when none ran
	LastUsed time.Time
}

// Stop ends the processes of the selected servers and the starts under way, and forgets their crashes and memory
// ends. The next Get starts each server at once: an order of the user overrides the crash budget.
//
// Stop returns when the processes are gone, which takes as long as [lsp.Connection.Close]. It lists every slot of the
// selected servers in the order of [Pool.Status], those without a process too. Calls in flight end as after a crash.
func (p *Pool) Stop(selected func(*spec.Spec) bool) []Stopped {
	var out []Stopped
	var group sync.WaitGroup
	p.group.mu.Lock()
	// dropKept already closes the process; a second Close waits for the same end, and Stop has to wait for it.
	if s := p.dropKept(func(one *keptProcess) bool { return selected(one.of) }); s != nil {
		group.Go(s.Close)
	}
	now := time.Now()
	for _, sl := range p.slots() {
		if !selected(sl.spec) {
			continue
		}
		found := Stopped{Route: Route{Spec: sl.spec, Root: sl.root}, State: sl.statusAt(now).State,
			LastUsed: sl.lastUsed}
		sl.failures.forget()
		sl.memoryEnds, sl.maxFolders, sl.err = nil, 0, nil
		if sl.server != nil {
			s := sl.server
			found.State, found.PID = "running", s.PID()
			sl.takeServer()
			group.Go(s.Close)
		}
		if sl.starting != nil {
			found.State = "starting"
			sl.abort(errStopped)
			// The start itself records its end and the slot waits for it there: see [slot.start].
			done := sl.starting.done
			group.Go(func() { <-done })
		}
		out = append(out, found)
	}
	p.group.mu.Unlock()
	group.Wait()
	return out
}
