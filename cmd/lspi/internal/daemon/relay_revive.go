package daemon

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"
)

// The end of a backend, and how the next one takes its place.

// allRead stands for what a backend has read that did not tell.
const allRead = math.MaxInt64

// give gives a line to the backend, whose end is seen by who reads from it. It needs sending.
func (r *Relay) give(b Backend, line []byte) {
	r.mu.Lock()
	r.sent += int64(len(line))
	r.mu.Unlock()
	_, _ = b.Write(line)
}

// lost notes the end of a backend that has read so many of the bytes that it was given. When the host waits for something the next one is started
// at once, else with the next message.
func (r *Relay) lost(generation int, read int64) {
	r.mu.Lock()
	if r.generation != generation || r.ctx.Err() != nil {
		r.mu.Unlock()
		return
	}
	r.backend = nil
	for _, q := range r.open {
		q.unread = q.unread || q.givenTo == generation && q.end > read
	}
	left, waits := r.left, len(r.open) > 0
	if r.shaken != nil {
		close(r.shaken)
		r.shaken = nil
	}
	r.replays.end()
	r.replays = nil
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

// revive puts the next backend in the place of one that has ended, and brings it to where that one was. It does nothing when
// that has happened already. It needs sending.
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
		r.backend, r.heard, r.sent = b, time.Now(), 0
		var shaken chan struct{}
		hello := r.hello
		if hello != nil && r.open[r.helloID] == nil { // it was answered, so the host must not get another answer
			shaken = make(chan struct{})
			r.shaken = shaken
		} else {
			hello = nil
		}
		r.mu.Unlock()
		go r.fromBackend(b, generation)
		if r.catchUp(b, hello, shaken) {
			return nil
		}
		ended = generation
	}
}

// catchUp shakes hands for the host, sets what it has set, and asks what it waits for; false when the backend has ended meanwhile.
func (r *Relay) catchUp(b Backend, hello []byte, shaken chan struct{}) bool {
	if hello != nil {
		r.give(b, hello)
		select {
		case <-shaken:
		case <-r.ctx.Done():
			return true
		}
	}
	r.mu.Lock()
	alive := r.backend == b
	greeted := r.greeted
	var open []*request
	ids := map[*request]string{}
	for id, q := range r.open {
		open = append(open, q)
		ids[q] = id
	}
	r.mu.Unlock()
	if !alive {
		return false
	}
	if greeted != nil {
		r.give(b, greeted)
	}
	r.replay(b)
	slices.SortFunc(open, func(a, b *request) int { return a.number - b.number })
	for _, q := range open {
		r.askAgain(b, ids[q], q)
	}
	return true
}

// askAgain does what is right for a request that the ended backend had.
func (r *Relay) askAgain(b Backend, id string, q *request) {
	var own []byte
	r.mu.Lock()
	if r.open[id] != q {
		r.mu.Unlock()
		return
	}
	switch {
	case q.cancelled && (!q.changes || q.unread):
		delete(r.open, id)
		r.mu.Unlock()
		return
	case q.changes && !q.unread:
		c := Call{id, r.host, q.tool, q.arguments}
		r.mu.Unlock()
		own = response{ID: json.RawMessage(id), Result: r.opt.Became(r.ctx, c)}.line()
	case q.asked >= maxAsked && !q.unread:
		r.mu.Unlock()
		own = response{ID: json.RawMessage(id), Error: &responseError{-32603, "lspi ended twice while it worked on this request; see lspi daemon logs"}}.line()
	default:
		if !q.unread {
			q.asked++
		}
		q.unread, q.givenTo, q.end = r.backend == nil, r.generation, r.sent+int64(len(q.line))
		r.mu.Unlock()
		if q.sets != nil {
			r.afterReplays()
		}
		r.give(b, q.line)
		return
	}
	r.mu.Lock()
	delete(r.open, id)
	r.mu.Unlock()
	if q.cancelled {
		return
	}
	if err := r.toHost(own); err != nil {
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
	if (r.shaken != nil || r.replays.waits()) && now.Sub(r.heard) > hangsAfter {
		return r.backend
	}
	return nil
}
