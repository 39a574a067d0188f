package daemon

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// What a relay keeps of the messages of its host, so that the next backend can take the place of the one that ended.

// request is one that the host waits for.
type request struct {
	id        string // as its answer has it
	line      []byte
	number    int // in their order
	since     time.Time
	tool      string // of tools/call
	arguments json.RawMessage
	changes   bool
	sets      *setting // nil for what is none
	asked     int      // how many backends may have worked on it
	cancelled bool     // the host does not wait for it, and it gets no answer
}

// maxAsked is how often one request is given to a backend: one that two processes died of is not given to a third.
const maxAsked = 2

// note keeps what a line means for the next backend, and returns the line to send: nil when it is for a backend
// that has ended.
func (r *Relay) note(line []byte, heads []head) []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, h := range heads {
		switch {
		case h.isCall():
			r.noteCall(h, line, len(heads) > 1)
		case h.Method == "notifications/initialized":
			r.greeted = bytes.Clone(line)
		case h.Method == "notifications/cancelled":
			r.noteCancel(line)
		case h.isResponse() && r.generation > 1:
			own, ok := r.ownID(h.ID)
			if !ok {
				return nil
			}
			if changed, err := withID(line, own); err == nil {
				return changed
			}
		}
	}
	return line
}

// noteCall keeps a request until it is answered. Of a batch each request is kept for itself: asked again it is
// answered alone.
func (r *Relay) noteCall(h head, line []byte, batch bool) {
	one := bytes.Clone(line)
	var whole struct {
		Params params `json:"params"`
	}
	if batch {
		if one = elementOf(line, h.ID); one == nil {
			return
		}
	}
	if r.open[h.key()] != nil {
		return // whoever reads it refuses it, without the id
	}
	r.count++
	q := &request{id: h.key(), line: one, number: r.count, since: time.Now(), sets: settingOf(h.Method, one)}
	if r.backend != nil {
		q.asked = 1
	}
	switch h.Method {
	case "initialize":
		r.hello, r.helloID = one, h.key()
		if json.Unmarshal(one, &whole) == nil {
			r.host = whole.Params.ClientInfo.Name
		}
	case "tools/call":
		if json.Unmarshal(one, &whole) == nil {
			q.tool, q.arguments = whole.Params.Name, whole.Params.Arguments
			q.changes = r.opt.Changes(q.tool, q.arguments)
		}
	}
	r.open[h.key()] = q
}

// elementOf is the message of a batch with an id, as a line.
func elementOf(batch []byte, id json.RawMessage) []byte {
	var all []json.RawMessage
	_ = json.Unmarshal(batch, &all)
	for _, one := range all {
		var h head
		if json.Unmarshal(one, &h) == nil && bytes.Equal(h.ID, id) {
			return append(bytes.Clone(one), '\n')
		}
	}
	return nil
}

// noteCancel notes a call that the host does not wait for any more: a read is not asked again, and no answer is
// passed on (MCP 2025-11-25, Cancellation: "not send a response"). The answer is awaited all the same, by which the
// end of a call that changes files is known.
func (r *Relay) noteCancel(line []byte) {
	var n struct {
		Params struct {
			ID json.RawMessage `json:"requestId"`
		} `json:"params"`
	}
	if json.Unmarshal(line, &n) != nil {
		return
	}
	if q := r.open[idKey(n.Params.ID)]; q != nil {
		q.cancelled = true
	}
}

// reverse marks the ids of requests to the host of all backends but the first, whose numbers begin anew.
func reverse(generation int) string { return fmt.Sprintf("lspi-%d:", generation) }

// ownID is the id that the backend knows its request by; false when that was another backend's. It needs mu.
func (r *Relay) ownID(id json.RawMessage) (json.RawMessage, bool) {
	var text string
	if json.Unmarshal(id, &text) != nil {
		return nil, false
	}
	own, ok := strings.CutPrefix(text, reverse(r.generation))
	return json.RawMessage(own), ok
}
