//go:build unix

package lsptest

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// killSelf sends a signal to this process and waits for its effect, which should be the end.
func killSelf(name string) error {
	sig := unix.SignalNum(name)
	if sig == 0 {
		return fmt.Errorf("unknown signal %q", name)
	}
	signal.Reset(sig)
	if err := unix.Kill(os.Getpid(), sig); err != nil {
		return err
	}
	<-time.After(5 * time.Second)
	return fmt.Errorf("survived %s", name)
}

func ignoreTerm() { signal.Ignore(unix.SIGTERM) }

// spawnChild starts a process that sleeps, in the group of this one. Nobody waits for it: tests look at what becomes
// of it when the server ends.
func spawnChild(c Child, stdout io.Writer) (int, error) {
	cmd := exec.Command("sleep", strconv.Itoa(c.Seconds))
	if c.HoldStdout {
		cmd.Stdout = stdout
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	return cmd.Process.Pid, nil
}
