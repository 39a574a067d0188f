package lsp

import (
	"context"
	"errors"
	"fmt"

	"lspi/lsp/launch"
	"lspi/lsp/process"
	"lspi/lsp/wire"
)

// Start starts the server with the first of its commands that works and shakes hands with it. The errors are
// server_not_installed, with everything that was tried, and server_start_failed. A cancelled ctx ends the process. One
// that does not answer is not replaced by the next candidate: that would only multiply the wait.
func Start(ctx context.Context, o Options) (*Server, error) {
	plan, err := launch.Prepare(ctx, launch.Target{Spec: o.Spec, Root: o.Root, Cache: o.Cache, Log: o.Log, Separate: o.Separate})
	if err != nil {
		return nil, err
	}
	tried := plan.Tried
	if err := launch.AwaitSpecial(ctx, o.Spec, o.Journal, o.Root, o.Log); err != nil {
		return nil, err
	}
	if o.Launcher != nil {
		o.Launcher.Prepare(ctx, plan)
	}
	o.settings, o.options, o.environment = plan.Settings, plan.Options, plan.Environment
	o.list = listedSources(o.Spec, o.Root)
	o.index = placeIndex(o.Spec, o.Cache, o.Root)
	if n := o.Commands.outdate(o.Spec.Project, o.Root, o.index); n > 0 {
		o.Log.Info("commands of files have changed, the server's index is made anew", "server_id", o.Spec.ID, "dropped", n)
	}
	limit := o.Spec.Timeouts.Initialize
	if limit == 0 {
		limit = DefaultInitialize
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("no answer to initialize within %v", limit))
	defer cancel()
	var failed *startError
	for _, c := range plan.Candidates {
		s, err := startOne(ctx, o, c)
		if err == nil {
			return s, nil
		}
		failed = err
		tried = append(tried, fmt.Sprintf("%s: %v", c.Path, err))
		if ctx.Err() != nil || process.Shortage(err) != "" {
			break
		}
		o.Log.Warn("starting a server", "server_id", o.Spec.ID, "command", c.Path, "error", err)
	}
	return nil, launch.Failed(o.Spec, tried, failed.tail, failed)
}

// startError is why one candidate did not come up.
type startError struct {
	err  error
	exit string   // how its process ended by itself; "" when it did not
	tail []string // of its stderr
}

func (e *startError) Error() string {
	text := e.err.Error()
	if e.exit != "" {
		text = e.exit
	}
	if len(e.tail) > 0 {
		text += " (" + e.tail[len(e.tail)-1] + ")"
	}
	return text
}

func (e *startError) Unwrap() error { return e.err }

func startOne(ctx context.Context, o Options, c launch.Candidate) (*Server, *startError) {
	dir := o.Root
	if o.Spec.Cwd != "" {
		dir = o.Spec.Cwd
	}
	proc, err := process.Spawn(c.Path, c.Args, dir, o.environment)
	if err != nil {
		return nil, &startError{err: err}
	}
	s := newServer(o, proc, c.Path)
	s.open(wire.Options{Request: s.requests.answer, Notification: s.requests.hear, Trace: traceOf(o.Trace)})
	// Changes from now on are told; what the server reads at its start is at least as new.
	for _, folder := range s.folders.list {
		if err = s.folders.track(ctx, folder); err != nil {
			break
		}
	}
	if err == nil {
		err = s.handshake(ctx)
	}
	if err == nil {
		return s, nil
	}
	failed := &startError{err: err}
	if closed := (*wire.ClosedError)(nil); errors.As(err, &closed) && proc.Gone(brokenTime) {
		failed.exit = proc.Exit()
	}
	s.abandon()
	failed.tail = proc.Stderr.Tail(5)
	return nil, failed
}
