package daemon

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// How the next backend comes to have what the host has set in the ended one.

// replays are the requests that a backend was sent once more though the host has their answers.
type replays struct {
	waiting map[string]bool // ids of those that have no answer yet
	done    chan struct{}   // closed when there are none, or the backend has ended
}

// answered takes a replay off; false when the answer is to no replay.
func (p *replays) answered(key string) bool {
	if p == nil || !p.waiting[key] {
		return false
	}
	if delete(p.waiting, key); len(p.waiting) == 0 {
		close(p.done)
	}
	return true
}

// end is the end of the backend.
func (p *replays) end() {
	if p != nil && len(p.waiting) > 0 {
		p.waiting = nil
		close(p.done)
	}
}

// waits reports whether an answer is missing.
func (p *replays) waits() bool { return p != nil && len(p.waiting) > 0 }

// replay sends a backend what the host has set, under ids of its own: the host gets no second answer.
func (r *Relay) replay(b Backend) {
	r.mu.Lock()
	if r.backend != b || len(r.set) == 0 {
		r.mu.Unlock()
		return
	}
	set := make([]*request, 0, len(r.set))
	for _, q := range r.set {
		set = append(set, q)
	}
	slices.SortFunc(set, func(a, b *request) int { return a.number - b.number })
	p := &replays{waiting: map[string]bool{}, done: make(chan struct{})}
	var lines [][]byte
	for i, q := range set {
		id, _ := json.Marshal(fmt.Sprintf("%sset-%d", reverse(r.generation), i))
		if line, err := withID(q.line, id); err == nil {
			p.waiting[string(id)] = true
			lines = append(lines, line)
		}
	}
	if len(lines) > 0 {
		r.replays = p
	}
	r.mu.Unlock()
	for _, line := range lines {
		r.give(b, line)
	}
}

// replayLimit is how long a setting of the host waits for the answers to what is replayed. A server behind lspi may take its time.
const replayLimit = 5 * time.Second

// afterReplays waits until what was replayed is answered, before the host sets something else: requests are dealt with concurrently, so that
// the older one might count.
func (r *Relay) afterReplays() {
	r.mu.Lock()
	p := r.replays
	r.mu.Unlock()
	if p == nil {
		return
	}
	timer := time.NewTimer(replayLimit)
	defer timer.Stop()
	select {
	case <-p.done:
	case <-timer.C:
	case <-r.ctx.Done():
	}
}
