package events

import (
	"crypto/rand"
	"sync"
	"sync/atomic"
	"time"
)

// Options are what a configuration says about events.
type Options struct {
	Path  string              // of the file, absolute; "" records nothing
	Debug func() bool         // whether arguments and results are written, too; nil never
	Mask  func(string) string // takes the secrets that the configuration knows out of a text; nil knows none
}

// Recorder writes the events of one session. A nil Recorder records nothing. Its methods may be called concurrently.
type Recorder struct {
	files    *Files
	session  string
	requests atomic.Int64
	target   atomic.Pointer[target] // nil while nothing is recorded; written under mu

	mu sync.Mutex // one change of the target at a time
}

// target is where the events of a session go.
type target struct {
	file *file
	Options
}

// Recorder makes the recorder of one more session. It records nothing before Follow.
func (f *Files) Recorder() *Recorder { return &Recorder{files: f, session: rand.Text()[:12]} }

// On reports whether somebody records.
func (r *Recorder) On() bool { return r != nil && r.target.Load() != nil }

// Follow has the next events go where a configuration says. Its error is why they cannot: then none are recorded.
func (r *Recorder) Follow(o Options) error {
	if r == nil {
		return nil
	}
	left, err := r.switchTo(o)
	if left != nil {
		r.files.leave(left) // not under the lock, because it waits for the disk
	}
	return err
}

// switchTo gives the file that the session has left.
func (r *Recorder) switchTo(o Options) (left *file, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	was := r.target.Load()
	var next *target
	switch {
	case o.Path == "":
	case was != nil && was.file.path == o.Path:
		r.target.Store(&target{was.file, o})
		return nil, nil
	default:
		var used *file
		if used, err = r.files.use(o.Path); err == nil {
			next = &target{used, o}
		}
	}
	r.target.Store(next)
	if was != nil {
		left = was.file
	}
	return left, err
}

// Close ends the recording, and returns when the last line is written, after a second at the latest.
func (r *Recorder) Close() { _ = r.Follow(Options{}) }

// put writes a line.
func (r *Recorder) put(l *line, secrets []string) {
	t := r.target.Load()
	if t == nil {
		return
	}
	l.Time, l.Session = stamp(time.Now()), r.session
	out := l.encode(mask{known: t.Mask, secrets: secrets}, t.Debug != nil && t.Debug())
	if t.file.append(out) {
		return
	}
	if t = r.target.Load(); t != nil { // the session has another file since
		t.file.append(out)
	}
}

// Undecoded is something that does not keep to its protocol.
type Undecoded struct {
	Provider, Server string   // who said it; "" for a host
	Method           string   // of the request that it answers
	Name             string   // of the tool, prompt or resource of an MCP server
	Reason           string   // what is wrong, without what it says
	Raw              []byte   // what was said; written at debug alone
	Outside          []string // as in [Reply]
}

// DecodeFailed records what was said outside of any request of a host.
func (r *Recorder) DecodeFailed(u Undecoded) {
	if r.On() {
		r.put(u.line(line{}), nil)
	}
}

func (u *Undecoded) line(l line) *line {
	l.Event, l.Provider, l.Server, l.Name = DecodeFailed, u.Provider, u.Server, u.Name
	if u.Method != "" {
		l.Method = u.Method
	}
	l.Reason, l.outside, l.Bytes, l.result = u.Reason, u.Outside, len(u.Raw), func() []byte { return u.Raw }
	return &l
}

// Hook is an event of a host's hook that was answered.
type Hook struct {
	Host  string
	Event string // its kind, in lspi's words
	Took  time.Duration
	Told  int    // errors
	Owed  int    // files whose diagnosis did not come in time
	Bytes int    // of what the model is told
	Error string // the kind of the error; "" for none
}

// Hook records that a host has run a hook.
func (r *Recorder) Hook(h Hook) {
	if r.On() {
		r.put(&line{Event: HostHook, Host: cut(h.Host, maxWord), Method: h.Event, MS: millis(h.Took), Told: h.Told,
			Owed: h.Owed, Bytes: h.Bytes, Error: h.Error}, nil)
	}
}
