package main

import (
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

// endSignals are the signals that ask the process to end. Go makes SIGTERM of the closing of the console, of a
// logoff and of a shutdown (os/signal, Windows).
var endSignals = []os.Signal{os.Interrupt, syscall.SIGTERM}

// takeStdout gives stdout to the caller alone; prints of others go to stderr.
func takeStdout() (*os.File, error) {
	stdout := os.Stdout
	os.Stdout = os.Stderr
	return stdout, windows.SetStdHandle(windows.STD_OUTPUT_HANDLE, windows.Handle(os.Stderr.Fd()))
}

// surviveBrokenPipes: a closed pipe is an error here anyway.
func surviveBrokenPipes() {}
