//go:build linux

package faults

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"lspi/internal/testkit"
	"lspi/lsp/lsptest"
)

// host is an MCP host of the real binary, with what its servers leave behind.
type host struct {
	*testkit.Host
	log    string // the file with lspi's log, which has the traffic with its servers
	errs   *lockedBuffer
	marker string // in the environment of lspi and of all that it starts
}

// entry is a [[servers]] of the configuration of a host.
type entry struct {
	project *project
	command string   // "" is the catalogue's
	args    []string // of command
	script  *lsptest.Script
	timeout time.Duration // of the request for references; 0 is lspi's default
	quiet   bool          // the log has no traffic
	more    string        // of the entry, as TOML
}

// startHost starts lspi on a folder with only the servers of the entries, and makes the handshake.
func startHost(t testing.TB, dir string, timeout time.Duration, entries ...entry) *host {
	t.Helper()
	own := testkit.TempDir(t)
	var config strings.Builder
	fmt.Fprintf(&config,
		"catalogue = false\ntrust = \"all\"\nenv_pass = [\"LSPI_FAULTS_TREE\"]\n[mcp]\ncall_timeout_ms = %d\n",
		timeout.Milliseconds())
	var variables []string
	level := "debug"
	for _, e := range entries {
		if e.quiet {
			level = "info"
		}
		testkit.Need(t, e.project.programs...)
		for name, value := range e.project.env {
			variables = append(variables, name+"="+value)
		}
		e.write(t, &config)
	}
	testkit.Must(t, os.CopyFS(own, os.DirFS(testkit.ClangdHome())))
	path := filepath.Join(own, "config.toml")
	write(t, path, config.String(), 0o600)
	h := &host{log: filepath.Join(own, "log"), errs: &lockedBuffer{}}
	h.marker = fmt.Sprintf("LSPI_FAULTS_TREE=%d-%s", os.Getpid(), filepath.Base(own)+filepath.Base(filepath.Dir(own)))
	cmd := exec.Command(testkit.Program(t), "mcp", "--workspace-root", dir, "--config", path, "--log-level", level,
		"--log-file", h.log)
	// Nothing of the machine's own configuration of lspi counts. HOME stays: the servers find their tool chains by it.
	cmd.Env = append(append(os.Environ(), variables...), h.marker, "XDG_CONFIG_HOME="+own, "XDG_STATE_HOME="+own)
	cmd.Stderr = h.errs
	t.Cleanup(h.close)
	h.Host = testkit.StartHost(t, cmd)
	return h
}

func (e entry) write(t testing.TB, b *strings.Builder) {
	t.Helper()
	id := e.project.server
	fmt.Fprintf(b, "[[servers]]\nid = %q\n", id)
	if id == scripted {
		server := lsptest.NewProgram(t, e.script)
		// An adapter that waits for nothing and warns of nothing.
		var env []string
		for name, value := range server.Env {
			env = append(env, fmt.Sprintf("%s = %q", name, value))
		}
		fmt.Fprintf(b, "kind = \"generic\"\nextensions = [\"w\"]\nadapter = \"ruff\"\nenv = {%s}\n",
			strings.Join(env, ", "))
		if e.command == "" {
			e.command, e.args = server.Path, []string{server.Script}
		}
	}
	if e.command != "" {
		fmt.Fprintf(b, "command = %q\nargs = %s\n", e.command, lsptest.Raw(append([]string{}, e.args...)))
	}
	b.WriteString(e.more)
	if e.timeout > 0 {
		fmt.Fprintf(b, "request_timeout_overrides_ms = {%q = %d}\n", "textDocument/references",
			e.timeout.Milliseconds())
	}
}

// close ends lspi and whatever a broken promise left behind.
func (h *host) close() {
	if h.Host != nil { // else it has not shaken hands
		h.Close()
	}
	for _, p := range marked(h.marker) {
		p.Kill()
	}
	if text := h.errs.String(); strings.Contains(text, "DATA RACE") || strings.Contains(text, "panic:") {
		h.Errorf("lspi said:\n%s", text)
	}
}

// pending is a call whose answer may still come.
type pending struct{ *testkit.Pending }

// start sends a call of a tool.
func (h *host) start(tool string, arguments map[string]any) *pending {
	return &pending{h.Start(tool, arguments)}
}

// envelope waits for the answer of a call.
func (p *pending) envelope(t testing.TB) *reply {
	t.Helper()
	var r struct {
		Content           []struct{ Text string }
		StructuredContent json.RawMessage
	}
	raw := p.Wait(t)
	took := time.Since(p.Began)
	if err := json.Unmarshal(raw, &r); err != nil || len(r.Content) != 1 {
		t.Fatalf("%v: %.500s", err, raw)
	}
	return parse(t, r.StructuredContent, r.Content[0].Text, took)
}

func (h *host) call(tool string, arguments map[string]any) *reply {
	h.Helper()
	return h.start(tool, arguments).envelope(h)
}

// status is the state of one server.
func (h *host) status(server string) serverStatus {
	h.Helper()
	for _, s := range h.call("get_server_status", map[string]any{"server_id": server}).Servers {
		return s
	}
	return serverStatus{}
}

// sent counts the requests of a method that lspi has sent to its servers.
func (h *host) sent(method string) int {
	raw, _ := os.ReadFile(h.log)
	n := 0
	for line := range bytes.Lines(raw) {
		if bytes.Contains(line, []byte(`"type":"send-request"`)) &&
			bytes.Contains(line, []byte(`"method":"`+method+`"`)) {
			n++
		}
	}
	return n
}

// lockedBuffer is a buffer that a process writes and a test reads.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
