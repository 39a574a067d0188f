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

// The end of lspi mcp has four beginnings: the host closes stdin, the host closes stdout, a signal, a connection that
// breaks. Whichever comes first ends the calls in flight, then every server; a host that reads no more of what is still
// to be written does not hold it up.

// endLimit is how long all of it may take.
const endLimit = 5 * time.Second

// signalError is the end by a signal.
type signalError struct{ signal os.Signal }

func (e signalError) Error() string { return "ended by " + e.signal.String() }

// end tells that the process has to end, and why.
type end struct {
	ctx   context.Context         // its cause is the reason
	begin context.CancelCauseFunc // the first reason counts
}

// watchSignals takes the signals over, for the rest of the process.
func watchSignals() *end {
	e := &end{}
	e.ctx, e.begin = context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, endSignals...)
	go func() { e.begin(signalError{<-signals}) }()
	surviveBrokenPipes()
	return e
}

// finish ends everything within endLimit: the servers first, then the connection, whose host may read no more. Its
// error is the exit code.
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

// code is the exit code of the reason: none for a host that left, 128 and the number for a signal.
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
