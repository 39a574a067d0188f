//lint:file-ignore SA1019 roots are deprecated since 2026-07-28, and what the hosts of today offer.
//go:build linux || darwin

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/contract"
	"lspi/internal/testkit"
	"lspi/tools"
	"lspi/tools/session"
)

// doorUnderTest is lspi daemon run --http as a process of its own, in a home of its own.
type doorUnderTest struct {
	t          testing.TB
	lspi, home string
	url, token string
	cmd        *exec.Cmd
	mu         sync.Mutex
	said       bytes.Buffer // on stderr; guarded by mu
	ended      chan struct{}
}

// httpHome is a home with two projects in an allowed folder and one outside of it.
func httpHome(t testing.TB) string {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	testkit.Must(t, err)
	for _, p := range []struct{ dir, name string }{{"src/one", "One"}, {"src/two", "Two"}, {"secret", "Secret"}} {
		testkit.Write(t, filepath.Join(home, p.dir, "go.mod"), "module m\n\ngo 1.26\n")
		testkit.Write(t, filepath.Join(home, p.dir, "a.go"),
			fmt.Sprintf("package m\n\nfunc Use() { %s() }\n\nfunc %s() {}\n", p.name, p.name))
		testkit.Must(t, os.MkdirAll(filepath.Join(home, p.dir, ".git"), 0o755))
	}
	testkit.Must(t, os.Symlink(filepath.Join(home, "secret"), filepath.Join(home, "src", "link")))
	testkit.Write(t, filepath.Join(home, ".config/lspi/config.toml"),
		"[daemon]\nhttp_roots = [\"~/src\"]\n[logging]\nlevel = \"debug\"\n")
	testkit.Must(t, os.MkdirAll(filepath.Join(home, "run"), 0o700))
	return home
}

func (d *doorUnderTest) command(args ...string) *exec.Cmd {
	cmd := exec.Command(d.lspi, args...)
	cmd.Env = append(os.Environ(), "HOME="+d.home, "XDG_CONFIG_HOME="+filepath.Join(d.home, ".config"),
		"XDG_STATE_HOME="+filepath.Join(d.home, ".state"),
		"XDG_RUNTIME_DIR="+filepath.Join(d.home, "run"), "LSPI_CONFIG_PATH=", "CLAUDE_PROJECT_DIR=")
	return cmd
}

// openDoor starts it at a free port. more is added to the user's configuration.
func openDoor(t testing.TB, lspi string, more ...string) *doorUnderTest {
	t.Helper()
	return openDoorAt(t, lspi, "127.0.0.1:0", more...)
}

// openDoorAt is openDoor at an address of --http.
func openDoorAt(t testing.TB, lspi, address string, more ...string) *doorUnderTest {
	t.Helper()
	d := &doorUnderTest{t: t, lspi: lspi, home: httpHome(t), ended: make(chan struct{})}
	if own := filepath.Join(d.home, ".config/lspi/config.toml"); more != nil {
		before, err := os.ReadFile(own)
		testkit.Must(t, err)
		testkit.Write(t, own, string(before)+strings.Join(more, ""))
	}
	out, err := d.command("daemon", "token").Output()
	testkit.Must(t, err)
	d.token = strings.TrimSpace(string(out))
	d.cmd = d.command("daemon", "run", "--http", address)
	stderr, err := d.cmd.StderrPipe()
	testkit.Must(t, err)
	testkit.Must(t, d.cmd.Start())
	lines := bufio.NewScanner(stderr)
	url := make(chan string, 1)
	go func() {
		defer close(d.ended)
		for lines.Scan() {
			if rest, ok := strings.CutPrefix(lines.Text(), "lspi: MCP over HTTP at "); ok {
				url <- strings.SplitN(rest, ";", 2)[0]
			}
			d.mu.Lock()
			d.said.WriteString(lines.Text() + "\n")
			d.mu.Unlock()
		}
		_ = d.cmd.Wait()
	}()
	t.Cleanup(func() {
		_ = d.cmd.Process.Signal(syscall.SIGTERM)
		<-d.ended
	})
	select {
	case d.url = <-url:
	case <-d.ended:
		t.Fatalf("it ended: %s", d.log())
	}
	return d
}

func (d *doorUnderTest) log() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.said.String()
}

// bearer is a transport that sends the token.
type bearer struct{ token string }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return http.DefaultTransport.RoundTrip(r)
}

func (d *doorUnderTest) connect(roots ...string) *mcp.ClientSession {
	d.t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	for _, root := range roots {
		client.AddRoots(&mcp.Root{URI: "file://" + root})
	}
	session, err := client.Connect(context.Background(), &mcp.StreamableClientTransport{Endpoint: d.url,
		HTTPClient: &http.Client{Transport: bearer{d.token}}}, nil)
	testkit.Must(d.t, err)
	d.t.Cleanup(func() { _ = session.Close() })
	return session
}

// httpAnswer is what the tests look at.
type httpAnswer struct {
	OK            bool
	Completeness  string
	WorkspaceRoot string   `json:"workspace_root"`
	AllowedRoots  []string `json:"allowed_roots"`
	Total         int
	Error         struct {
		Message string
		Data    struct {
			Reason struct {
				Kind  contract.Kind
				Known []string
			} `json:"lspi_error"`
		}
	}
}

func (d *doorUnderTest) call(s *mcp.ClientSession, tool string, arguments map[string]any) (a httpAnswer) {
	d.t.Helper()
	result, err := s.CallTool(context.Background(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	testkit.Must(d.t, err)
	raw, err := json.Marshal(result.StructuredContent)
	testkit.Must(d.t, err)
	testkit.Must(d.t, json.Unmarshal(raw, &a))
	return a
}

// Two hosts over HTTP work on two projects with real servers, and reach nothing else; status knows of both.
func TestHTTPEndToEnd(t *testing.T) {
	need(t, "gopls")
	d := openDoor(t, testkit.Program(t))
	at := func(path string) string { return filepath.Join(d.home, path) }
	one, two := d.connect(), d.connect(at("src/two")) // which has roots
	if a := d.call(one, "find_references",
		map[string]any{"symbol_name": "One"}); a.Error.Data.Reason.Kind != contract.KindWorkspaceNotSet ||
		fmt.Sprint(a.Error.Data.Reason.Known) != "["+at("src")+"]" {
		t.Errorf("before it is bound: %+v", a)
	}
	for _, cwd := range []string{at("secret"), at("src/link"), at("src/one/../../secret"), "/", "/etc",
		at("src/missing"), d.home, at("src/one/a.go")} {
		if a := d.call(one, "bind_workspace",
			map[string]any{"cwd": cwd}); a.Error.Data.Reason.Kind != contract.KindWorkspaceNotMatched {
			t.Errorf("%s: %+v", cwd, a)
		}
	}
	if a := d.call(one, "bind_workspace", map[string]any{"cwd": at("src/one")}); !a.OK ||
		a.WorkspaceRoot != at("src/one") {
		t.Fatalf("%+v", a)
	}
	for _, c := range []struct {
		host       *mcp.ClientSession
		own, other string
	}{{one, "One", "Two"}, {two, "Two", "One"}} {
		if a := d.call(c.host, "find_references", map[string]any{"file_path": "a.go", "symbol_name": c.own}); !a.OK ||
			a.Total != 2 || a.Completeness != "complete" {
			t.Errorf("%s: %+v", c.own, a)
		}
		for _, arguments := range []map[string]any{{"file_path": "a.go", "symbol_name": c.other},
			{"symbol_name": c.other}} {
			if a := d.call(c.host, "find_references",
				arguments); a.Error.Data.Reason.Kind != contract.KindSymbolNotFound {
				t.Errorf("%s asks about %s: %+v", c.own, c.other, a)
			}
		}
		for _, path := range []string{at("src/" + strings.ToLower(c.other) + "/a.go"), at("secret/a.go"),
			"../../secret/a.go"} {
			if a := d.call(c.host, "get_document_symbols",
				map[string]any{"file_path": path}); a.Error.Data.Reason.Kind != contract.KindOutsideWorkspace {
				t.Errorf("%s asks about %s: %+v", c.own, path, a)
			}
		}
		if a := d.call(c.host, "get_current_config", nil); a.WorkspaceRoot != at("src/"+strings.ToLower(c.own)) ||
			len(a.AllowedRoots) != 1 {
			t.Errorf("%+v", a)
		}
		if a := d.call(c.host, "bind_workspace",
			map[string]any{"cwd": at("src/" +
				strings.ToLower(c.other))}); a.Error.Data.Reason.Kind != contract.KindWorkspaceAlreadySet {
			t.Errorf("%+v", a)
		}
	}
	// Roots outside, beside one that is allowed, give nothing; bind_workspace is the way on.
	liar := d.connect(at("src/one"), at("secret"))
	if a := d.call(liar, "get_document_symbols",
		map[string]any{"file_path": at("secret/a.go")}); a.Error.Data.Reason.Kind != contract.KindWorkspaceNotMatched {
		t.Errorf("%+v", a)
	}
	if a := d.call(liar, "bind_workspace", map[string]any{"cwd": "one"}); a.WorkspaceRoot != at("src/one") {
		t.Errorf("%+v", a)
	}
	status, _, body := d.ask("GET", "/mcp/status", "", "Authorization", "Bearer "+d.token)
	var told daemonStatus
	testkit.Must(t, json.Unmarshal([]byte(body), &told))
	if status != 200 || len(told.Sessions) != 3 || len(told.Roots) != 2 || told.HTTP == nil ||
		told.HTTP.URL != d.url || told.Calls < 20 {
		t.Errorf("%d %s", status, body)
	}
	if out, err := d.command("daemon", "status").CombinedOutput(); err != nil || !bytes.Contains(out, []byte(d.url)) {
		t.Errorf("%v\n%s", err, out)
	}
	// A second lspi daemon run --http says what is in the way: the user's own process, or another one at the address.
	second := d.command("daemon", "run", "--http", "127.0.0.1:0")
	out, err := second.CombinedOutput()
	if exit := new(exec.ExitError); !errors.As(err, &exit) || exit.ExitCode() != exitFailed ||
		!bytes.Contains(out, []byte("lspi daemon stop")) {
		t.Errorf("a second one: %v\n%s", err, out)
	}
	second = (&doorUnderTest{lspi: d.lspi, home: httpHome(t)}).command("daemon", "run", "--http",
		strings.TrimSuffix(strings.TrimPrefix(d.url, "http://"), "/mcp"))
	out, err = second.CombinedOutput()
	if exit := new(exec.ExitError); !errors.As(err, &exit) || exit.ExitCode() != exitFailed ||
		!bytes.Contains(out, []byte("another lspi listens there")) {
		t.Errorf("at the same address: %v\n%s", err, out)
	}
	if out, err := d.command("daemon", "stop").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	<-d.ended
}

// A workspace's own file, trusted or not, cannot say which folders are reachable over HTTP, nor add folders outside of
// them.
func TestHTTPRootsAreTheUsers(t *testing.T) {
	d := openDoor(t, testkit.Program(t))
	at := func(path string) string { return filepath.Join(d.home, path) }
	testkit.Write(t, at("src/one/lspi.toml"), fmt.Sprintf("workspace_folders = [%q]\n[daemon]\nhttp_roots = [\"/\"]\n",
		at("secret")))
	host := d.connect()
	if a := d.call(host, "bind_workspace", map[string]any{"cwd": at("src/one")}); !a.OK || len(a.AllowedRoots) != 1 {
		t.Errorf("not trusted: %+v", a)
	}
	if a := d.call(host, "get_document_symbols",
		map[string]any{"file_path": at("secret/a.go")}); a.Error.Data.Reason.Kind != contract.KindOutsideWorkspace {
		t.Errorf("%+v", a)
	}
	// The user's own file says so for every workspace; over HTTP it does not count.
	testkit.Write(t, at(".config/lspi/config.toml"),
		fmt.Sprintf("workspace_folders = [%q]\n[daemon]\nhttp_roots = [\"~/src\"]\n", at("secret")))
	testkit.Must(t, os.Remove(at("src/one/lspi.toml")))
	if a := d.call(d.connect(), "bind_workspace",
		map[string]any{"cwd": at("src/one")}); a.Error.Data.Reason.Kind != contract.KindWorkspaceNotMatched {
		t.Errorf("the user's folders: %+v", a)
	}
	// What the user allows counts from the next session on.
	testkit.Write(t, at(".config/lspi/config.toml"), "[daemon]\nhttp_roots = [\"~/src\", \"~/secret\"]\n")
	if a := d.call(d.connect(), "bind_workspace", map[string]any{"cwd": at("secret")}); !a.OK {
		t.Errorf("%+v", a)
	}
}

func (d *doorUnderTest) ask(method, path, body string, header ...string) (int, http.Header, string) {
	d.t.Helper()
	req, err := http.NewRequest(method, strings.TrimSuffix(d.url, "/mcp")+path, strings.NewReader(body))
	testkit.Must(d.t, err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
		if header[i] == "Host" {
			req.Host = header[i+1]
		}
	}
	resp, err := http.DefaultClient.Do(req)
	testkit.Must(d.t, err)
	defer resp.Body.Close()
	raw, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, resp.Header, string(raw)
}

// Everything that a stranger, a web page or a broken client may send is refused, costs little, and leaves no secret in
// the log. A host that works at the same time is not disturbed.
func TestHTTPAbuse(t *testing.T) {
	t.Setenv("GOGC", "100") // what it holds is what a user's would, whatever the tests have of their own
	lspi, most := testkit.Program(t), int64(64<<20)
	if testkit.All() {
		lspi = shipped(t)
	} else if testkit.Raced {
		most *= 3 // the detector keeps what it knows of each word of memory
	}
	d := openDoor(t, lspi)
	host := d.connect()
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
	token := []string{"Authorization", "Bearer " + d.token}
	port := d.url[strings.LastIndex(d.url, ":")+1 : len(d.url)-len("/mcp")]
	for _, c := range []struct {
		name, method, path, body string
		header                   []string
		status                   int
	}{
		{"no token", "POST", "/mcp", hello, nil, 401},
		{"a wrong token", "POST", "/mcp", hello, []string{"Authorization", "Bearer guessed-secret-1"}, 401},
		{"a rebound name", "POST", "/mcp", hello, append([]string{"Host", "guessed-secret-2.example:" + port},
			token...), 403},
		{"a web page", "POST", "/mcp", hello, append([]string{"Origin", "http://guessed-secret-3.example"}, token...),
			403},
		{"a page of another port", "POST", "/mcp", hello, append([]string{"Origin", "http://localhost:6274"},
			token...), 403},
		{"a form of a page", "POST", "/mcp", "a=b", append([]string{"Content-Type", "text/plain"}, token...), 415},
		{"garbage", "POST", "/mcp", "{\"guessed-secret-4", token, 400},
		{"a batch", "POST", "/mcp", "[" + hello + "]", token, 400},
		{"a giant", "POST", "/mcp", strings.Repeat("x", 5<<20), token, 413},
		{"no such session", "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"ping"}`,
			append([]string{"Mcp-Session-Id", "guessed-secret-5"}, token...), 404},
		{"another method", "PATCH", "/mcp", "", token, 405},
		{"status without a token", "GET", "/mcp/status", "", nil, 401},
	} {
		for range testkit.Times(5, 20) {
			if status, _, body := d.ask(c.method, c.path, c.body, c.header...); status != c.status {
				t.Fatalf("%s: %d %s", c.name, status, body)
			}
		}
	}
	// Bodies that never end: all at once, with and without the token.
	address := strings.TrimSuffix(strings.TrimPrefix(d.url, "http://"), "/mcp")
	var slow []net.Conn
	for i := range 100 {
		c, err := net.Dial("tcp", address)
		testkit.Must(t, err)
		defer c.Close()
		fmt.Fprintf(c,
			"POST /mcp HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nAccept: */*\r\nContent-Length: 1000\r\nAuthorization: Bearer %s\r\n\r\n{",
			address, map[bool]string{true: d.token, false: "guessed-secret-6"}[i%2 == 0])
		slow = append(slow, c)
	}
	begun, full := 0, 0
	before := d.memory()
	for range 1000 {
		status, header, body := d.ask("POST", "/mcp", hello, token...)
		switch {
		case status == 200:
			begun++
		case status == 503 && header.Get("Retry-After") != "":
			full++
		default:
			t.Fatalf("%d %s", status, body)
		}
	}
	if begun != maxHTTPSessions-1 || full != 1001-maxHTTPSessions {
		t.Errorf("%d sessions began, %d were refused", begun, full)
	}
	grown := int64(d.memory()) - int64(before)
	t.Logf("1,000 handshakes cost %d MB", grown>>20)
	if grown > most {
		t.Error("that is too much")
	}
	if a := d.call(host, "bind_workspace", map[string]any{"cwd": filepath.Join(d.home, "src", "one")}); !a.OK {
		t.Errorf("a host that works: %+v", a)
	}
	for _, c := range slow {
		testkit.Must(t, c.SetReadDeadline(time.Now().Add(30*time.Second)))
		answer, err := io.ReadAll(c) // until the server closes it
		if err != nil && !errors.Is(err, syscall.ECONNRESET) || !bytes.Contains(answer, []byte(" 408 ")) &&
			!bytes.Contains(answer, []byte(" 401 ")) {
			t.Fatalf("%v %s", err, answer)
		}
	}
	log := d.log()
	if len(log) > 256<<10 || !strings.Contains(log, "was refused") {
		t.Errorf("the log has %d bytes:\n%.2000s", len(log), log)
	}
	for _, secret := range []string{d.token, "guessed-secret"} {
		if i := strings.Index(log, secret); i >= 0 {
			t.Errorf("the log has %s: %.500s", secret, log[max(0, i-200):])
		}
	}
}

// shipped is lspi as it is shipped, without the race detector, which takes a minute of a fresh machine to compile.
func shipped(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "lspi")
	if out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput(); err != nil {
		t.Fatalf("building lspi: %v\n%s", err, out)
	}
	return path
}

// memory is what the process has resident, in bytes; 0 where that is not known.
func (d *doorUnderTest) memory() uint64 {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", d.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	var all, resident uint64
	_, err = fmt.Sscan(string(raw), &all, &resident)
	testkit.Must(d.t, err)
	return resident * uint64(os.Getpagesize())
}

// The MCP inspector validates what it gets over HTTP. Each run of it is a session, so that it binds a workspace,
// and asks without one.
func TestInspectorOverHTTP(t *testing.T) {
	inspector := need(t, "mcp-inspector")
	d := openDoor(t, testkit.Program(t))
	inspect := func(token string, into any, args ...string) error {
		t.Helper()
		cmd := exec.Command(inspector,
			append([]string{"--cli", d.url, "--transport", "http", "--header", "Authorization: Bearer " + token,
				"--method"}, args...)...)
		cmd.Env = append(os.Environ(), "HOME="+d.home)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err == nil || len(out) > 0 {
			err = json.Unmarshal(out, into)
		}
		if err != nil {
			return fmt.Errorf("%w\n%s\n%s", err, out, stderr.String())
		}
		return nil
	}
	var list struct{ Tools []struct{ Name string } }
	testkit.Must(t, inspect(d.token, &list, "tools/list"))
	if served := tools.Served(&session.Settings{Binds: true}); len(list.Tools) != len(served) ||
		list.Tools[len(served)-1].Name != "bind_workspace" {
		t.Errorf("the inspector lists %d tools, %d are served", len(list.Tools), len(served))
	}
	var result struct{ StructuredContent httpAnswer }
	cwd := filepath.Join(d.home, "src", "one")
	testkit.Must(t, inspect(d.token, &result, "tools/call", "--tool-name", "bind_workspace", "--tool-arg", "cwd="+cwd))
	if !result.StructuredContent.OK || result.StructuredContent.WorkspaceRoot != cwd {
		t.Errorf("the inspector got %+v", result.StructuredContent)
	}
	result.StructuredContent = httpAnswer{}
	// which fails, as errors of tools do
	_ = inspect(d.token, &result, "tools/call", "--tool-name", "get_current_config")
	if result.StructuredContent.Error.Data.Reason.Kind != contract.KindWorkspaceNotSet {
		t.Errorf("the inspector got %+v", result.StructuredContent)
	}
	if err := inspect("guessed", &list, "tools/list"); err == nil {
		t.Error("the inspector came in with a wrong token")
	}
}
