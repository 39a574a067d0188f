package lsp

import (
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// A process that was stopped cannot run, and can when it was let go.
func TestHeldUp(t *testing.T) {
	cmd := exec.Command("sleep", "100")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	become := func(signal syscall.Signal, want bool) {
		t.Helper()
		if err := cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		for deadline := time.Now().Add(10 * time.Second); heldUp(cmd.Process.Pid) != want; {
			if time.Now().After(deadline) {
				t.Fatalf("after %v it is not %v", signal, want)
			}
		}
	}
	become(syscall.SIGSTOP, true)
	become(syscall.SIGCONT, false)
}
