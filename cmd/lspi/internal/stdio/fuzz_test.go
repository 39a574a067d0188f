package stdio

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"lspi/cmd/lspi/internal/mcpserver"
	"lspi/internal/source"
	"lspi/internal/testkit"
	"lspi/router"
	"lspi/tools/session"
)

// fuzzedHost is a session in this process on an empty workspace, where no server is known.
type fuzzedHost struct {
	in    io.WriteCloser
	lines chan []byte // of stdout
	ended chan error
}

func newFuzzedHost(t *testing.T, dir string) *fuzzedHost {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	process := &session.Process{Texts: source.NewCache(1 << 20), Files: source.OS{}, Log: log}
	service := mcpserver.NewService(mcpserver.ServiceOptions{Log: log,
		Open: func(ctx context.Context, _ []string) (*session.Session, error) {
			w, err := process.Open("", &router.Table{Workspace: dir}, router.PoolOptions{})
			return &session.Session{Workspace: w}, err
		}})
	in, toLspi := io.Pipe()
	fromLspi, out := io.Pipe()
	h := &fuzzedHost{in: toLspi, lines: make(chan []byte, 10_000), ended: make(chan error, 1)}
	go func() {
		defer close(h.lines)
		dec := json.NewDecoder(fromLspi)
		for {
			var line json.RawMessage
			if err := dec.Decode(&line); err != nil {
				if !errors.Is(err, io.EOF) {
					t.Errorf("on stdout: %v", err)
				}
				return
			}
			h.lines <- line
		}
	}()
	go func() {
		cause := make(chan error, 10)
		_ = service.Run(context.Background(), NewConn(in, out, func(err error) { cause <- err }, log))
		service.Close(ErrHostLeft)
		out.Close()
		h.ended <- <-cause
	}()
	return h
}

// fuzzLimit is far longer than anything takes.
const fuzzLimit = 20 * time.Second

// FuzzHost sends one line to a session that has shaken hands, then a ping: whatever the line was, stdout has JSON-RPC
// only, a request is answered once and by its id, the ping is answered, and the session ends with its input.
func FuzzHost(f *testing.F) {
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":`
	for _, seed := range []string{
		"", " ", "junk", "{", "{}", "[]", "null", "7", `"x"`, `{"jsonrpc":"2.0"}`,
		`{"jsonrpc":"1.0","id":1,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":"x","method":"tools/list","params":{}}`,
		`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, `{"jsonrpc":"2.0","id":null,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":[],"method":"ping"}`,
		`{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
		`{"jsonrpc":"2.0","method":"tools/call"}`,
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`,
		`{"jsonrpc":"2.0","id":1,"method":"unknown/method","params":[1]}`,
		call + `{"name":"hover","arguments":{"symbol_name":"x"}}}`,
		call + `{"name":"hover","arguments":"x","_meta":{"progressToken":7}}}`,
		call + `{"name":7}}`, call + `null}`, call + `[]}`, call + `{"name":"get_current_config","arguments":{}}}`,
		call + `{"name":"none","arguments":{"a":[{}]}}}`,
		call + `{"name":"find_references","arguments":{"file_path":"a.go","line":1e400}}}`,
		call + "{\"name\":\"hover\",\"arguments\":{\"symbol_name\":\"\xff\"}}}",
		`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"},7,{"jsonrpc":"2.0","method":"notifications/initialized"}]`,
		`[[]]`, `{"jsonrpc":"2.0","id":1,"method":"ping"}{"jsonrpc":"2.0","id":2,"method":"ping"}`,
		"{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"ping\"}",
		`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"ping","id":2}`,
		`{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"debug"}}`,
	} {
		f.Add([]byte(seed))
	}
	dir := f.TempDir()
	testkit.Must(f, os.WriteFile(filepath.Join(dir, "a.go"), []byte("package a\n"), 0o600))
	f.Fuzz(func(t *testing.T, line []byte) {
		if bytes.ContainsAny(line, "\n\r") || bytes.Contains(line, []byte("the end")) ||
			bytes.Contains(line, []byte("the beginning")) {
			return // it is about one line, and about ids of its own
		}
		h := newFuzzedHost(t, dir)
		h.send(t, `{"jsonrpc":"2.0","id":"the beginning","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"f","version":"1"}}}`)
		h.until(t, `"the beginning"`)
		h.send(t, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		h.send(t, string(line))
		if id := requestID(line); id != "" {
			h.until(t, id)
		}
		h.send(t, `{"jsonrpc":"2.0","id":"the end","method":"ping"}`)
		h.until(t, `"the end"`)
		_ = h.in.Close()
		select {
		case err := <-h.ended:
			if !errors.Is(err, ErrHostLeft) {
				t.Errorf("it ended with %v", err)
			}
		case <-time.After(fuzzLimit):
			t.Fatal("it does not end")
		}
		for range h.lines { // what is left has to be JSON, too
		}
	})
}

// requestID is the id of a line that is a request as the SDK understands it; "" for anything else.
func requestID(line []byte) string {
	m, wrong := decodeMessage(bytes.TrimSpace(line))
	if wrong != nil {
		return ""
	}
	r, ok := m.(*jsonrpc.Request)
	if !ok || !r.IsCall() {
		return ""
	}
	id, _ := json.Marshal(r.ID.Raw())
	return string(id)
}

func (h *fuzzedHost) send(t *testing.T, line string) {
	t.Helper()
	if _, err := io.WriteString(h.in, strings.TrimRight(line, "\n")+"\n"); err != nil {
		t.Fatal(err)
	}
}

// until reads stdout up to the answer with an id.
func (h *fuzzedHost) until(t *testing.T, id string) {
	t.Helper()
	limit := time.NewTimer(fuzzLimit)
	defer limit.Stop()
	for {
		select {
		case line, ok := <-h.lines:
			if !ok {
				t.Fatalf("stdout ended before the answer to %s", id)
			}
			if h.answers(t, line, id) {
				return
			}
		case <-limit.C:
			t.Fatalf("no answer to %s", id)
		}
	}
}

// answers reports whether a line of stdout is the answer to an id; any line has to be a message or a batch of them.
func (h *fuzzedHost) answers(t *testing.T, line []byte, id string) bool {
	type message struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  string          `json:"method"`
		Result  json.RawMessage `json:"result"`
		Error   json.RawMessage `json:"error"`
	}
	var all []message
	var one message
	if json.Unmarshal(line, &one) == nil {
		all = []message{one}
	} else if err := json.Unmarshal(line, &all); err != nil || len(all) == 0 {
		t.Fatalf("no message: %s", line)
	}
	found := false
	for _, m := range all {
		if m.JSONRPC != "2.0" || m.Method == "" && (m.Result == nil) == (m.Error == nil) {
			t.Errorf("no message of JSON-RPC: %s", line)
		}
		var given, want any
		if json.Unmarshal(m.ID, &given) == nil && json.Unmarshal([]byte(id), &want) == nil && m.Method == "" &&
			given == want {
			found = true
		}
	}
	return found
}
