//go:build linux

package hosts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// traceVariable names a folder for the requests to the model, for who adds a host.
const traceVariable = "LSPI_HOSTS_TRACE"

// outputOnly is a field of an output schema that no text and no answer of these tests has.
const outputOnly = "more_incoming"

// question is one call that the stand-in makes.
type question struct {
	name      string // of the column of docs/hosts.md
	tool      string
	arguments map[string]any
	want      []string // that the model has to get
}

// model stands in for a host's model: it calls the tools of a script, one after the other, and keeps what it gets.
type model struct {
	*httptest.Server
	testing.TB
	script []question
	// play continues the script by what a request holds; false at its end. nil for none; nobody writes it behind the start
	play func(body []byte) (question, bool)

	mu       sync.Mutex
	next     int               // question of the script; guarded by mu
	got      map[int]string    // what the model got for each; guarded by mu
	system   string            // all that is not an answer of a tool; guarded by mu
	tools    map[string]string // descriptions by name, as the host shows them; guarded by mu
	first    []string          // names of the tools that the first request with tools has; guarded by mu
	searched map[string]bool   // tools that were looked for; guarded by mu
	refused  map[string]bool   // hosts on the network that were asked for; guarded by mu
	outputs  bool              // it was shown output schemas; guarded by mu
	waitsFor string            // what a hook says; nobody writes it behind the start
	hooked   bool              // it was told waitsFor; guarded by mu
	unwanted string            // what no hook may say; nobody writes it behind the start
	misled   bool              // it was told unwanted; guarded by mu
	requests []string          // method and path, for a run that went wrong; guarded by mu
}

// turn is one request to the model, whatever its protocol.
type turn struct {
	body    []byte
	system  string
	tools   map[string]string
	results map[string]string // by id of the call
}

// reply is a call, or an end when tool is "".
type reply struct {
	id, tool  string
	arguments map[string]any
}

func newModel(t testing.TB, script []question) *model {
	m := &model{TB: t, script: script, got: map[int]string{}, tools: map[string]string{}, searched: map[string]bool{},
		refused: map[string]bool{}, waitsFor: hookSays}
	m.Server = httptest.NewServer(m)
	t.Cleanup(m.Close)
	return m
}

// ServeHTTP answers in the protocol that the path names. It refuses every request to it as a proxy.
func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodConnect || r.URL.Host != "" && r.URL.Host != strings.TrimPrefix(m.URL, "http://") {
		m.mu.Lock()
		m.refused[r.URL.Hostname()] = true
		m.mu.Unlock()
		http.Error(w, "no network in this test", http.StatusForbidden)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	m.mu.Lock()
	m.requests = append(m.requests, r.Method+" "+r.URL.Path)
	m.outputs = m.outputs || bytes.Contains(body, []byte(outputOnly))
	m.hooked = m.hooked || m.waitsFor != "" && bytes.Contains(body, []byte(m.waitsFor))
	m.misled = m.misled || m.unwanted != "" && bytes.Contains(body, []byte(m.unwanted))
	if trace := os.Getenv(traceVariable); trace != "" {
		_ = os.WriteFile(filepath.Join(trace, fmt.Sprintf("%03d.json", len(m.requests))), body, 0o600)
	}
	m.mu.Unlock()
	switch path := r.URL.Path; {
	case strings.HasSuffix(path, "/chat/completions"):
		m.chat(w, body)
	case strings.Contains(path, "enerateContent"):
		m.gemini(w, body, strings.Contains(path, "stream"))
	case strings.HasSuffix(path, "/responses"):
		m.responses(w, body)
	case strings.HasSuffix(path, "/messages"):
		m.messages(w, body)
	case strings.HasSuffix(path, "/models"):
		writeJSON(w,
			map[string]any{"object": "list", "data": []any{map[string]any{"id": "stand-in", "object": "model"}}})
	case strings.Contains(path, "ountTokens") || strings.HasSuffix(path, "/count_tokens"):
		writeJSON(w, map[string]any{"totalTokens": 100, "input_tokens": 100})
	default:
		http.NotFound(w, r)
	}
}

// answer keeps what the host sent and returns what the model does next.
func (m *model) answer(t turn) reply {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, text := range t.results {
		var n int
		if _, err := fmt.Sscanf(id, "call_%d", &n); err == nil && m.got[n] == "" {
			m.got[n] = text
		}
	}
	if len(t.tools) == 0 {
		return reply{} // a title for the session, or the like
	}
	if m.first == nil {
		m.first = slices.Sorted(maps.Keys(t.tools))
	}
	m.system += t.system
	for name, description := range t.tools {
		m.tools[name] = description
	}
	if m.play != nil && m.next == len(m.script) {
		if q, more := m.play(t.body); more {
			m.script = append(m.script, q)
		}
	}
	if m.next < len(m.script) {
		q := m.script[m.next]
		if name := nameOf(t.tools, q.tool); name != "" {
			m.next++
			return reply{fmt.Sprintf("call_%d", m.next-1), name, q.arguments}
		}
		if run := nameOf(t.tools, "run_typescript"); run != "" { // mistral-vibe: tools are functions of a namespace
			m.tools["tools.mcp_lspi."+q.tool] = ""
			m.next++
			code := fmt.Sprintf("async function main() {\n  return await tools.mcp_lspi.%s(%s);\n}", q.tool,
				asJSON(q.arguments))
			return reply{fmt.Sprintf("call_%d", m.next-1), run, map[string]any{"code": code}}
		}
		deferred := "mcp__lspi__" + q.tool
		switch search := nameOf(t.tools, "tool_search"); {
		case search == "":
			return reply{}
		case !m.searched[q.tool]:
			m.searched[q.tool] = true
			return reply{"search_" + q.tool, search, map[string]any{"query": "select:" + deferred}}
		}
		m.tools[deferred] = "" // qwen-code calls it through another tool
		m.next++
		return reply{fmt.Sprintf("call_%d", m.next-1), "tool_call",
			map[string]any{"name": deferred, "arguments": q.arguments}}
	}
	return reply{}
}

// nameOf is what the host calls a tool; "" when it shows none.
func nameOf(tools map[string]string, tool string) string {
	var names []string
	for name := range tools {
		if name == tool || strings.HasSuffix(name, "_"+tool) || strings.HasSuffix(name, "-"+tool) ||
			strings.HasSuffix(name, "."+tool) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return slices.Min(names)
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

// events writes server-sent events; each is a name, which may be empty, and its data.
func events(w http.ResponseWriter, all ...any) {
	w.Header().Set("Content-Type", "text/event-stream")
	for i := 0; i < len(all); i += 2 {
		if name := all[i].(string); name != "" {
			fmt.Fprintf(w, "event: %s\n", name)
		}
		raw, ok := all[i+1].(string)
		if !ok {
			data, _ := json.Marshal(all[i+1])
			raw = string(data)
		}
		fmt.Fprintf(w, "data: %s\n\n", raw)
	}
}

// plainText is the text of a content that is a string, or a list of parts with a text each.
func plainText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var parts []struct{ Text string }
	if json.Unmarshal(raw, &parts) != nil {
		return string(raw)
	}
	var all []string
	for _, p := range parts {
		all = append(all, p.Text)
	}
	return strings.Join(all, "\n")
}

func asJSON(v any) string {
	raw, _ := json.Marshal(v)
	return string(raw)
}
