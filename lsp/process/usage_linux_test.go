package process

import (
	"os"
	"os/exec"
	"testing"

	"lspi/internal/testkit"
)

// A process works while it computes, and does not while it waits.
func TestWorks(t *testing.T) {
	for _, c := range []struct {
		script string
		works  bool
	}{{"while :; do :; done", true}, {"read line", false}} {
		cmd := exec.Command("sh", "-c", c.script)
		in, err := cmd.StdinPipe()
		testkit.Must(t, err)
		testkit.Must(t, cmd.Start())
		testkit.Wait(t, c.script, func() bool { return Works(cmd.Process.Pid) == c.works })
		for range 100 {
			testkit.Equal(t, Works(cmd.Process.Pid), c.works, c.script)
		}
		testkit.Must(t, in.Close())
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	if Works(os.Getpid()) != true {
		t.Error("this process does not work")
	}
}
