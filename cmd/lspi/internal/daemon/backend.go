package daemon

import (
	"context"
	"errors"
	"os"
	"sync/atomic"
	"time"
)

func pid() int { return os.Getpid() }

// Remote is the shared process as the backend of a relay.
type Remote struct {
	*Conn
	Hello Hello // with which the session was begun

	stopped atomic.Bool
	idle    atomic.Bool // it has answered all that it had read when it stopped
}

// Stopped reports whether the process has said that it ends because it was told to. One that says nothing has died.
func (r *Remote) Stopped() bool { return r.stopped.Load() }

// last reports whether a line is none for the host, but the last one of a process that was told to end.
func (r *Remote) last(line []byte) bool {
	idle, ok := stopsAt(line)
	if ok {
		r.idle.Store(idle)
		r.stopped.Store(true)
	}
	return ok
}

// pingLimit is how long a process that works may take to answer a ping: it has nothing else to do for that, so this
// is for a machine that is overloaded.
const pingLimit = 5 * time.Second

// Hangs asks the process for a sign of life, over a connection of its own.
func (r *Remote) Hangs(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, pingLimit)
	defer cancel()
	c, w, err := Dial(ctx, r.Place, Hello{Version: r.Hello.Version, PID: pid(), Kind: KindCommand,
		Command: CommandPing})
	if err == nil {
		defer c.Close()
		var alive bool
		err = c.hear(&alive, time.Now().Add(pingLimit))
		if err == nil && w.PID == r.Peer {
			return false
		}
	}
	// Where nobody listens, or another process does, the connection tells when this one ends.
	return Silent(err) || errors.Is(err, os.ErrDeadlineExceeded)
}

// End kills the process: it does not react to anything else. Its language servers end with it.
func (r *Remote) End() {
	r.kill()
	r.Close()
}

func (r *Remote) kill() {
	if r.Peer > 0 {
		_ = kill(r.Peer)
	}
}
