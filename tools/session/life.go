package session

import (
	"context"
	"os"
	"slices"
	"sync"
	"time"
)

// opened is the life of a workspace in its process.
type opened struct {
	key      string        // which sessions may share it ([Process.Open])
	start    sync.Once     // makes the pool
	started  chan struct{} // closed when Pool is set
	end      func()        // ends the servers and waits for them; set by Process.takeOut
	sessions int           // how many have the workspace; guarded by Process.mu
	guests   int           // how many of them are guests ([Process.OpenGuest]); guarded by Process.mu
	// unused is since when no session has the workspace, and taken ends the wait for the end of its time; zero and nil
	// while a session has it. Guarded by Process.mu.
	unused time.Time
	taken  context.CancelFunc
}

// rootCheck is how often lspi looks whether the root of a lingering workspace still exists.
const rootCheck = 15 * time.Second

// release takes one session off. end is what is left to do without the lock: for the last session it
// ends the servers, which takes seconds; it does nothing when other sessions have the workspace, or
// when it lingers. A workspace whose configuration is outdated does not linger.
func (w *Workspace) release(outdated, guest bool) (end func()) {
	p := w.Process
	p.mu.Lock()
	defer p.mu.Unlock()
	w.sessions--
	if guest {
		w.guests--
	}
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

// stopLingering ends the wait of a workspace that a session takes, or that is ended. The caller holds
// Process.mu.
func (w *Workspace) stopLingering() {
	if w.taken != nil {
		w.taken()
	}
	w.unused, w.taken = time.Time{}, nil
}

// linger ends a workspace when its time is over or its root is gone. It returns early when ctx ends: a
// session has taken the workspace.
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
	// A session may have taken it between the timer and the lock.
	if ctx.Err() != nil { // which is decided under the lock
		p.mu.Unlock()
		return
	}
	end := p.takeOut(w)
	p.mu.Unlock()
	end()
}

// takeOut takes a workspace off the list, so that no session gets it any more. end ends the servers
// that this workspace alone has, and waits for them; servers that are started at its root meanwhile
// wait for that, too. The caller holds mu and calls end without it.
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

// Close ends all workspaces, those that sessions have and those that linger, and returns when all their
// servers are gone. No workspace is opened afterwards.
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
