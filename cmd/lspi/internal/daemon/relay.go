package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"

	"lspi/internal/jsonline"
)

// Backend is who serves a session behind a relay: the shared process, or this process itself.
type Backend interface {
	io.ReadWriteCloser
	// CloseWrite says that the host sends no more.
	CloseWrite() error
	// Hangs reports whether it does not react any more; it may take the seconds that it waits for a reaction. It is
	// then ended.
	Hangs(ctx context.Context) bool
	// End ends the process behind it at once, so that Read returns.
	End()
}

// RelayOptions are what a relay needs. All are needed but Log.
type RelayOptions struct {
	Out io.Writer // to the host
	// Quiet is called once, when the session has begun and nothing is asked.
	Quiet func()
	// Next returns a backend: the first one, and another one each time that one has ended. again counts those that
	// have ended; kept is the last of what they had this process keep ([Conn.Keep]), nil for nothing. Next is not
	// called any more once it failed.
	Next func(ctx context.Context, again int, kept json.RawMessage) (Backend, error)
	// Changes reports whether a call of a tool may change files: it is never made twice.
	Changes func(tool string, arguments json.RawMessage) bool
	// Answered hears of each call that changes files, by its [Call].ID, once the host has its answer from a backend.
	Answered func(id string)
	// Became is the result of tools/call for a call that changes files and was under way when the backend ended.
	Became func(ctx context.Context, c Call) json.RawMessage
	Log    *slog.Logger
}

// Call is a call of a tool.
type Call struct {
	ID        string // of its request, as its answer has it, however the host writes it
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
	open       map[string]*request // that the host waits for, by id; guarded by mu
	set        settings            // by the host, and answered; guarded by mu
	kept       json.RawMessage     // for the next backend; nil for nothing; guarded by mu
	count      int                 // of all requests so far; guarded by mu
	heard      time.Time           // when the backend said something last; guarded by mu
	left       bool                // the host sends no more; guarded by mu

	// own are the requests that the relay itself has made of the backend, by id: what the host had set in the ended
	// one. Each channel is closed by the answer, which is not for the host, or by the end of the backend. Guarded
	// by mu.
	own map[string]chan struct{}

	ended context.CancelCauseFunc
}

// errDone ends a relay whose host has left and got all answers.
var errDone = errors.New("the host has left")

// NewRelay makes a relay for one host.
func NewRelay(o RelayOptions) *Relay {
	return &Relay{opt: o, open: map[string]*request{}, set: settings{}, own: map[string]chan struct{}{}}
}

// Run passes on what the host sends through in, until the host has left and got its answers (nil), ctx ends, or the
// host reads no more; then the error says why. The backend is closed.
func (r *Relay) Run(ctx context.Context, in io.Reader) error {
	r.ctx, r.ended = context.WithCancelCause(ctx)
	defer r.ended(nil)
	quiet := time.AfterFunc(quietAfter, r.opt.Quiet)
	defer quiet.Stop()
	r.sending.Lock()
	err := r.revive(0)
	r.sending.Unlock()
	if err != nil {
		return err
	}
	go r.fromHost(in) // a read of stdin ends with the process only, and so may a write to a host that does not read
	go r.watch()
	<-r.ctx.Done()
	r.mu.Lock()
	b := r.backend
	r.mu.Unlock()
	if b != nil {
		b.Close() // which waits for the servers of this process, where it serves
	}
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
		if line = r.note(line, headsOf(line)); line == nil {
			return nil
		}
	}
	r.mu.Lock()
	b, generation := r.backend, r.generation
	r.mu.Unlock()
	if b == nil { // it ended this instant, perhaps before this request was noted
		return r.revive(generation)
	}
	_, _ = b.Write(line) // who reads from it sees its end
	return nil
}

// fromBackend passes on what a backend says until it ends.
func (r *Relay) fromBackend(b Backend, generation int) {
	torn := false // the host has a part of a line
	remote, _ := b.(*Remote)
	err := eachLine(b, func(line []byte, whole bool) error {
		if remote != nil && whole && remote.last(line) {
			return nil
		}
		ends := jsonline.Ends(line)
		if whole && !ends {
			return nil // half an answer of a process that was killed: it is asked again
		}
		torn = !ends
		line, answered := r.heardFrom(line, generation, whole)
		var err error
		if line != nil {
			err = r.toHost(line)
		}
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
	r.lost(generation, remote != nil && remote.idle.Load())
}

// heardFrom takes answered requests off, and returns the line for the host, nil when it is not for it, and the ids
// of the calls that change files among them.
func (r *Relay) heardFrom(line []byte, generation int, whole bool) (forHost []byte, answered []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.heard = time.Now()
	if !whole {
		return line, nil
	}
	if kept, ok := keptIn(line); ok {
		r.kept = kept
		return nil, nil
	}
	heads := headsOf(line)
	for _, h := range heads {
		switch {
		case h.isResponse():
			if answered := r.own[h.key()]; answered != nil {
				close(answered)
				delete(r.own, h.key())
				return nil, nil
			}
			q := r.open[h.key()]
			if q != nil && q.changes {
				answered = append(answered, h.key())
			}
			if q != nil && q.sets != nil && h.Error == nil {
				r.set.answered(q)
			}
			delete(r.open, h.key())
			if q != nil && q.cancelled && len(heads) == 1 { // of a batch the host waits for the others
				return nil, answered
			}
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

func (r *Relay) log() *slog.Logger {
	if r.opt.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return r.opt.Log
}
