package mcpclient

import "time"

// State is where a client is in its life.
type State string

// The states.
const (
	NotStarted State = "not_started" // nobody needed it yet
	Starting   State = "starting"
	Ready      State = "ready"
	// it ended or failed; started again at the next call, or after the wait that is under way
	BackingOff State = "backing_off"
	Failed     State = "failed" // not started again for a while, or at all until its program is there
	Ended      State = "closed"
)

// Status is what is known of a server now. It holds no secret.
type Status struct {
	ID        string
	State     State
	Transport string // "stdio" or "http"
	Command   string // and its arguments, or the URL; masked
	PID       int    // 0 when there is no process
	Info      *Info  // of the newest handshake; nil before the first

	LastError *Error        // of the newest failed start or death; nil when there was none
	LastAt    time.Time     // of LastError
	RetryIn   time.Duration // > 0: it is not started before
	Restarts  int           // successful starts after the first
	Stderr    []string      // the last lines of a server that runs

	InFlight int   // calls
	Waiting  int   // calls that wait for their turn
	Decodes  int   // messages and results that could not be decoded
	Dropped  int64 // log messages and updates that the host was too slow for

	Lists map[ListKind]ListStatus // of those that were asked for
}

// ListStatus is what is known of one list.
type ListStatus struct {
	Count    int
	At       time.Time // when the server gave it; zero when it never did
	Cached   bool      // it is not known to be that of the server as it is now
	Warnings []string
}

// Status tells of the server; it waits for nothing.
func (c *Client) Status() Status {
	spec := c.spec.Masked()
	st := Status{ID: c.spec.ID, Transport: "stdio", Command: spec.Command, Waiting: int(c.waiting.Load()),
		InFlight: len(c.slots), Dropped: c.dropped.Load(),
		Lists: map[ListKind]ListStatus{}}
	for _, a := range spec.Args {
		st.Command += " " + a
	}
	if spec.URL != "" {
		st.Transport, st.Command = "http", spec.URL
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	st.State = c.state(time.Now())
	st.RetryIn = c.failures.held(time.Now())
	st.LastError, st.LastAt = c.failures.last, c.failures.at
	st.Restarts, st.Decodes = max(0, c.starts-1), c.decodes
	if c.info != nil {
		info := *c.info
		st.Info = &info
	}
	if c.live != nil && c.live.proc != nil {
		st.PID, st.Stderr = c.live.proc.PID(), c.live.tail()
	}
	for kind, l := range map[ListKind]lister{ToolList: c.tools, PromptList: c.prompts, ResourceList: c.resources,
		TemplateList: c.templates} {
		if s := l.status(); !s.At.IsZero() {
			st.Lists[kind] = s
		}
	}
	return st
}

// state is under c.mu.
func (c *Client) state(now time.Time) State {
	switch {
	case c.closed:
		return Ended
	case c.live != nil:
		return Ready
	case c.starting != nil && !c.backingOff:
		return Starting
	case c.failures.held(now) > 0, c.failures.last != nil && c.failures.last.Kind == NotFound:
		return Failed
	case c.failures.last != nil:
		return BackingOff
	}
	return NotStarted
}

// status is under Client.mu.
func (l *listing[T]) status() ListStatus {
	if l.last == nil {
		return ListStatus{}
	}
	return ListStatus{Count: len(l.last.items), At: l.last.at, Cached: !l.fresh(), Warnings: l.last.warnings}
}
