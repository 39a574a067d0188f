package lsp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.lsp.dev/uri"

	"lspi/internal/source"
	"lspi/internal/testkit"
	"lspi/lsp/spec"
	"lspi/lsp/wire"
)

// The border to a server: whatever JSON it answers with comes out as what it says or as an error, never as a panic, a
// wait without end, or an answer that silently holds less.

// echo is the other end of a connection that answers every request with the same result.
type echo struct{ result atomic.Pointer[[]byte] }

func (e *echo) serve(conn net.Conn) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	for {
		header, err := textproto.NewReader(in).ReadMIMEHeader()
		if err != nil {
			return
		}
		n, _ := strconv.Atoi(header.Get("Content-Length"))
		body := make([]byte, n)
		if _, err := io.ReadFull(in, body); err != nil {
			return
		}
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		if json.Unmarshal(body, &m) != nil || m.ID == nil || m.Method == "" {
			continue
		}
		answer := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, *e.result.Load())
		if _, err := fmt.Fprintf(conn, "Content-Length: %d\r\n\r\n%s", len(answer), answer); err != nil {
			return
		}
	}
}

// echoed is a server with one file, and what decides on its answers.
func echoed(f *testing.F) (s *Server, path string, e *echo) {
	f.Helper()
	dir := f.TempDir()
	path = filepath.Join(dir, "a.w")
	testkit.Must(f, os.WriteFile(path, []byte("def Löad\n  Parse 𝒳 Load\nlast"), 0o600))
	s = silent(&spec.Spec{ID: "fake", Freshness: spec.Freshness{QueryClosed: true},
		Diagnostics: spec.Diagnostics{Pull: true}})
	s.folders.root, s.folders.list, s.encoding = dir, []string{dir}, source.UTF16
	caps := map[string]json.RawMessage{}
	for _, provider := range providers {
		if caps[provider] == nil {
			caps[provider] = json.RawMessage("true")
		}
	}
	s.capabilities.set(caps)
	ours, theirs := net.Pipe()
	e = &echo{}
	go e.serve(theirs)
	s.wire = wire.New(ours, wire.Options{Request: s.requests.answer, Notification: s.requests.hear})
	f.Cleanup(func() { _ = s.wire.Close() })
	return s, path, e
}

// answered is what came of a question: how many things, and the field of the answer that holds them; "" for an answer
// that is the list itself.
type answered struct {
	things int
	field  string
}

// questions ask for everything that lspi decodes itself.
var questions = []func(ctx context.Context, s *Snapshot, path string) (answered, error){
	func(ctx context.Context, s *Snapshot, path string) (answered, error) {
		out, err := s.Locate(ctx, MethodDefinition, path, at(1, 5))
		return answered{len(out), ""}, err
	},
	func(ctx context.Context, s *Snapshot, path string) (answered, error) {
		out, err := s.References(ctx, path, at(1, 5), true)
		return answered{len(out), ""}, err
	},
	func(ctx context.Context, s *Snapshot, path string) (answered, error) {
		out, _, err := s.DocumentSymbols(ctx, path)
		s.symbols.clear()
		return answered{len(out), ""}, err
	},
	func(ctx context.Context, s *Snapshot, _ string) (answered, error) {
		out, _, err := s.WorkspaceSymbols(ctx, "q")
		return answered{len(out), ""}, err
	},
	func(ctx context.Context, s *Snapshot, path string) (answered, error) {
		out, err := s.PrepareHierarchy(ctx, MethodCallHierarchy, path, at(1, 5))
		return answered{len(out), ""}, err
	},
	func(ctx context.Context, s *Snapshot, path string) (answered, error) {
		item := HierarchyItem{raw: json.RawMessage(`{"name":"x","uri":"` + string(uri.File(path)) + `"}`)}
		out, err := s.IncomingCalls(ctx, item)
		return answered{len(out), ""}, err
	},
	func(ctx context.Context, s *Snapshot, path string) (answered, error) {
		item := HierarchyItem{raw: json.RawMessage(`{"name":"x","uri":"` + string(uri.File(path)) + `"}`)}
		out, err := s.OutgoingCalls(ctx, item)
		return answered{len(out), ""}, err
	},
	func(ctx context.Context, s *Snapshot, _ string) (answered, error) {
		out, err := s.Types(ctx, "typeHierarchy/subtypes", HierarchyItem{raw: json.RawMessage(`{}`)})
		return answered{len(out), ""}, err
	},
	func(ctx context.Context, s *Snapshot, path string) (answered, error) {
		h, err := s.Hover(ctx, path, at(1, 5))
		if h == nil {
			return answered{0, "contents"}, err
		}
		return answered{1, "contents"}, err
	},
	func(ctx context.Context, s *Snapshot, path string) (answered, error) {
		d := &Diagnosis{}
		err := s.diagnostics.pull(ctx, path, d)
		return answered{counted(d), "items"}, err
	},
}

func counted(d *Diagnosis) (n int) {
	for _, r := range d.Reports {
		n += len(r.Findings) + r.More
	}
	return n
}

func FuzzAnswers(f *testing.F) {
	s, path, e := echoed(f)
	file := string(uri.File(path))
	location := `{"uri":"` + file + `","range":` + rng(0, 4, 0, 8) + `}`
	symbol := `{"name":"Löad","kind":12,"range":` + rng(0, 0, 0, 8) + `,"selectionRange":` + rng(0, 4, 0, 8)
	item := symbol + `,"uri":"` + file + `","data":{"x":1}}`
	for _, seed := range []string{
		`null`, `[]`, `{}`, `7`, `"x"`, `[null]`, `[{}]`, `[[]]`, location, `[` + location + `,` + location + `]`,
		`[{"targetUri":"` + file + `","targetRange":` + rng(0, 0, 1, 3) + `,"targetSelectionRange":` +
			rng(0, 4, 0, 8) + `}]`,
		`[{"uri":"` + file +
			`","range":{"start":{"line":-1,"character":1e30},"end":{"line":0.5,"character":4294967296}}}]`,
		`[{"uri":"jdt://x","range":` + rng(0, 0, 0, 0) + `}]`, `[{"uri":"","range":` + rng(0, 0, 0, 0) + `}]`,
		`[` + symbol + `,"detail":"d","children":[` + symbol + `}]}]`, `[{"name":"Löad","kind":12,"location":` +
			location + `,"containerName":"C"}]`,
		`[{"name":"Löad","kind":5,"location":{"uri":"` + file + `"}}]`, `[` + item + `]`, `[{"from":` + item +
			`,"fromRanges":[` + rng(1, 8, 1, 10) + `]}]`,
		`[{"to":` + item + `,"fromRanges":[]}]`, `{"contents":{"kind":"markdown","value":"**x**"},"range":` +
			rng(0, 4, 0, 8) + `}`,
		`{"contents":"x"}`, `{"contents":["x",{"language":"go","value":"y"}]}`, `{"contents":[]}`, `{"contents":7}`,
		`{"kind":"full","items":[{"range":` + rng(0, 4, 0, 8) +
			`,"severity":1,"code":"E1","source":"s","message":"m","tags":[1]}]}`,
		`{"kind":"unchanged","resultId":"1"}`,
		`{"items":[{"range":{"start":{"line":-1,"character":0},"end":{"line":0,"character":0}},"message":"m"}]}`,
	} {
		for q := range questions {
			f.Add(uint8(q), []byte(seed))
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, result []byte) {
		if !json.Valid(result) {
			return // which is the stream's matter
		}
		e.result.Store(&result)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		snapshot, err := s.Snapshot(ctx, s.Root(), s.Status())
		testkit.Must(t, err)
		got, err := questions[int(which)%len(questions)](ctx, snapshot, path)
		if ctx.Err() != nil {
			t.Fatal("it hangs")
		}
		if err != nil {
			return
		}
		switch n := items(result, got.field); {
		case got.field == "contents" && got.things == 0 && n > 0 && spoken.Match(result):
			t.Error("nothing of what it says")
		// names of fields count in any case
		case got.field == "" && got.things != n, got.field != "contents" && got.things < n:
			t.Errorf("%d things of %d", got.things, n)
		}
	})
}

// spoken is what a hover may say.
var spoken = regexp.MustCompile(`"contents"\s*:\s*("[a-z]|\[\s*"[a-z]|[0-9])`)

// items is the number of items in a field of an answer, or in an answer that is a list; a single thing is one.
func items(result []byte, field string) int {
	if field != "" {
		var fields map[string]json.RawMessage
		_ = json.Unmarshal(result, &fields)
		result = fields[field]
	}
	var list []json.RawMessage
	switch text := strings.TrimSpace(string(result)); {
	case text == "" || text == "null":
		return 0
	case json.Unmarshal(result, &list) == nil:
		return len(list)
	}
	return 1
}

// FuzzTold feeds what a server says by itself: notifications and requests of its own.
func FuzzTold(f *testing.F) {
	methods := []string{"$/progress", "experimental/serverStatus", "textDocument/publishDiagnostics",
		"window/logMessage",
		"window/showMessage", "workspace/configuration", "client/registerCapability", "client/unregisterCapability",
		"workspace/applyEdit", "workspace/workspaceFolders", "window/workDoneProgress/create", "window/showDocument",
		"other/thing"}
	for i := range methods {
		for _, seed := range []string{
			``, `null`, `{}`, `[]`, `7`, `{"token":1,"value":{"kind":"begin","title":"t","percentage":3}}`,
			`{"token":"x","value":{"kind":"end"}}`,
			`{"token":{"a":1},"value":{"kind":"report","percentage":"x","message":7}}`,
			`{"health":"ok","quiescent":true}`,
			`{"uri":"file:///a.w","version":1,"diagnostics":[{"range":` + rng(0, 0, 0, 1) + `,"message":"m"}]}`,
			`{"uri":"file:///a.w","version":1.5,"diagnostics":null}`, `{"type":4,"message":"m"}`,
			`{"items":[{"section":"a.b"},{}]}`, `{"items":[null]}`,
			`{"registrations":[{"id":"1","method":"workspace/didChangeWatchedFiles","registerOptions":{"watchers":[{"globPattern":"**/*.{a,b}","kind":7},{"globPattern":{"baseUri":"file:///a","pattern":"[!x]"}}]}}]}`,
			`{"unregisterations":[{"id":"1","method":"workspace/didChangeWatchedFiles"}]}`,
		} {
			f.Add(uint8(i), []byte(seed))
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, params []byte) {
		if len(params) > 0 && !json.Valid(params) {
			return
		}
		spec := &spec.Spec{ID: "fake", Settings: map[string]any{"a": map[string]any{"b": 1}},
			Readiness:   spec.Readiness{Sign: spec.SignProgress, Tokens: []string{"t"}},
			Diagnostics: spec.Diagnostics{Check: &spec.Check{Token: "x"}}}
		s := silent(spec)
		s.diagnostics.check = newCheckRun(spec.Diagnostics.Check)
		method := methods[int(which)%len(methods)]
		s.requests.hear(method, params)
		if out, err := s.requests.answer(t.Context(), method, params); err == nil {
			if _, err := json.Marshal(out); err != nil {
				t.Error(err)
			}
		}
		for _, list := range s.capabilities.watchers() {
			for _, w := range list {
				w.matches("/a/b/c.go")
			}
		}
		if p, ok := s.diagnostics.store.get("/a.w"); method == "textDocument/publishDiagnostics" && ok &&
			len(p.items)+p.more < items(params, "diagnostics") {
			t.Errorf("%d and %d diagnostics", len(p.items), p.more)
		}
		status := s.Status()
		if status.Percent < -1 || status.Percent > 100 {
			t.Errorf("%+v", status)
		}
	})
}

// FuzzInitialize feeds answers to initialize.
func FuzzInitialize(f *testing.F) {
	for _, seed := range []string{
		`null`, `{}`, `[]`, `{"capabilities":null}`,
		`{"capabilities":{"positionEncoding":"utf-8","hoverProvider":{},"definitionProvider":false,"referencesProvider":null}}`,
		`{"capabilities":{"positionEncoding":7,"executeCommandProvider":{"commands":["a",7]}},"serverInfo":{"name":"x","version":"v1.2.3"}}`,
		`{"capabilities":{"executeCommandProvider":true},"serverInfo":"x"}`, `{"serverInfo":{"version":{"a":1}}}`,
		`{"serverInfo":{"version":"{\"Main\":{\"Version\":\"v0.23.0\"}}"}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, answer []byte) {
		result, err := parseInitialize(answer)
		if err != nil {
			return
		}
		var o capabilities
		o.set(result.Capabilities)
		o.methods()
		o.executes("a")
		_ = source.ParseEncoding(o.text("positionEncoding"))
		if v := ShortVersion(text(result.ServerInfo.Version)); len(v) > 2*maxVersion {
			t.Errorf("a version of %d bytes", len(v))
		}
	})
}
