package daemon

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"
)

// The end of a backend, and how the next one takes its place.

// lost notes the end of a backend. idle says that it has answered all that it had read, so that what the host waits
// for is for the next one. When the host waits for something the next one is started at once, else with the next
// message.
func (r *Relay) lost(generation int, idle bool) {
	r.mu.Lock()
	if r.generation != generation || r.ctx.Err() != nil {
		r.mu.Unlock()
		return
	}
	r.backend = nil
	if idle {
		for _, q := range r.open {
			q.asked = 0
		}
	}
	for _, answered := range r.own {
		close(answered)
	}
	clear(r.own)
	left, waits := r.left, len(r.open) > 0
	r.mu.Unlock()
	switch {
	case left:
		r.ended(errDone)
	case waits:
		r.log().Warn("the process that served this session ended while the host waits for an answer")
		r.sending.Lock()
		defer r.sending.Unlock()
		if err := r.revive(generation); err != nil {
			r.ended(err)
		}
	}
}

// revive puts the next backend in the place of one that has ended, and brings it to where that one was. It does
// nothing when that has happened already. It needs sending.
func (r *Relay) revive(ended int) error {
	for {
		r.mu.Lock()
		if r.generation != ended {
			r.mu.Unlock()
			return nil
		}
		kept := r.kept
		r.mu.Unlock()
		b, err := r.opt.Next(r.ctx, ended, kept)
		if err != nil {
			return fmt.Errorf("nobody serves this session: %w", err)
		}
		r.mu.Lock()
		r.generation++
		generation := r.generation
		r.backend, r.heard = b, time.Now()
		r.mu.Unlock()
		go r.fromBackend(b, generation)
		if r.catchUp(b, generation) {
			return nil
		}
		ended = generation
	}
}

// catchUp shakes hands for the host, sets what it has set, and asks what it waits for; false when the backend has
// ended meanwhile.
func (r *Relay) catchUp(b Backend, generation int) bool {
	r.mu.Lock()
	hello, id := r.hello, r.helloID
	waits := r.open[id] != nil // for the answer: then it is asked again with the rest
	r.mu.Unlock()
	if hello != nil && !waits {
		select {
		case <-r.ask(b, id, hello):
		case <-r.ctx.Done():
			return true
		}
	}
	r.mu.Lock()
	alive, greeted := r.backend == b, r.greeted
	open := slices.SortedFunc(maps.Values(r.open), byNumber)
	set := maps.Clone(r.set)
	for _, q := range open { // servers work on requests concurrently: the old level might come behind the new one
		if q.sets != nil && !q.cancelled && q.asked < maxAsked {
			delete(set, q.sets.what)
		}
	}
	r.mu.Unlock()
	if !alive {
		return false
	}
	if greeted != nil {
		_, _ = b.Write(greeted)
	}
	// Under ids of our own: the host gets no second answer.
	for i, q := range slices.SortedFunc(maps.Values(set), byNumber) {
		own, _ := json.Marshal(fmt.Sprintf("%sset-%d", reverse(generation), i))
		if line, err := withID(q.line, own); err == nil {
			r.ask(b, string(own), line)
		}
	}
	for _, q := range open {
		r.askAgain(b, q)
	}
	return true
}

func byNumber(a, b *request) int { return a.number - b.number }

// ask makes a request of the relay's own. The channel is closed when it is answered, or the backend has ended.
func (r *Relay) ask(b Backend, id string, line []byte) (answered <-chan struct{}) {
	c := make(chan struct{})
	r.mu.Lock()
	if r.backend == b {
		r.own[id] = c
	} else {
		close(c)
	}
	r.mu.Unlock()
	_, _ = b.Write(line)
	return c
}

// askAgain does what is right for a request that the ended backend had, or may have had.
func (r *Relay) askAgain(b Backend, q *request) {
	r.mu.Lock()
	if r.open[q.id] != q {
		r.mu.Unlock()
		return
	}
	var own response
	switch {
	case q.cancelled && (!q.changes || q.asked == 0):
	case q.changes && q.asked > 0:
		c := Call{q.id, r.host, q.tool, q.arguments}
		r.mu.Unlock()
		own.Result = r.opt.Became(r.ctx, c)
		r.mu.Lock()
	case q.asked >= maxAsked:
		own.Error = &responseError{-32603, "lspi ended twice while it worked on this request; see lspi daemon logs"}
	default:
		if r.backend == b {
			q.asked++
		}
		r.mu.Unlock()
		_, _ = b.Write(q.line)
		return
	}
	delete(r.open, q.id)
	r.mu.Unlock()
	if q.cancelled {
		return
	}
	own.ID = json.RawMessage(q.id)
	if err := r.toHost(own.line()); err != nil {
		r.ended(err)
	}
}

// hangsAfter is for how long a backend may say nothing to a host that waits before it is looked at.
const hangsAfter = 3 * time.Second

// watch ends a backend that hangs, so that the next one takes its place.
func (r *Relay) watch() {
	ticker := time.NewTicker(hangsAfter / 3)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-r.ctx.Done():
			return
		}
		if b := r.silent(); b != nil && b.Hangs(r.ctx) && r.ctx.Err() == nil {
			r.log().Warn("the process that serves this session does not react, and is ended")
			b.End()
		}
	}
}

// silent is the backend that a host waits for and that has said nothing for a while; else nil.
func (r *Relay) silent() Backend {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.backend == nil {
		return nil
	}
	now := time.Now()
	for _, q := range r.open {
		if now.Sub(q.since) > hangsAfter && now.Sub(r.heard) > hangsAfter {
			return r.backend
		}
	}
	if len(r.own) > 0 && now.Sub(r.heard) > hangsAfter {
		return r.backend
	}
	return nil
}
