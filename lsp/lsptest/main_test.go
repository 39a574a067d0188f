//go:build unix

package lsptest_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"lspi/internal/testkit"
	"lspi/lsp/lsptest"
	"lspi/lsp/wire"
)

// play runs the test binary as a server with a script.
func play(t *testing.T, dir, script string) (*exec.Cmd, *wire.Conn, *bytes.Buffer) {
	t.Helper()
	write(t, filepath.Join(dir, "script.json"), script)
	p := lsptest.NewProgram(t, nil)
	cmd := exec.Command(p.Path, filepath.Join(dir, "script.json"), "--stdio")
	cmd.Env = os.Environ()
	for name, value := range p.Env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stderr := new(bytes.Buffer)
	cmd.Stderr = stderr
	stdin, err := cmd.StdinPipe()
	testkit.Must(t, err)
	out, w, err := os.Pipe()
	testkit.Must(t, err)
	cmd.Stdout = w
	testkit.Must(t, cmd.Start())
	w.Close()
	conn := wire.New(struct {
		io.Reader
		io.WriteCloser
	}{out, closer{stdin, out}}, wire.Options{})
	t.Cleanup(func() {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		conn.Close()
	})
	return cmd, conn, stderr
}

type closer struct {
	io.WriteCloser
	out *os.File
}

func (c closer) Close() error {
	c.WriteCloser.Close()
	return c.out.Close()
}

func events(t *testing.T, dir string) []lsptest.Event {
	t.Helper()
	all, err := lsptest.ReadEvents(filepath.Join(dir, "events"))
	testkit.Must(t, err)
	return all
}

func TestExecutable(t *testing.T) {
	dir := t.TempDir()
	const script = `{"events_file":"events","rules":[{"method":"m","run":1,"actions":[{"stderr":"last words"},{"exit":7}]}]}`
	for run, want := range []string{"m: connection ended: EOF", "m: method not found: m (code -32601)"} {
		cmd, conn, stderr := play(t, dir, script)
		err := conn.Call(t.Context(), "m", []int{run}, nil)
		if err == nil || err.Error() != want {
			t.Errorf("run %d: %v", run+1, err)
		}
		if run == 1 {
			conn.Call(t.Context(), "shutdown", nil, nil)
			conn.Notify(t.Context(), "exit", nil)
		}
		cmd.Wait()
		testkit.Equal(t, cmd.ProcessState.ExitCode(), []int{7, 0}[run], "run", run+1, "exit code")
		if run == 0 && stderr.String() != "last words" {
			t.Errorf("stderr %q", stderr)
		}
	}
	var got []string
	for _, e := range events(t, dir) {
		got = append(got, strings.TrimSpace(fmt.Sprintf("%s %s%s%v", e.Kind, e.Method, e.Params, e.Args)))
	}
	equal(t, "events", strings.Join(got, ", "),
		"start [--stdio], message m[0][], end [], start [--stdio], message m[1][], message shutdown[], message exit[], end []")
}

func TestExecutableKillsItself(t *testing.T) {
	// Under nohup SIGHUP is ignored here, and in what is started from here, but not while it is asked for.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	defer signal.Reset(syscall.SIGHUP)
	for _, name := range []string{"SIGKILL", "SIGTERM", "SIGHUP"} {
		cmd, conn, _ := play(t, t.TempDir(), `{"rules":[{"method":"m","actions":[{"kill":"`+name+`"}]}]}`)
		conn.Call(t.Context(), "m", nil, nil)
		cmd.Wait()
		status := cmd.ProcessState.Sys().(syscall.WaitStatus)
		if !status.Signaled() {
			t.Errorf("%s: %v", name, cmd.ProcessState)
		}
	}
}

func TestExecutableEndsWithItsInput(t *testing.T) {
	cmd, conn, _ := play(t, t.TempDir(), `{}`)
	conn.Close()
	cmd.Wait()
	testkit.Equal(t, cmd.ProcessState.ExitCode(), 1, "exit code")
}

// A server that will not go: neither by the end of its input nor by SIGTERM, and its child holds stdout open.
func TestExecutableThatWillNotGo(t *testing.T) {
	dir := t.TempDir()
	cmd, conn, _ := play(t, dir, `{"events_file":"events","ignore_eof":true,"ignore_term":true,
		"rules":[{"method":"m","actions":[{"spawn_child":{"seconds":600,"hold_stdout":true}},{"result":1}]},{"method":"bye","actions":[{"kill":"SIGKILL"}]}]}`)
	testkit.Must(t, conn.Call(t.Context(), "m", nil, nil))
	cmd.Process.Signal(syscall.SIGTERM)
	if err := conn.Call(t.Context(), "m", nil, nil); err != nil { // it has lived through it
		t.Fatal(err)
	}
	var children []int
	for _, e := range events(t, dir) {
		if e.Kind == lsptest.EventChild {
			children = append(children, e.PID)
		}
	}
	if len(children) != 2 || syscall.Kill(children[0], 0) != nil {
		t.Fatalf("children %v", children)
	}
	testkit.Must(t, conn.Notify(t.Context(), "bye", nil))
	cmd.Wait()
	select {
	case <-conn.Done():
		t.Error("stdout ended although a child holds it")
	default:
	}
	syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	select {
	case <-conn.Done():
	case <-time.After(10 * time.Second):
		t.Error("stdout did not end with the group")
	}
}

func TestMainWithoutAScript(t *testing.T) {
	var stderr strings.Builder
	if code := lsptest.Main(nil, nil, io.Discard, &stderr); code != 2 ||
		stderr.String() != "usage: fakels script.json\n" {
		t.Errorf("%d %q", code, &stderr)
	}
	stderr.Reset()
	path := filepath.Join(t.TempDir(), "s.json")
	write(t, path, `{"x":1}`)
	code := lsptest.Main([]string{path}, bufio.NewReader(nil), io.Discard, &stderr)
	if code != 2 || !strings.Contains(stderr.String(), `s.json: reading a script: json: unknown field "x"`) {
		t.Errorf("%d %q", code, &stderr)
	}
}
