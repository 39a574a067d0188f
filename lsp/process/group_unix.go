//go:build unix

package process

import (
	"os"
	"syscall"
)

func newJob(*os.Process) any { return nil }

func termGroup(p *Process) { _ = syscall.Kill(-p.PID(), syscall.SIGTERM) }

// killGroup also runs after the leader was reaped: no new group can have its id while members of the old one live,
// and without members the call fails.
func killGroup(p *Process) { _ = syscall.Kill(-p.PID(), syscall.SIGKILL) }
