package share

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"
)

// Backend is who serves a session behind a relay: the shared process, or this process itself.
type Backend interface {
	io.ReadWriteCloser
	// CloseWrite says that the host sends no more.
	CloseWrite() error
	// Hangs reports whether it does not react any more; it may take the seconds that it waits for a reaction. It is then ended.
	Hangs(ctx context.Context) bool
	// End ends the process behind it at once, so that Read returns.
	End()
}

// RelayOptions are what a relay needs. All are needed but Log.
type RelayOptions struct {
	Out io.Writer // to the host
	// Quiet is called once, when the session has begun and nothing is asked.
	Quiet func()
	// Next gives the first backend and, when one has ended, the next one; again is how many have ended. It is not called any more
	// once it failed.
	Next func(ctx context.Context, again int) (Backend, error)
	// Changes reports whether a call of a tool may change files: it is never made twice.
	Changes func(tool string, arguments json.RawMessage) bool
	// Answered hears of each call that changes files, by the id of its request, once the host has its answer from a backend.
	Answered func(id string)
	// Became is the result of tools/call for a call that changes files and was under way when the backend ended.
	Became func(ctx context.Context, c Call) json.RawMessage
	Log    *slog.Logger
}

// Call is a call of a tool.
type Call struct {
	ID        string // of its request, as it stands in the message
	Host      string // the name that the host gave itself; "" when it gave none
	Tool      string
	Arguments json.RawMessage
}

// Relay passes messages between a host and a backend, and lives on when the backend ends.
type Relay struct {
	opt RelayOptions
	ctx context.Context // ends with Run

	// sending is held while lines are written to the backend, and while it is replaced.
	sending sync.Mutex
	// writing is held while a line is written to the host.
	writing sync.Mutex

	mu         sync.Mutex
	backend    Backend             // guarded by mu, replaced under sending; nil while there is none
	generation int                 // of the backend, from 1; guarded by mu
	hello      []byte              // the line of initialize; nil for a host that shakes no hands; guarded by mu
	helloID    string              // of it; guarded by mu
	host       string              // by it; guarded by mu
	greeted    []byte              // the line of notifications/initialized; guarded by mu
	shaken     chan struct{}       // closed when the next backend has answered initialize; nil when that is not waited for; guarded by mu
	open       map[string]*request // that the host waits for, by id; guarded by mu
	count      int                 // of all requests so far; guarded by mu
	heard      time.Time           // when the backend said something last; guarded by mu
	left       bool                // the host sends no more; guarded by mu
	quiet      *time.Timer         // calls Quiet

	ended context.CancelCauseFunc
}

// request is one that the host waits for.
type request struct {
	line      []byte
	number    int // in their order
	since     time.Time
	tool      string // of tools/call
	arguments json.RawMessage
	changes   bool
	asked     int // how often a backend was given it
	cancelled bool
}

// maxAsked is how often one request is given to a backend: one that two processes died of is not given to a third.
const maxAsked = 2

// errDone ends a relay whose host has left and got all answers.
var errDone = errors.New("the host has left")

// NewRelay makes a relay for one host.
func NewRelay(o RelayOptions) *Relay { return &Relay{opt: o, open: map[string]*request{}} }

// Run passes on what the host sends through in, until the host has left and got its answers (nil), ctx ends, or the host reads
// no more; then the error says why. The backend is closed.
func (r *Relay) Run(ctx context.Context, in io.Reader) error {
	r.ctx, r.ended = context.WithCancelCause(ctx)
	defer r.ended(nil)
	r.sending.Lock()
	err := r.revive(0)
	r.sending.Unlock()
	if err != nil {
		return err
	}
	go r.fromHost(in) // a read of stdin ends with the process only
	go r.watch()
	r.quiet = time.AfterFunc(quietAfter, r.opt.Quiet)
	<-r.ctx.Done()
	r.quiet.Stop()
	r.mu.Lock()
	if r.backend != nil {
		r.backend.Close()
	}
	r.mu.Unlock()
	if cause := context.Cause(r.ctx); !errors.Is(cause, errDone) {
		return cause
	}
	return nil
}

// quietAfter is when a session has begun: hosts shake hands and list the tools at once.
const quietAfter = 2 * time.Second

// fromHost passes on what the host sends.
func (r *Relay) fromHost(in io.Reader) {
	err := eachLine(in, func(line []byte, whole bool) error {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		return r.send(line, whole)
	})
	if errors.Is(err, io.EOF) {
		r.hostLeft()
	} else {
		r.ended(err)
	}
}

// hostLeft tells the backend; its last answers end the relay.
func (r *Relay) hostLeft() {
	r.sending.Lock()
	defer r.sending.Unlock()
	r.mu.Lock()
	r.left = true
	b := r.backend
	r.mu.Unlock()
	if b == nil || b.CloseWrite() != nil {
		r.ended(errDone)
	}
}

// send gives a line to the backend, which is replaced when it has ended.
func (r *Relay) send(line []byte, whole bool) error {
	r.sending.Lock()
	defer r.sending.Unlock()
	r.mu.Lock()
	lost, generation := r.backend == nil, r.generation
	r.mu.Unlock()
	if lost {
		if err := r.revive(generation); err != nil {
			return err
		}
	}
	if whole {
		if line = r.note(line); line == nil {
			return nil
		}
	}
	r.mu.Lock()
	b, generation := r.backend, r.generation
	r.mu.Unlock()
	if b == nil { // it ended this instant, perhaps before this request was noted
		return r.revive(generation)
	}
	_, _ = b.Write(line) // whose end is seen by who reads from it
	return nil
}

// note keeps what a line means for the next backend, and returns the line to send: nil when it is for a backend that has ended.
func (r *Relay) note(line []byte) []byte {
	heads := headsOf(line)
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

// noteCall keeps a request until it is answered. Of a batch each request is kept for itself: asked again it is answered alone.
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
	r.count++
	q := &request{line: one, number: r.count, since: time.Now(), asked: 1}
	switch h.Method {
	case "initialize":
		r.hello, r.helloID = one, string(h.ID)
		if json.Unmarshal(one, &whole) == nil {
			r.host = whole.Params.ClientInfo.Name
		}
	case "tools/call":
		if json.Unmarshal(one, &whole) == nil {
			q.tool, q.arguments = whole.Params.Name, whole.Params.Arguments
			q.changes = r.opt.Changes(q.tool, q.arguments)
		}
	}
	r.open[string(h.ID)] = q
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

// noteCancel forgets a read that the host does not wait for any more: nobody asks it again. A call that changes files is kept, because
// an answer to it may still come.
func (r *Relay) noteCancel(line []byte) {
	var n struct {
		Params struct {
			ID json.RawMessage `json:"requestId"`
		} `json:"params"`
	}
	if json.Unmarshal(line, &n) != nil {
		return
	}
	if q := r.open[string(n.Params.ID)]; q != nil {
		q.cancelled = !q.changes
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

// fromBackend passes on what a backend says until it ends.
func (r *Relay) fromBackend(b Backend, generation int) {
	torn := false // the host has a part of a line
	err := eachLine(b, func(line []byte, whole bool) error {
		ends := bytes.HasSuffix(line, []byte("\n"))
		if whole && !ends {
			return nil // half an answer of a process that was killed: it is asked again
		}
		torn = !ends
		line, answered := r.heardFrom(line, generation, whole)
		if line == nil {
			return nil
		}
		err := r.toHost(line)
		for _, id := range answered {
			r.opt.Answered(id)
		}
		return err
	})
	b.Close()
	var host *hostError
	if torn && !errors.As(err, &host) {
		if ended := r.toHost([]byte("\n")); ended != nil {
			err = ended
		}
	}
	if errors.As(err, &host) {
		r.ended(host.err)
		return
	}
	r.lost(generation)
}

// heardFrom takes answered requests off, and returns the line for the host, nil when it is not for it, and the ids of the calls that
// change files among them.
func (r *Relay) heardFrom(line []byte, generation int, whole bool) (forHost []byte, answered []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.heard = time.Now()
	if !whole {
		return line, nil
	}
	for _, h := range headsOf(line) {
		switch {
		case h.isResponse():
			if r.shaken != nil && string(h.ID) == r.helloID {
				close(r.shaken)
				r.shaken = nil
				return nil, nil
			}
			if q := r.open[string(h.ID)]; q != nil && q.changes {
				answered = append(answered, string(h.ID))
			}
			delete(r.open, string(h.ID))
		case h.isCall() && generation > 1:
			id, _ := json.Marshal(reverse(generation) + string(h.ID))
			if changed, err := withID(line, id); err == nil {
				return changed, nil
			}
		}
	}
	return line, answered
}

// hostError is a host that reads no more.
type hostError struct{ err error }

func (e *hostError) Error() string { return "writing to the host: " + e.err.Error() }
func (e *hostError) Unwrap() error { return e.err }

func (r *Relay) toHost(line []byte) error {
	r.writing.Lock()
	defer r.writing.Unlock()
	if _, err := r.opt.Out.Write(line); err != nil {
		return &hostError{err}
	}
	return nil
}

// lost notes the end of a backend. When the host waits for something the next one is started at once, else with the next message.
func (r *Relay) lost(generation int) {
	r.mu.Lock()
	if r.generation != generation || r.ctx.Err() != nil {
		r.mu.Unlock()
		return
	}
	r.backend = nil
	left, waits := r.left, len(r.open) > 0
	if r.shaken != nil {
		close(r.shaken)
		r.shaken = nil
	}
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
		r.mu.Unlock()
		b, err := r.opt.Next(r.ctx, ended)
		if err != nil {
			return fmt.Errorf("nobody serves this session: %w", err)
		}
		r.mu.Lock()
		r.generation++
		generation := r.generation
		r.backend, r.heard = b, time.Now()
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

// catchUp shakes hands for the host and asks what it waits for; false when the backend has ended meanwhile.
func (r *Relay) catchUp(b Backend, hello []byte, shaken chan struct{}) bool {
	if hello != nil {
		_, _ = b.Write(hello)
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
		_, _ = b.Write(greeted)
	}
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
	case q.cancelled:
		delete(r.open, id)
		r.mu.Unlock()
		return
	case q.changes:
		c := Call{id, r.host, q.tool, q.arguments}
		r.mu.Unlock()
		own = response{ID: json.RawMessage(id), Result: r.opt.Became(r.ctx, c)}.line()
	case q.asked >= maxAsked:
		r.mu.Unlock()
		own = response{ID: json.RawMessage(id), Error: &responseError{-32603, "lspi ended twice while it worked on this request; see lspi daemon logs"}}.line()
	default:
		q.asked++
		r.mu.Unlock()
		_, _ = b.Write(q.line)
		return
	}
	r.mu.Lock()
	delete(r.open, id)
	r.mu.Unlock()
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
	if r.shaken != nil && now.Sub(r.heard) > hangsAfter {
		return r.backend
	}
	return nil
}

func (r *Relay) log() *slog.Logger {
	if r.opt.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return r.opt.Log
}
