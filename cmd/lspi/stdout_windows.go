package main

import (
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

// endSignals are the signals that ask the process to end. Go delivers SIGTERM when the console is closed, the user logs
// off, or the system shuts down (os/signal, Windows).
var endSignals = []os.Signal{os.Interrupt, syscall.SIGTERM}

// takeStdout returns stdout and redirects all other prints to stderr.
func takeStdout() (*os.File, error) {
	stdout := os.Stdout
	os.Stdout = os.Stderr
	return stdout, windows.SetStdHandle(windows.STD_OUTPUT_HANDLE, windows.Handle(os.Stderr.Fd()))
}

// surviveBrokenPipes does nothing: on Windows a write to a closed pipe is an error anyway.
func surviveBrokenPipes() {}
