//go:build linux

package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
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

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/internal/testkit"
)

// The recipe of docs/team.md, as it stands in docs/caddy/Caddyfile: Debian's Caddy with TLS before the lspi of two
// users, each in a home of its own with a token of its own. Ada's listens at a Unix socket, Bob's at a port.

const (
	caddyfile = "../../docs/caddy/Caddyfile"
	grace     = "2s" // how long Caddy waits for calls and streams when it ends
)

// team is Caddy, the two users behind it, and what clients need.
type team struct {
	t        *testing.T
	dir      string
	ada, bob *doorUnderTest
	roots    *x509.CertPool // Caddy's own CA
	caddy    *exec.Cmd
	ended    chan struct{} // closed when Caddy has ended
}

func newTeam(t *testing.T) *team {
	dir, err := os.MkdirTemp("", "lspi-team") // not t.TempDir: the path of a socket has to be short
	testkit.Must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	m := &team{t: t, dir: dir, roots: x509.NewCertPool()}
	lspi := testkit.Program(t)
	m.ada = openDoorAt(t, lspi, "unix:"+filepath.Join(dir, "ada"), m.scripted("w", `{"method": "initialized", "actions": [
		{"notify": {"method": "experimental/serverStatus", "params": {"health": "ok", "quiescent": false, "message": "indexing"}}},
		{"request": {"method": "window/workDoneProgress/create", "params": {"token": "index"}, "await": true}},
		{"notify": {"method": "$/progress", "params": {"token": "index", "value": {"kind": "begin", "title": "Indexing", "percentage": 0}}}},
		{"notify": {"method": "$/progress", "params": {"token": "index", "value": {"kind": "report", "message": "1/2", "percentage": 50}}}}]}`),
		m.scripted("v", `{"method": "textDocument/definition", "actions": [{"hang": true}]}`),
		m.scripted("u", fmt.Sprintf(`{"method": "textDocument/definition", "actions": [{"await_pipe": %q}, {"default": true}]}`,
			m.path("reloaded"))))
	m.bob = openDoor(t, lspi)
	text := "package m\n\nfunc Big() {}\n\nfunc uses() {\n"
	text += strings.Repeat("\tBig()\n", 4000) + "}\n"
	testkit.Write(t, filepath.Join(m.ada.home, "src/one/big.go"), text)
	testkit.Write(t, filepath.Join(m.ada.home, "src/one/Cargo.toml"), "") // the server of w loads a project
	for _, name := range []string{"w", "v", "u"} {
		testkit.Write(t, filepath.Join(m.ada.home, "src/one/a."+name), "def "+name+"\n")
	}
	m.startCaddy()
	return m
}

// scripted returns the rows of a scripted server for files with an extension, with one rule. It writes its events to a
// file named like the extension.
func (m *team) scripted(extension, rule string) string {
	script := m.path(extension + ".json")
	testkit.Write(m.t, script, fmt.Sprintf(`{"language": "words", "events_file": %q, "rules": [%s]}`,
		m.path(extension), rule))
	adapter := "kind = \"generic\""
	if strings.Contains(rule, "experimental/serverStatus") {
		adapter = "adapter = \"rust-analyzer\""
	}
	return fmt.Sprintf("[[servers]]\nid = \"fake-%[1]s\"\n%[2]s\ncommand = %[3]q\nargs = [%[4]q]\nextensions = [%[1]q]\n",
		extension, adapter, fakels(m.t), script)
}

func (m *team) path(name string) string { return filepath.Join(m.dir, name) }

// run returns a command of Caddy's with the environment of the recipe.
func (m *team) run(args ...string) *exec.Cmd {
	program := need(m.t, "caddy")
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), "HOME="+m.dir, "XDG_DATA_HOME="+m.dir, "XDG_CONFIG_HOME="+m.dir,
		"LSPI_CADDY_ADMIN="+m.path("admin"), "LSPI_GRACE="+grace, "LSPI_SITE=https://localhost",
		"LSPI_BIND=unix/"+m.path("tls"), "LSPI_ADA=unix/"+m.path("ada"),
		"LSPI_BOB="+strings.TrimSuffix(strings.TrimPrefix(m.bob.url, "http://"), "/mcp"))
	return cmd
}

func (m *team) startCaddy() {
	m.t.Helper()
	m.caddy = m.run("run", "--config", caddyfile, "--adapter", "caddyfile")
	log, err := os.OpenFile(m.path("caddy.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	testkit.Must(m.t, err)
	defer log.Close()
	m.caddy.Stdout, m.caddy.Stderr = log, log
	testkit.Must(m.t, m.caddy.Start())
	cmd, ended := m.caddy, make(chan struct{})
	m.ended = ended
	go func() {
		defer close(ended)
		_ = cmd.Wait()
	}()
	m.t.Cleanup(func() {
		_ = cmd.Process.Kill() // SIGTERM waits for streams
		<-ended
	})
	testkit.Wait(m.t, "Caddy", func() bool {
		select {
		case <-ended:
			m.t.Fatal("Caddy ended")
		default:
		}
		root, err := os.ReadFile(m.path("caddy/pki/authorities/local/root.crt"))
		if err != nil || !m.roots.AppendCertsFromPEM(root) {
			return false
		}
		resp, err := m.client("").Get("https://localhost/bob/mcp/health")
		if err != nil {
			return false
		}
		defer resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
}

// logs looks for tokens in the logs of all that was asked before.
func (m *team) logs(t *testing.T) {
	raw, err := os.ReadFile(m.path("caddy.log"))
	testkit.Must(t, err)
	for _, path := range []string{"/ada/mcp", "/bob/mcp"} {
		testkit.Holds(t, string(raw), path, "Caddy's log of requests")
	}
	for _, d := range []*doorUnderTest{m.ada, m.bob} {
		if strings.Contains(string(raw), d.token) || strings.Contains(d.log(), d.token) {
			t.Error("a log has a token")
		}
	}
}

// client is another program on another machine: it has connections of its own and knows Caddy's CA.
func (m *team) client(token string) *http.Client {
	tr := &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{RootCAs: m.roots},
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", m.path("tls"))
		}}
	m.t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tokenSent{tr, token}}
}

// tokenSent is a transport that sends a token, unless it is "".
type tokenSent struct {
	http.RoundTripper
	token string
}

// RoundTrip is part of http.RoundTripper.
func (s tokenSent) RoundTrip(r *http.Request) (*http.Response, error) {
	if s.token != "" {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+s.token)
	}
	return s.RoundTripper.RoundTrip(r)
}

func (m *team) connect(who string, d *doorUnderTest, o *mcp.ClientOptions) *mcp.ClientSession {
	m.t.Helper()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, o).Connect(m.t.Context(),
		&mcp.StreamableClientTransport{Endpoint: "https://localhost/" + who + "/mcp", HTTPClient: m.client(d.token)}, nil)
	testkit.Must(m.t, err)
	m.t.Cleanup(func() { _ = session.Close() })
	return session
}

// at binds a session to a project.
func (m *team) at(s *mcp.ClientSession, d *doorUnderTest, project string) *mcp.ClientSession {
	m.t.Helper()
	if a := d.call(s, "bind_workspace", map[string]any{"cwd": filepath.Join(d.home, "src", project)}); !a.OK {
		m.t.Fatalf("bind_workspace: %+v", a)
	}
	return s
}

// The page shows the file that the test runs.
func TestTeamPage(t *testing.T) {
	file, err := os.ReadFile(caddyfile)
	testkit.Must(t, err)
	var shown []string
	for _, f := range fencesOf("team.md", pages(t)["team.md"]) {
		if f.language() == "caddyfile" {
			shown = append(shown, f.body)
		}
	}
	testkit.Diff(t, shown, []string{string(file)}, "docs/caddy/Caddyfile")
}

func TestTeam(t *testing.T) {
	testkit.OwnServer(t)
	need(t, "gopls")
	m := newTeam(t)
	for _, part := range []struct {
		name string
		test func(*testing.T)
	}{{"several at once", m.several}, {"whose token", m.tokens}, {"long messages", m.long},
		{"progress and cancellation", m.progress}, {"a client that went away", m.goneClient}, {"restart", m.restart},
		{"logs", m.logs}} {
		t.Run(part.name, part.test)
	}
}

// Both users ask at a time, each with several sessions, and each gets the answers of the own project.
func (m *team) several(t *testing.T) {
	var all sync.WaitGroup
	for i := range 8 {
		who, d, project, name := "ada", m.ada, "one", "One"
		if i%2 == 0 {
			who, d, project, name = "bob", m.bob, "two", "Two"
		}
		s := m.at(m.connect(who, d, nil), d, project)
		all.Go(func() {
			for range 3 {
				a := d.call(s, "find_references", map[string]any{"file_path": "a.go", "symbol_name": name})
				if !a.OK || a.Total != 2 || a.Completeness != "complete" {
					t.Errorf("%s: %+v", who, a)
				}
			}
		})
	}
	all.Wait()
	s := m.at(m.connect("ada", m.ada, nil), m.ada, "one")
	if a := m.ada.call(s, "get_document_symbols",
		map[string]any{"file_path": filepath.Join(m.bob.home, "src/two/a.go")}); a.OK {
		t.Errorf("Ada's lspi reads Bob's file: %+v", a)
	}
}

const teamHello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",` +
	`"capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`

// send sends a request as clients of MCP do. The caller closes the answer's body.
func (m *team) send(ctx context.Context, c *http.Client, method, path, body string, header ...string) *http.Response {
	m.t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, "https://localhost"+path, strings.NewReader(body))
	testkit.Must(m.t, err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := c.Do(req)
	testkit.Must(m.t, err)
	return resp
}

// status sends a request and returns the status of its answer.
func (m *team) status(c *http.Client, method, path, body string, header ...string) (int, http.Header) {
	m.t.Helper()
	resp := m.send(m.t.Context(), c, method, path, body, header...)
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode, resp.Header
}

// A token opens the lspi of its user and no other; what no user has leads nowhere.
func (m *team) tokens(t *testing.T) {
	for _, c := range []struct {
		name, token, method, path string
		header                    []string
		status                    int
	}{
		{"Ada", m.ada.token, "POST", "/ada/mcp", nil, 200},
		{"Bob", m.bob.token, "POST", "/bob/mcp", nil, 200},
		{"nobody", "", "POST", "/ada/mcp", nil, 401},
		{"a wrong token", "guessed", "POST", "/ada/mcp", nil, 401},
		{"Ada at Bob's path", m.ada.token, "POST", "/bob/mcp", nil, 401},
		{"Bob at Ada's path", m.bob.token, "POST", "/ada/mcp", nil, 401},
		{"Ada at Bob's status", m.ada.token, "GET", "/bob/mcp/status", nil, 401},
		{"Bob by way of Ada's path", m.bob.token, "POST", "/ada/../ada/mcp", nil, 401},
		{"no path of a user", m.ada.token, "POST", "/mcp", nil, 404},
		{"another path of Ada's", m.ada.token, "GET", "/ada/other", nil, 404},
		{"OAuth's metadata", "", "GET", "/.well-known/oauth-protected-resource/ada/mcp", nil, 404},
		{"is Ada's up", "", "GET", "/ada/mcp/health", nil, 200},
		{"is Bob's up", "", "GET", "/bob/mcp/health", nil, 200},
		{"Ada's status", m.ada.token, "GET", "/ada/mcp/status", nil, 200},
		{"a web page", m.ada.token, "POST", "/ada/mcp", []string{"Origin", "https://localhost"}, 403},
		{"a web page at a port", m.bob.token, "POST", "/bob/mcp", []string{"Origin", "https://localhost"}, 403},
	} {
		body := ""
		if c.method == "POST" {
			body = teamHello
		}
		status, header := m.status(m.client(c.token), c.method, c.path, body, c.header...)
		testkit.Equal(t, status, c.status, c.name)
		if status == 401 {
			testkit.Equal(t, header.Get("WWW-Authenticate"), "Bearer", c.name)
		}
	}
}

// What is long passes whole, in both directions; what is too long is refused in lspi's words.
func (m *team) long(t *testing.T) {
	asked := func(s *mcp.ClientSession) string {
		result, err := m.at(s, m.ada, "one").CallTool(t.Context(), &mcp.CallToolParams{Name: "find_references",
			Arguments: map[string]any{"file_path": "big.go", "symbol_name": "Big", "max_results": 5000,
				"max_total_chars": 1_000_000}})
		testkit.Must(t, err)
		raw, err := json.Marshal(result.StructuredContent)
		testkit.Must(t, err)
		return string(raw)
	}
	through, direct := asked(m.connect("ada", m.ada, nil)), asked(m.direct())
	if len(through) < 50_000 || !strings.Contains(through, `"total":4001`) {
		t.Errorf("%d bytes: %.300s", len(through), through)
	}
	testkit.Equal(t, through, direct, "through Caddy and without it")
	ping := func(padding int) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"p":%q}}}`,
			strings.Repeat("p", padding))
	}
	for range 10 {
		c, id := m.session("ada", m.ada)
		status, _ := m.status(c, "POST", "/ada/mcp", ping(4_000_000), sessionIDHeader, id)
		testkit.Equal(t, status, 200, "4 MB")
		status, _ = m.status(c, "POST", "/ada/mcp", ping(6_000_000), sessionIDHeader, id)
		testkit.Equal(t, status, 413, "6 MB")
	}
}

// direct connects to Ada's lspi without Caddy.
func (m *team) direct() *mcp.ClientSession {
	m.t.Helper()
	tr := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", m.path("ada"))
	}}
	m.t.Cleanup(tr.CloseIdleConnections)
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(m.t.Context(),
		&mcp.StreamableClientTransport{Endpoint: "http://localhost/mcp",
			HTTPClient: &http.Client{Transport: tokenSent{tr, m.ada.token}}}, nil)
	testkit.Must(m.t, err)
	m.t.Cleanup(func() { _ = session.Close() })
	return session
}

// What a call says of its progress arrives before its answer; that the host cancels a call arrives at the language
// server.
func (m *team) progress(t *testing.T) {
	told := make(chan string, 100)
	s := m.at(m.connect("ada", m.ada, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			told <- r.Params.Message
		}}), m.ada, "one")
	definition := func(ctx context.Context, file string) <-chan error {
		done := make(chan error, 1)
		params := &mcp.CallToolParams{Name: "find_definition",
			Arguments: map[string]any{"file_path": file, "symbol_name": strings.TrimPrefix(file, "a.")}}
		params.SetProgressToken("p")
		go func() {
			result, err := s.CallTool(ctx, params)
			if err == nil {
				err = fmt.Errorf("%v", result.StructuredContent)
			}
			done <- err
		}()
		return done
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := definition(ctx, "a.w") // whose server indexes for ever
	select {
	case <-told:
	case err := <-done:
		t.Fatalf("no progress came before the answer (%v)", err)
	}
	cancel()
	<-done
	ctx, cancel = context.WithCancel(t.Context())
	defer cancel()
	done = definition(ctx, "a.v") // whose server never answers
	testkit.Must(t, new(host).heard(m.path("v")+" textDocument/definition"))
	cancel()
	testkit.Must(t, new(host).heard(m.path("v")+" $/cancelRequest"))
	<-done
}

const sessionIDHeader = "Mcp-Session-Id"

// session begins a session by hand, and returns its client and id.
func (m *team) session(who string, d *doorUnderTest) (*http.Client, string) {
	m.t.Helper()
	c := m.client(d.token)
	status, header := m.status(c, "POST", "/"+who+"/mcp", teamHello)
	testkit.Equal(m.t, status, 200)
	id := header.Get(sessionIDHeader)
	status, _ = m.status(c, "POST", "/"+who+"/mcp", `{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		sessionIDHeader, id)
	testkit.Equal(m.t, status, 202)
	return c, id
}

// A client that goes away without a word, or loses its stream, ends the stream at lspi too: else the session would be
// in use for ever (64 of them are all that lspi has), and the client's next stream would be refused as a second one.
// With Caddy's flush_interval -1, which many recipes for streams have, Caddy would go on reading for nobody.
func (m *team) goneClient(t *testing.T) {
	c, id := m.session("ada", m.ada)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stream := m.send(ctx, c, "GET", "/ada/mcp", "", sessionIDHeader, id)
	defer stream.Body.Close()
	testkit.Equal(t, stream.StatusCode, 200)
	status, _ := m.status(c, "GET", "/ada/mcp", "", sessionIDHeader, id)
	testkit.Equal(t, status, 409, "a second stream beside the first")
	cancel()
	testkit.Wait(t, "the end of the stream at lspi", func() bool {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		again := m.send(ctx, c, "GET", "/ada/mcp", "", sessionIDHeader, id)
		defer again.Body.Close()
		return again.StatusCode == 200
	})
}

// A reload of Caddy's configuration ends neither sessions nor calls that are under way. A restart cuts the streams: a
// client that opens its stream anew hears what lspi says of itself, and sessions live on.
func (m *team) restart(t *testing.T) {
	s := m.at(m.connect("ada", m.ada, nil), m.ada, "one")
	works := func(when string) {
		t.Helper()
		a := m.ada.call(s, "find_references", map[string]any{"file_path": "a.go", "symbol_name": "One"})
		testkit.Equal(t, a.Total, 2, when)
	}
	c, id := m.session("ada", m.ada)
	status, _ := m.status(c, "POST", "/ada/mcp", fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"tools/call",`+
		`"params":{"name":"bind_workspace","arguments":{"cwd":%q}}}`, filepath.Join(m.ada.home, "src/one")),
		sessionIDHeader, id)
	testkit.Equal(t, status, 200)
	stream := m.send(t.Context(), c, "GET", "/ada/mcp", "", sessionIDHeader, id)
	defer stream.Body.Close()
	testkit.Equal(t, stream.StatusCode, 200)
	testkit.Must(t, syscall.Mkfifo(m.path("reloaded"), 0o600))
	answered := make(chan httpAnswer, 1)
	go func() {
		answered <- m.ada.call(s, "find_definition", map[string]any{"file_path": "a.u", "symbol_name": "u"})
	}()
	testkit.Must(t, new(host).heard(m.path("u")+" textDocument/definition"))
	out, err := m.run("reload", "--config", caddyfile, "--adapter", "caddyfile", "--force").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	select {
	case a := <-answered:
		t.Fatalf("a call ended before the reload had: %+v", a)
	default:
	}
	pipe, err := os.OpenFile(m.path("reloaded"), os.O_WRONLY, 0) // when the server reads it
	testkit.Must(t, err)
	testkit.Must(t, pipe.Close())
	if a := <-answered; !a.OK {
		t.Errorf("a call during the reload: %+v", a)
	}
	works("after the reload")
	testkit.Must(t, m.caddy.Process.Signal(syscall.SIGTERM))
	_, _ = io.Copy(io.Discard, stream.Body) // until it is cut
	<-m.ended
	m.startCaddy()
	again := m.send(t.Context(), c, "GET", "/ada/mcp", "", sessionIDHeader, id)
	defer again.Body.Close()
	testkit.Equal(t, again.StatusCode, 200, "the stream, opened anew")
	own := filepath.Join(m.ada.home, ".config/lspi/config.toml")
	before, err := os.ReadFile(own)
	testkit.Must(t, err)
	testkit.Write(t, own, "mcp.read_only = true\n"+string(before))
	lines := bufio.NewScanner(again.Body)
	for lines.Scan() && !strings.Contains(lines.Text(), "notifications/tools/list_changed") {
	}
	if !strings.Contains(lines.Text(), "notifications/tools/list_changed") {
		t.Errorf("the stream ended: %v", lines.Err())
	}
	works("after the restart")
}
