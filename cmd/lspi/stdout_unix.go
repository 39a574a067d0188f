//go:build unix

package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// endSignals are the signals that ask the process to end.
var endSignals = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP}

// takeStdout returns stdout and points file descriptor 1 at stderr: a stray print of a library, or of a child that
// inherits descriptor 1, would corrupt the protocol. The returned file is closed on exec, so no server holds the host's
// pipe open.
func takeStdout() (*os.File, error) {
	fd, err := unix.FcntlInt(1, unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, fmt.Errorf("taking stdout: %w", err)
	}
	if err := dup(2, 1); err != nil {
		return nil, fmt.Errorf("pointing stdout at stderr: %w", err)
	}
	return os.NewFile(uintptr(fd), "stdout"), nil
}

// surviveBrokenPipes makes a write to a closed stdout or stderr return an error; by default Go ends the process without
// clean-up. The signal is caught and not ignored, because servers would inherit an ignored one.
func surviveBrokenPipes() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }
