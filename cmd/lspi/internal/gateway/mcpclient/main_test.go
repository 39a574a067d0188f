package mcpclient_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"lspi/cmd/lspi/internal/gateway/mcpclient"
	"lspi/internal/mcptest"
	"lspi/internal/testkit"
)

func TestMain(m *testing.M) {
	if mcptest.Play(programs) {
		os.Exit(0)
	}
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("lspi/lsp/process.startSpawner.func1"))
}

// programs are the scripts that run as processes.
var programs = map[string]mcptest.Script{
	"plain":      plain.Serve,
	"last words": lastWords,
	"dies": func(c *mcptest.Conn) {
		mcptest.Handlers{"tools/call": func(*mcptest.Conn, mcptest.Message) {
			fmt.Fprintln(os.Stderr, "fatal: token is", os.Getenv("SECRET_TOKEN"))
			os.Exit(3)
		}}.Serve(c)
	},
	"dies at once": func(*mcptest.Conn) {
		fmt.Fprintln(os.Stderr, "cannot find config for", os.Getenv("SECRET_TOKEN"))
		os.Exit(1)
	},
	"deaf": func(c *mcptest.Conn) { // ends by SIGKILL only
		ignoreTerm()
		mcptest.Handlers{"tools/call": mcptest.Answer(pidResult())}.Serve(c)
		select {}
	},
	"environment": func(c *mcptest.Conn) {
		raw, _ := json.Marshal(os.Environ())
		mcptest.Handlers{"tools/call": mcptest.Answer(fmt.Sprintf(`{"content":[],"structuredContent":{"env":%s}}`,
			raw))}.Serve(c)
	},
	"holder": func(conn *mcptest.Conn) { // as lspi does: it holds a server
		path, env := mcptest.Program("plain")
		c, _ := mcpclient.New(spec{ID: "held", Command: path, Env: env}, host{}, opts{})
		_ = echo(context.Background(), c)
		conn.Line(fmt.Sprint(c.Status().PID))
		select {}
	},
	"parent": func(c *mcptest.Conn) {
		child := startSleeper()
		mcptest.Handlers{
			"tools/call": mcptest.Answer(fmt.Sprintf(`{"content":[],"structuredContent":{"pid":%d,"child":%d}}`,
				os.Getpid(), child))}.Serve(c)
	},
}

func pidResult() string {
	return fmt.Sprintf(`{"content":[],"structuredContent":{"pid":%d}}`, os.Getpid())
}

// plain is a server whose tools answer with what they were sent.
var plain = mcptest.Handlers{
	"tools/list": mcptest.Answer(`{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}`),
	"tools/call": func(c *mcptest.Conn, m mcptest.Message) {
		c.Result(m, fmt.Sprintf(`{"content":[{"type":"text","text":"ok"}],"structuredContent":{"sent":%s}}`, m.Params))
	},
}

// with is plain with other handlers.
func with(more mcptest.Handlers) mcptest.Handlers {
	h := mcptest.Handlers{}
	for method, f := range plain {
		h[method] = f
	}
	for method, f := range more {
		h[method] = f
	}
	return h
}

// inProcess is the client of a scripted server in this process; it is closed with the test.
func inProcess(t testing.TB, s mcptest.Script, change ...func(*mcpclient.Spec, *mcpclient.Host,
	*mcpclient.Options)) *mcpclient.Client {
	t.Helper()
	spec, host, opts := mcpclient.Spec{ID: "fake"}, mcpclient.Host{}, mcpclient.Options{Dial: mcptest.Dial(s)}
	for _, f := range change {
		f(&spec, &host, &opts)
	}
	c, err := mcpclient.New(spec, host, opts)
	testkit.Must(t, err)
	t.Cleanup(c.Close)
	return c
}

// program is the client of a scripted server that is a process.
func program(t testing.TB, script string, change ...func(*mcpclient.Spec, *mcpclient.Host,
	*mcpclient.Options)) *mcpclient.Client {
	t.Helper()
	path, env := mcptest.Program(script)
	spec, host, opts := mcpclient.Spec{ID: "fake", Command: path, Env: env, Environ: os.Environ()}, mcpclient.Host{},
		mcpclient.Options{Grace: 100 * time.Millisecond}
	for _, f := range change {
		f(&spec, &host, &opts)
	}
	c, err := mcpclient.New(spec, host, opts)
	testkit.Must(t, err)
	t.Cleanup(c.Close)
	return c
}

// echo calls the tool echo.
func echo(ctx context.Context, c *mcpclient.Client) error {
	_, err := c.CallTool(ctx, mcpclient.Call{Name: "echo"})
	return err
}

func call(t testing.TB, c *mcpclient.Client, name, args string) string {
	t.Helper()
	r, err := c.CallTool(t.Context(), mcpclient.Call{Name: name, Arguments: json.RawMessage(args)})
	testkit.Must(t, err)
	return string(r.Raw)
}

func wantKind(t testing.TB, err error, kind mcpclient.Kind) *mcpclient.Error {
	t.Helper()
	if got := mcpclient.KindOf(err); got != kind {
		t.Fatalf("got the error %v of the kind %q, want %q", err, got, kind)
	}
	return err.(*mcpclient.Error)
}

// recorder keeps what it hears.
type recorder[T any] struct {
	mu   sync.Mutex
	list []T
}

func (r *recorder[T]) hear(v T) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, v)
}

func (r *recorder[T]) heard() []T {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]T(nil), r.list...)
}

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
