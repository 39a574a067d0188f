//go:build unix

package mcpclient_test

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

func ignoreTerm() { signal.Ignore(syscall.SIGTERM) }

// startSleeper starts a child that outlives its parent unless the group is killed.
func startSleeper() int {
	cmd := exec.Command("sleep", "300")
	if cmd.Start() != nil {
		os.Exit(9)
	}
	return cmd.Process.Pid
}

func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }

func kill(pid int) { _ = syscall.Kill(pid, syscall.SIGKILL) }
