package mcpclient

import (
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"lspi/internal/testkit"
	"lspi/mcpclient/repair"
)

// Whatever a server writes, the SDK sees messages that it can decode, and events that it takes.
func FuzzReceive(f *testing.F) {
	for _, s := range []string{`{"id":1,"result":{}}`, `{"jsonrpc":"2.0","id":"1","error":{"code":1}}`, `{"method":"notifications/progress","params":{"progressToken":"1"}}`,
		`[{"id":1},{"method":"ping","id":2}]`, `{"id":1,"error":7}`, "data: {\"id\":1}\n\n", `{"method":null,"id":{}}`, "\xff", `{"id":1e99,"result":[]}`, `{"id":1,"result":{"a":"\ud83d"}}`} {
		f.Add(s)
	}
	c, err := New(Spec{ID: "x", Command: "x"}, Host{Log: func(LogMessage) {}}, Options{})
	testkit.Must(f, err)
	f.Fuzz(func(t *testing.T, s string) {
		x := &exchange{c: c, calls: map[int64]*pending{1: {method: "tools/call", token: 1}}}
		for _, m := range x.receive([]byte(s)) {
			if _, err := jsonrpc.DecodeMessage(encode(m)); err != nil {
				t.Errorf("%q: %v", s, err)
			}
		}
		out, err := io.ReadAll(newEvents(x, io.NopCloser(strings.NewReader(s)), 1<<10))
		if err != nil {
			t.Errorf("%q: %v", s, err)
		}
		for line := range strings.Lines(string(out)) {
			if line = strings.TrimRight(line, "\n"); line != "" && !strings.Contains(line, ":") {
				t.Errorf("%q became %q", s, out)
			}
		}
	})
}

// Whatever a server answers, a host gets what it can decode.
func FuzzRepair(f *testing.F) {
	for _, s := range []string{`{"content":[{"text":"a"}]}`, `[1]`, `{"messages":[{"content":"x"}]}`, `{"contents":{}}`, `{"content":[{"type":"image","data":"*"}],"structuredContent":7}`,
		`{"name":"x","inputSchema":{"type":"object"},"annotations":7}`, `{"uri":"a:b","size":"x"}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		raw := json.RawMessage(s)
		if !json.Valid(raw) {
			return
		}
		for name, mended := range map[string]func() (json.RawMessage, bool){
			"tool":     func() (json.RawMessage, bool) { m, d, _ := repair.Tool(raw); return m, d != nil },
			"prompt":   func() (json.RawMessage, bool) { m, d, _ := repair.Prompt(raw); return m, d != nil },
			"resource": func() (json.RawMessage, bool) { m, d, _ := repair.Resource(raw, "a:b"); return m, d != nil },
		} {
			if m, ok := mended(); !ok || !json.Valid(m) {
				t.Errorf("%s of %q: %q", name, s, m)
			}
		}
		repair.Tools([]json.RawMessage{raw, raw}, 4)
		repair.Prompts([]json.RawMessage{raw}, 4)
		repair.Resources([]json.RawMessage{raw})
		repair.Templates([]json.RawMessage{raw})
	})
}
