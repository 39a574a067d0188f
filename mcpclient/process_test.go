package mcpclient_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"lspi/internal/testkit"
	"lspi/mcpclient"
	"lspi/mcpclient/mcptest"
)

const secret = "hunter2-sesame"

func withSecret(s *spec, h *host, o *opts) { s.Env["SECRET_TOKEN"] = secret }

// noSecret looks for the secret in everything that a client says.
func noSecret(t *testing.T, c *mcpclient.Client, err error) {
	t.Helper()
	said, jsonErr := json.Marshal(c.Status())
	testkit.Must(t, jsonErr)
	all := fmt.Sprintf("%s %v %+v %+v", said, err, err, c.Spec())
	if strings.Contains(all, secret) {
		t.Errorf("the secret is told: %s", all)
	}
}

// The error of a death has the exit status and the end of stderr, without secrets.
func TestProcessDies(t *testing.T) {
	c := program(t, "dies", withSecret)
	err := wantKind(t, echo(t.Context(), c), mcpclient.Died)
	testkit.Equal(t, err.Error(), "fake: tools/call: the server ended (exit status 3): fatal: token is ***", "error")
	testkit.Equal(t, strings.Join(err.Stderr, "|"), "fatal: token is ***", "stderr")
	noSecret(t, c, err)
	testkit.Equal(t, c.Status().State, mcpclient.BackingOff, "state")
}

func TestProcessDiesAtOnce(t *testing.T) {
	c := program(t, "dies at once", withSecret)
	err := wantKind(t, echo(t.Context(), c), mcpclient.StartFailed)
	testkit.Equal(t, strings.HasPrefix(err.Error(), "fake: the server ended (exit status 1) before the handshake: cannot find config for ***; it is not started again for "), true, err.Error())
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
		testkit.Equal(t, err.Error(), `fake: the program "some-server" is not there: executable file not found in $PATH`, "error")
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
		testkit.Wait(t, name+": the end of the child", func() bool { return !alive(r.Structured.Child) && !alive(r.Structured.PID) })
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
		s.Cwd = t.TempDir()
	})
	got := call(t, c, "env", `{}`)
	if strings.Contains(got, "OF_THIS_PROCESS") || !strings.Contains(got, `A=1`) || !strings.Contains(got, "B=3") {
		t.Error(got)
	}
}

func TestMask(t *testing.T) {
	s := spec{ID: "x", URL: "https://me:pass-word@h/p?key=query-key", Headers: map[string]string{"Authorization": "Basic head-er-secret", "X": "short"},
		Token: "to\"ken<value>", Env: map[string]string{"N": "1", "MODE": "production", "PIN": "4711"}, Secrets: []string{"of-arg"}, Args: []string{"--k=of-arg"}}
	m := mcpclient.NewMask(&s)
	for in, want := range map[string]string{
		"x of-arg y":                       "x *** y",
		"Basic head-er-secret":             "***",
		"got head-er-secretly":             "got ***ly",
		"a short one, shorter":             "a *** one, shorter",
		`{"t":"to\"ken\u003cvalue\u003e"}`: `{"t":"***"}`,
		`to"ken<value>`:                    "***",
		"to%22ken%3Cvalue%3E":              "***",
		"pin 4711, port 47110":             "pin ***, port 47110",
		"1 in production":                  "1 in production",
		"pass-word query-key":              "*** ***",
	} {
		testkit.Equal(t, m.Text(in), want, in)
	}
	masked, err := json.Marshal(s.Masked())
	testkit.Must(t, err)
	for _, hidden := range []string{"pass-word", "query-key", "head-er", "short", "ken<value", "4711", "of-arg", "production"} {
		if strings.Contains(string(masked), hidden) {
			t.Errorf("%s is told: %s", hidden, masked)
		}
	}
	other := s
	other.Token = "another"
	testkit.Equal(t, s.Digest(), other.Digest(), "digest without the secrets")
	testkit.Equal(t, s.Equal(&other), false, "equal")
	other.Args = []string{"-x"}
	testkit.Equal(t, s.Digest() == other.Digest(), false, "digest")
}

func TestCheck(t *testing.T) {
	for name, s := range map[string]spec{
		"id":        {ID: "a b", Command: "x"},
		"id with _": {ID: "a__b", Command: "x"},
		"long id":   {ID: strings.Repeat("a", 33), Command: "x"},
		"neither":   {ID: "a"},
		"both":      {ID: "a", Command: "x", URL: "http://h"},
		"scheme":    {ID: "a", URL: "ftp://h"},
		"paths":     {ID: "a", Command: "x", Paths: map[string]string{"/": "/x"}},
	} {
		if _, err := mcpclient.New(s, host{}, opts{}); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	_, err := mcpclient.New(spec{ID: "a-b_1", Command: "x"}, host{}, opts{})
	testkit.Must(t, err)
}
