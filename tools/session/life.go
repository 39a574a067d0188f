package session

import (
	"context"
	"os"
	"slices"
	"sync"
	"time"
)

// opened is the part of a workspace that belongs to the process which opened it.
type opened struct {
	key      string
	start    sync.Once     // makes the pool
	started  chan struct{} // closed when Pool is set
	end      func()        // ends the servers and waits for that; set by Process.takeOut
	sessions int           // that have it; guarded by Process.mu
	// unused is since when no session has it, and taken ends the wait for the end of that time; zero and nil while
	// one has it. Guarded by Process.mu.
	unused time.Time
	taken  context.CancelFunc
}

// rootCheck is how often it is looked whether the root of a workspace that lingers is still there.
const rootCheck = 15 * time.Second

// release counts one session off, and returns what is left to do: for the last one to end the servers, which takes
// seconds, unless the workspace lingers, which one whose configuration is outdated does not.
func (w *Workspace) release(outdated bool) (end func()) {
	p := w.Process
	p.mu.Lock()
	defer p.mu.Unlock()
	w.sessions--
	switch {
	case w.sessions > 0:
		return func() {}
	case w.end != nil: // the process is closed
		return w.end
	case p.Linger == 0 || w.key == "" || p.closed || outdated:
		return p.takeOut(w)
	}
	var ctx context.Context
	ctx, w.taken = context.WithCancel(context.Background())
	w.unused = time.Now()
	p.work.Go(func() { p.linger(ctx, w) })
	return w.Pool.LeaveWarm
}

// stopLingering makes a workspace one that a session has, or that ends. Process.mu is held.
func (w *Workspace) stopLingering() {
	if w.taken != nil {
		w.taken()
	}
	w.unused, w.taken = time.Time{}, nil
}

// linger ends a workspace when its time is over, or its root is gone; ctx ends when that is not to be any more.
func (p *Process) linger(ctx context.Context, w *Workspace) {
	over, check := time.NewTimer(p.Linger), time.NewTicker(rootCheck)
	defer over.Stop()
	defer check.Stop()
	for waits := true; waits; {
		select {
		case <-ctx.Done():
			return
		case <-over.C:
			waits = false
		case <-check.C:
			_, err := os.Stat(w.Root)
			waits = !os.IsNotExist(err)
		}
	}
	p.mu.Lock()
	if ctx.Err() != nil { // which is decided under the lock
		p.mu.Unlock()
		return
	}
	end := p.takeOut(w)
	p.mu.Unlock()
	end()
}

// takeOut makes a workspace one that no session gets any more. end ends the servers that it has alone, and waits
// for that. Servers that are started at its root meanwhile wait for it, too. mu is held.
func (p *Process) takeOut(w *Workspace) (end func()) {
	w.stopLingering()
	select {
	case <-w.started:
		w.Pool.Detach()
	default: // only when the process is closed
	}
	p.open = slices.DeleteFunc(p.open, func(other *Workspace) bool { return other == w })
	p.ending = append(p.ending, w)
	w.end = sync.OnceFunc(func() {
		<-w.started
		w.Pool.Close()
		p.mu.Lock()
		p.ending = slices.DeleteFunc(p.ending, func(other *Workspace) bool { return other == w })
		p.mu.Unlock()
	})
	return w.end
}

// Close ends all workspaces, those that sessions have and those that linger, and returns when all their servers are
// gone. From then on none is opened.
func (p *Process) Close() {
	p.mu.Lock()
	p.closed = true
	for _, w := range slices.Clone(p.open) {
		p.takeOut(w)
	}
	var all sync.WaitGroup
	for _, w := range p.ending {
		all.Go(w.end)
	}
	p.mu.Unlock()
	all.Wait()
	p.work.Wait()
}
