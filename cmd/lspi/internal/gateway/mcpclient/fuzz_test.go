package mcpclient

import (
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"lspi/internal/testkit"
)

// Whatever a server writes, the SDK sees messages, and is given an event stream as it was sent.
func FuzzReceive(f *testing.F) {
	for _, s := range []string{`{"jsonrpc":"2.0","id":1,"result":{}}`, `{"id":"1","error":{"code":1}}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"1"}}`,
		`[{"id":1},{"method":"ping","id":2}]`, "data: {\"id\":1}\n\n", `{"method":null,"id":{}}`, "\xff\n\n7",
		`{"jsonrpc":"2.0","id":1,"result":{"a":"\ud83d"}}`} {
		f.Add(s)
	}
	c, err := New(Spec{ID: "x", Command: "x"}, Host{}, Options{})
	testkit.Must(f, err)
	f.Fuzz(func(t *testing.T, text string) {
		of := &tap{c: c, calls: map[int64]*pending{1: {method: "tools/call", token: 1}}}
		s := newStream(of, onlyRead{strings.NewReader(text)}, 1<<10, func(error) {})
		for {
			m, err := s.Read(t.Context())
			if err != nil {
				break
			}
			if r, ok := m.(*jsonrpc.Request); ok && r.IsCall() {
				<-s.asked
			}
			if _, err := jsonrpc.EncodeMessage(m); err != nil {
				t.Errorf("%q: %v", text, err)
			}
		}
		s.done.Wait()
		out, err := io.ReadAll(&events{ReadCloser: onlyRead{strings.NewReader(text)}, tap: of, limit: 1 << 10})
		if err != nil || string(out) != text {
			t.Errorf("%q became %q: %v", text, out, err)
		}
	})
}

// onlyRead is a stream that nobody reads from.
type onlyRead struct{ io.Reader }

func (onlyRead) Write(b []byte) (int, error) { return len(b), nil }
func (onlyRead) Close() error                { return nil }

// Whatever a server answers, a host gets what it can decode.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{`{"content":[{"text":"a"}]}`, `[1]`, `{"messages":[{"content":"x"}]}`,
		`{"contents":{}}`, `{"content":[{"type":"image","data":"*"}],"structuredContent":7}`,
		`{"name":"x","inputSchema":{"type":"object"},"annotations":7}`, `{"uri":"a:b","size":"x"}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		raw := json.RawMessage(s)
		if !json.Valid(raw) {
			return
		}
		if shown, decoded, _ := decodeTool(raw, nil); decoded == nil || !json.Valid(shown) {
			t.Errorf("%q: %q", s, shown)
		}
		toolsOf([]json.RawMessage{raw, raw}, "id")
		promptsOf([]json.RawMessage{raw}, "id")
		resourcesOf([]json.RawMessage{raw})
		templatesOf([]json.RawMessage{raw})
	})
}
