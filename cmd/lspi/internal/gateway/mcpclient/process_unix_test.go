//go:build unix

package mcpclient_test

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"lspi/cmd/lspi/internal/gateway/mcpclient"
	"lspi/internal/mcptest"
	"lspi/internal/testkit"
)

// The error of a death has the exit status and the end of stderr, without secrets.
func TestProcessDies(t *testing.T) {
	c := program(t, "dies", withSecret)
	err := wantKind(t, echo(t.Context(), c), mcpclient.Died)
	testkit.Equal(t, err.Error(), "fake: tools/call: the server ended (exit status 3): fatal: token is ***", "error")
	testkit.Equal(t, strings.Join(err.Stderr, "|"), "fatal: token is ***", "stderr")
	noSecret(t, c, err)
	testkit.Equal(t, c.Status().State, mcpclient.BackingOff, "state")
}

// Values that are words of lspi's own sentences are masked in what the server says, and not in the sentence.
func TestOwnWordsAreNotMasked(t *testing.T) {
	c := program(t, "dies", withSecret, func(s *spec, _ *host, _ *opts) {
		s.Env["A"], s.Env["B"], s.Env["C"], s.Env["D"] = "server", "status", "tools", "fatal"
		s.Args = append(s.Args, "--status="+secret)
	})
	err := wantKind(t, echo(t.Context(), c), mcpclient.Died)
	testkit.Equal(t, err.Error(), "fake: tools/call: the server ended (exit status 3): ***: token is ***", "error")
	testkit.Diff(t, err.Outside, []string{": ***: token is ***"})
	testkit.Equal(t, strings.Join(err.Stderr, "|"), "***: token is ***", "stderr")
	testkit.Equal(t, strings.HasSuffix(c.Status().Command, " --***=***"), true, c.Status().Command)
	noSecret(t, c, err)
}

func TestProcessDiesAtOnce(t *testing.T) {
	c := program(t, "dies at once", withSecret)
	err := wantKind(t, echo(t.Context(), c), mcpclient.StartFailed)
	testkit.Equal(t,
		strings.HasPrefix(err.Error(),
			"fake: the server ended (exit status 1) before the handshake: cannot find config for ***; it is not started again for "), true, err.Error())
	noSecret(t, c, err)
}

// A program that is not there is looked for again at every call, on the PATH of the session.
func TestNotFound(t *testing.T) {
	dir := t.TempDir()
	c := program(t, "plain", func(s *spec, _ *host, _ *opts) {
		s.Environ = []string{"PATH=" + dir}
		_ = os.Symlink(s.Command, filepath.Join(dir, "other"))
		s.Command = "some-server"
	})
	for range 4 {
		err := wantKind(t, echo(t.Context(), c), mcpclient.NotFound)
		testkit.Equal(t, err.Error(),
			`fake: the program "some-server" is not there: executable file not found in $PATH`, "error")
	}
	testkit.Equal(t, c.Status().State, mcpclient.Failed, "state")
	testkit.Must(t, os.Rename(filepath.Join(dir, "other"), filepath.Join(dir, "some-server")))
	testkit.Must(t, echo(t.Context(), c))
	testkit.Equal(t, c.Status().State, mcpclient.Ready, "state")
}

// A server that ignores the end of stdin and SIGTERM is killed, in bounded time.
func TestDeafServer(t *testing.T) {
	c := program(t, "deaf")
	call(t, c, "pid", `{}`)
	pid := c.Status().PID
	begun := time.Now()
	c.Close()
	if alive(pid) {
		t.Error("it lives on")
	}
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
}

// What a server started ends with it, when it is closed and when it is killed.
func TestChildren(t *testing.T) {
	for name, end := range map[string]func(*mcpclient.Client){
		"closed": (*mcpclient.Client).Close,
		"killed": func(c *mcpclient.Client) { kill(c.Status().PID) },
	} {
		c := program(t, "parent")
		var r struct {
			Structured struct{ PID, Child int } `json:"structuredContent"`
		}
		testkit.Must(t, json.Unmarshal([]byte(call(t, c, "pids", `{}`)), &r))
		end(c)
		testkit.Wait(t, name+": the end of the child", func() bool {
			return !alive(r.Structured.Child) && !alive(r.Structured.PID)
		})
	}
}

// A server ends with lspi, also when lspi is killed.
func TestEndsWithLspi(t *testing.T) {
	path, env := mcptest.Program("holder")
	cmd := exec.Command(path)
	for name, value := range env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	out, err := cmd.StdoutPipe()
	testkit.Must(t, err)
	testkit.Must(t, cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	testkit.Must(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	testkit.Must(t, err)
	if !alive(pid) || pid == 0 {
		t.Fatal("no server")
	}
	testkit.Must(t, cmd.Process.Kill())
	_ = cmd.Wait()
	testkit.Wait(t, "the end of the server", func() bool { return !alive(pid) })
}

// The environment of a server is that of its spec, and nothing of this process.
func TestEnvironment(t *testing.T) {
	t.Setenv("OF_THIS_PROCESS", "x")
	path, _ := os.Executable()
	c := program(t, "environment", func(s *spec, _ *host, _ *opts) {
		s.Environ = []string{"A=1", "B=2"}
		s.Env["B"] = "3"
		s.Command = path
		s.Cwd, s.MakeCwd = filepath.Join(t.TempDir(), "made", "by it"), true
	})
	got := call(t, c, "env", `{}`)
	if strings.Contains(got, "OF_THIS_PROCESS") || !strings.Contains(got, `A=1`) || !strings.Contains(got, "B=3") {
		t.Error(got)
	}
}

func TestProcess(t *testing.T) {
	c := program(t, "plain")
	call(t, c, "echo", `{}`)
	pid := c.Status().PID
	if pid == 0 || !alive(pid) {
		t.Fatalf("pid %d", pid)
	}
	c.Close()
	if alive(pid) {
		t.Error("it lives on")
	}
	_, err := c.CallTool(t.Context(), mcpclient.Call{Name: "echo", Arguments: json.RawMessage(`{}`)})
	wantKind(t, err, mcpclient.Closed)
	testkit.Equal(t, c.Status().State, mcpclient.Ended, "state")
}
