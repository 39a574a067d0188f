package edit_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"

	"lspi/internal/testkit"
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
	Call        string // the call that the edit is of
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
		_, err = w.Apply(context.Background(), p, edit.ApplyOptions{Expected: agreed(p), Call: o.Call})
	}
	fmt.Println("done", rejectedFor(err), err)
	os.Exit(0)
}

// process is a victim that runs.
type process struct {
	cmd    *exec.Cmd
	input  io.Closer
	output *bufio.Reader
}

func (o order) start(t testing.TB) *process {
	t.Helper()
	if o.Edit == nil {
		o.Edit = json.RawMessage("null")
	}
	p := &process{cmd: exec.Command(os.Args[0])}
	p.cmd.Env = append(os.Environ(), victimKey+"="+string(marshal(t, o)))
	p.cmd.Stderr = os.Stderr
	input, err := p.cmd.StdinPipe()
	testkit.Must(t, err)
	output, err := p.cmd.StdoutPipe()
	testkit.Must(t, err)
	p.input, p.output = input, bufio.NewReader(output)
	testkit.Must(t, p.cmd.Start())
	return p
}

// planned waits until the victim has its plan.
func (p *process) planned(t testing.TB) {
	t.Helper()
	if line, err := p.output.ReadString('\n'); line != "planned\n" {
		t.Fatalf("%q %v", line, err)
	}
}

// end is what the victim said last.
func (p *process) end() string {
	rest, _ := io.ReadAll(p.output)
	p.cmd.Wait()
	return string(rest)
}

// dies runs a victim and reports whether it was killed before it was done.
func (o order) dies(t testing.TB) bool {
	t.Helper()
	p := o.start(t)
	p.planned(t)
	p.input.Close()
	said := p.end()
	if said == "" && p.cmd.ProcessState.Success() {
		t.Fatal("it ended without a word")
	}
	return said == ""
}
