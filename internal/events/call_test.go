package events

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lspi/internal/testkit"
)

// spoken has one request of a host go the whole way.
func spoken(r *Recorder) {
	ctx, call := r.Begin(context.Background(), Request{ID: json.RawMessage(`"id-1"`), Host: "codex",
		Method: "tools/call", Tool: "hover",
		Arguments: json.RawMessage(`{"file_path": "a.go", "api_token": "swordfish-1"}`)})
	asked := From(ctx).Ask(Question{Provider: LSP, Server: "gopls", Method: "textDocument/hover",
		Params: json.RawMessage(`{"position": {"line": 1}}`)})
	asked.End(Reply{Bytes: 3, Result: json.RawMessage(`{"contents": "swordfish-1 and sesame"}`)})
	asked = call.Ask(Question{Provider: MCP, Server: "files", Method: "tools/call", Name: "read",
		Params: json.RawMessage(`{"key": "k"}`)})
	asked.End(Reply{Error: "undecodable", Message: `no "sesame"`, Undecoded: `content 0 has no "type"`, Bytes: 2,
		Result: json.RawMessage(`{"a": "sesame"}`)})
	call.End(Answer{Error: "read_only", Denied: true, Preset: "look", Message: "not swordfish-1", Bytes: 9,
		Result: func() []byte {
			return []byte(`{"ok": false}`)
		}})
}

func spokenTo(t *testing.T, debug bool) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "events")
	r := recorder(t, &Files{}, Options{Path: path, Debug: func() bool { return debug },
		Mask: func(s string) string { return strings.ReplaceAll(s, "sesame", hidden) }})
	spoken(r)
	r.Close()
	raw, err := os.ReadFile(path)
	testkit.Must(t, err)
	for _, secret := range []string{"swordfish-1", "sesame", `"k"`} {
		if strings.Contains(string(raw), secret) {
			t.Errorf("%s is in %s", secret, raw)
		}
	}
	for _, l := range read(t, path) {
		if l.Session == "" || l.Request != 1 || string(l.ID) != `"id-1"` || l.Host != "codex" || l.Tool != "hover" ||
			l.Method == "" {
			t.Errorf("%+v", l)
		}
	}
	return string(raw)
}

func TestCall(t *testing.T) {
	raw := spokenTo(t, false)
	for _, said := range []string{"arguments", "result", "message", "file_path", "type"} {
		if strings.Contains(raw, `"`+said+`"`) {
			t.Errorf("%s is in %s", said, raw)
		}
	}
	var kinds []string
	for text := range strings.Lines(raw) {
		var l line
		testkit.Must(t, json.Unmarshal([]byte(text), &l))
		kinds = append(kinds, string(l.Event))
	}
	testkit.Diff(t, kinds, []string{"host.request", "server.request", "server.response", "server.request",
		"decode.failed", "server.error", "tool.denied", "host.error"})
	testkit.Holds(t, raw, `"provider":"mcp","server":"files","name":"read","call":2,`)
	testkit.Holds(t, raw, `"reason":"content 0 has no …"`)
}

func TestCallAtDebug(t *testing.T) {
	raw := spokenTo(t, true)
	for _, said := range []string{`"arguments":{"file_path":"a.go","api_token":"***"}`,
		`"arguments":{"position":{"line":1}}`, `"result":{"contents":"*** and ***"}`,
		`"arguments":{"key":"***"}`, `"message":"no \"***\""`, `"reason":"content 0 has no \"type\""`,
		`"message":"not ***"`, `"result":{"ok":false}`} {
		testkit.Holds(t, raw, said)
	}
}

// A value of the configuration that is a word of an interface is hidden in what is said, and not in the members
// whose words are lspi's or a tool's.
func TestNamesAreNotMasked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "events")
	r := recorder(t, &Files{}, Options{Path: path, Debug: func() bool { return true },
		Mask: func(s string) string {
			return strings.NewReplacer("file", hidden, "tools", hidden, "refused", hidden).Replace(s)
		}})
	ctx, call := r.Begin(t.Context(), Request{Host: "tools", Method: "tools/call", Tool: "files__get_file_info",
		Arguments: json.RawMessage(`{"is":"a file"}`)})
	asked := From(ctx).Ask(Question{Provider: MCP, Server: "files", Method: "tools/call", Name: "get_file_info",
		Params: json.RawMessage(`["file"]`)})
	asked.End(Reply{Error: "refused", Message: "no file", Result: json.RawMessage(`"of a file"`)})
	call.End(Answer{Error: "refused", Message: "bad file"})
	for _, outside := range [][]string{{}, {"of file 7"}, {"of file 8"}} { // the last one was cut
		_, call = r.Begin(t.Context(), Request{Method: "tools/call"})
		call.Ask(Question{Provider: MCP}).End(Reply{Error: "refused", Message: "the file: of file 7", Outside: outside})
		call.End(Answer{Error: "refused", Message: "the tools refused: the file: of file 7"})
	}
	_, call = r.Begin(t.Context(), Request{Method: "resources/read", Tool: "memo://file/1?token=abcdef"})
	call.Ask(Question{Provider: MCP, Server: "files", Method: "resources/read",
		Name: "memo://file/1?token=abcdef"}).End(Reply{})
	call.End(Answer{})
	r.Close()
	raw, err := os.ReadFile(path)
	testkit.Must(t, err)
	for i, l := range read(t, path) {
		if i < 4 && (l.Host != "tools" || l.Tool != "files__get_file_info" || l.Method != "tools/call") {
			t.Errorf("%+v", l)
		}
	}
	for _, said := range []string{`"server":"files","name":"get_file_info"`, `"error":"refused"`,
		`"arguments":{"is":"a ***"}`, `"arguments":["***"]`, `"result":"of a ***"`,
		`"message":"the file: of file 7"`, `"message":"the tools refused: the file: of file 7"`,
		`"message":"the file: of *** 7"`, `"message":"the tools refused: the file: of *** 7"`,
		`"message":"the ***: of *** 7"`, `"message":"the *** ***: the ***: of *** 7"`,
		`"message":"no ***"`, `"message":"bad ***"`, `"tool":"memo://***/1?token=***"`,
		`"name":"memo://***/1?token=***"`} {
		testkit.Holds(t, string(raw), said)
	}
	if strings.Contains(string(raw), "memo://file") {
		t.Errorf("a URI is not masked: %s", raw)
	}
}

// Nobody records: nothing is done.
func TestNobody(t *testing.T) {
	files := &Files{}
	for _, r := range []*Recorder{nil, files.Recorder()} {
		ctx, call := r.Begin(t.Context(), Request{})
		if ctx != t.Context() || call != nil || From(ctx) != nil {
			t.Error("somebody records")
		}
		call.Ask(Question{}).End(Reply{})
		call.DecodeFailed(Undecoded{})
		call.End(Answer{Denied: true})
		r.DecodeFailed(Undecoded{})
	}
}

// No line is longer than its bound, whatever hosts and servers say.
func TestLongLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "events")
	r := recorder(t, &Files{}, Options{Path: path, Debug: func() bool { return true }})
	long := strings.Repeat("\u0001é\"", 1<<20)
	quoted, err := json.Marshal(long)
	testkit.Must(t, err)
	_, call := r.Begin(t.Context(), Request{ID: quoted, Host: long, Method: long, Tool: long, Arguments: quoted})
	call.Ask(Question{Server: long, Method: long, Name: long, Params: quoted[:1000]}).End(Reply{Error: long,
		Message: long, Undecoded: long, Result: []byte(long)})
	call.Ask(Question{Params: json.RawMessage(`"` + strings.Repeat("x", maxValue+10) + `"`)}).End(
		Reply{Result: []byte(strings.Repeat("\u0001", maxValue))})
	call.End(Answer{Error: long, Preset: long, Message: long, Denied: true, Result: func() []byte {
		return []byte(long)
	}})
	r.Close()
	raw, err := os.ReadFile(path)
	testkit.Must(t, err)
	for text := range strings.Lines(string(raw)) {
		if len(text) > maxLine {
			t.Errorf("%d bytes: %.300s", len(text), text)
		}
	}
	cuts := 0
	for _, l := range read(t, path) {
		if l.Cut > 0 {
			cuts++
		}
	}
	testkit.Equal(t, cuts, 6)
}

func BenchmarkNobody(b *testing.B) {
	type key int
	ctx := context.Background()
	for i := range 10 { // as a call of a tool has them
		ctx = context.WithValue(ctx, key(i), i)
	}
	b.ReportAllocs()
	for b.Loop() {
		From(ctx).Ask(Question{}).End(Reply{})
	}
}

func BenchmarkAsk(b *testing.B) {
	r := (&Files{}).Recorder()
	testkit.Must(b, r.Follow(Options{Path: filepath.Join(b.TempDir(), "events")}))
	b.Cleanup(r.Close)
	ctx, _ := r.Begin(context.Background(), Request{Host: "codex", Method: "tools/call", Tool: "hover"})
	b.ReportAllocs()
	for b.Loop() {
		From(ctx).Ask(Question{Provider: LSP, Server: "gopls", Method: "textDocument/hover"}).End(Reply{Bytes: 100})
	}
}
