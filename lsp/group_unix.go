//go:build unix

package lsp

import (
	"os"
	"syscall"
)

func newJob(*os.Process) any { return nil }

func termGroup(p *process) { _ = syscall.Kill(-p.pid(), syscall.SIGTERM) }

// killGroup also runs after the leader was reaped: its id cannot belong to a new group while members of the old one
// live, and without members the call fails.
func killGroup(p *process) { _ = syscall.Kill(-p.pid(), syscall.SIGKILL) }
