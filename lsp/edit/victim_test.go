package edit_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"lspi/lsp/edit"
)

// victimKey names the environment variable that makes the test binary a victim: a process that applies an edit.
const victimKey = "LSPI_EDIT_VICTIM"

// order is what a victim is to do.
type order struct {
	Root, State string
	Edit        json.RawMessage // a WorkspaceEdit; null to recover only
	KillAt      int             // the operation on disk, counted from 1, at which it dies by SIGKILL; 0 for never
	NoExchange  bool
}

// victim plans, says so, waits for a line or the end of its input, applies, and prints what came of it.
func victim() {
	var o order
	if err := json.Unmarshal([]byte(os.Getenv(victimKey)), &o); err != nil {
		panic(err)
	}
	e, err := edit.Decode(o.Edit)
	if err != nil {
		panic(err)
	}
	p, err := e.Plan(options(o.Root))
	if err != nil {
		panic(err)
	}
	fmt.Println("planned")
	bufio.NewReader(os.Stdin).ReadString('\n')
	w := edit.NewWriter(o.State)
	if o.NoExchange {
		w.SetNoExchange()
	}
	count := 0
	w.SetHook(func(string, string) error {
		if count++; count == o.KillAt {
			self, _ := os.FindProcess(os.Getpid())
			self.Kill()
			select {}
		}
		return nil
	})
	if e.Empty() {
		_, err = w.Recover(context.Background(), []string{o.Root})
	} else {
		_, err = w.Apply(context.Background(), p, edit.ApplyOptions{Expected: agreed(p)})
	}
	fmt.Println("done", rejectedFor(err), err)
	os.Exit(0)
}

// start starts a victim; its output is complete when the process has ended.
func (o order) start(t testing.TB, input *os.File) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	if o.Edit == nil {
		o.Edit = json.RawMessage("null")
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), victimKey+"="+string(marshal(t, o)))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if input != nil {
		cmd.Stdin = input
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, &out
}

// dies runs a victim and reports whether it was killed before it was done.
func (o order) dies(t testing.TB) bool {
	t.Helper()
	cmd, out := o.start(t, nil)
	cmd.Wait()
	done := strings.Contains(out.String(), "done")
	if !done && (cmd.ProcessState.ExitCode() != -1 || !strings.HasPrefix(out.String(), "planned")) {
		t.Fatalf("%v: %s", cmd.ProcessState, out)
	}
	return !done
}
