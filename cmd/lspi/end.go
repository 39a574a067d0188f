package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"

	"lspi/cmd/lspi/internal/mcpserver"
	"lspi/cmd/lspi/internal/stdio"
)

// lspi mcp ends when the host closes stdin, the host closes stdout, a signal comes, or the connection breaks. The first
// of these cancels the calls in flight, then ends every server, then writes what is left to write. A host that no
// longer reads does not delay the end.

// endLimit is how long the whole end may take.
const endLimit = 5 * time.Second

// signalError is the reason for an end by a signal.
type signalError struct{ signal os.Signal }

func (e signalError) Error() string { return "ended by " + e.signal.String() }

// end is the end of the process: whether it has begun, and why.
type end struct {
	ctx   context.Context         // done when the end has begun; its cause is the reason
	begin context.CancelCauseFunc // begins the end; only the first call counts
}

// watchSignals handles signals for the rest of the process and returns the end that they begin.
func watchSignals() *end {
	e := &end{}
	e.ctx, e.begin = context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, endSignals...)
	go func() { e.begin(signalError{<-signals}) }()
	surviveBrokenPipes()
	return e
}

// finish ends the service with its servers, then the connection, all within endLimit; the host may have stopped
// reading. It returns the exit code as an error.
func (e *end) finish(service *mcpserver.Service, disconnect func()) error {
	limit := time.NewTimer(endLimit)
	defer limit.Stop()
	closed, gone := make(chan struct{}), make(chan struct{})
	go func() {
		service.Close(context.Cause(e.ctx))
		close(closed)
		disconnect()
		close(gone)
	}()
	select {
	case <-closed:
	case <-limit.C:
		return e.code()
	}
	drain := time.NewTimer(2 * stdio.DrainLimit)
	defer drain.Stop()
	select {
	case <-gone:
	case <-drain.C:
	case <-limit.C:
	}
	return e.code()
}

// code returns the exit code for the reason as an error: nil when the host left, 128 and its number for a signal.
func (e *end) code() error {
	cause := context.Cause(e.ctx)
	var by signalError
	switch {
	case errors.Is(cause, stdio.ErrHostLeft):
		return nil
	case errors.As(cause, &by):
		if n, ok := by.signal.(syscall.Signal); ok {
			return exitCode(exitSignal + int(n))
		}
		return exitCode(exitFailed)
	}
	return cause
}
