package wire

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"go.lsp.dev/jsonrpc2"
)

// FuzzStream feeds arbitrary output of a server: the decoder ends, hands on nothing that is not JSON, and finds the
// message that follows unless the output contained something like a header.
func FuzzStream(f *testing.F) {
	for _, seed := range []string{
		"", "junk\n", framed(`{"method":"a","params":[1]}`), framed(`{"id":1,"result":1}`),
		framed(`[{"id":1},{"method":"b"}]`),
		framed(`{"id":"1","error":{"code":1.5}}`), "Content-Length: 40\r\n\r\n{}" + framed(`{"method":"x"}`),
		"content-length:3\n\n{}\n",
		"Content-Length: 5000\r\n\r\n{\"id\":1,\"result\":[", framed("{\"method\":\"\xff\"}"),
		framed(`{"id":3,"method":"r"}`), "Content-Length: 1\r\n",
	} {
		f.Add([]byte(seed))
	}
	looksLikeHeader := regexp.MustCompile(`(?i)content-length`)
	f.Fuzz(func(t *testing.T, output []byte) {
		last := framed(`{"method":"last message"}`)
		s := newStream(duplex{strings.NewReader(string(output) + last), writerFunc(func(b []byte) (int, error) {
			return len(b), nil
		}), func() error { return nil }},
			Options{Log: discard, MaxMessage: 2000, QueueBytes: 1 << 20})
		found := false
		for {
			m, _, err := s.Read(t.Context())
			if err != nil {
				break
			}
			switch m := m.(type) {
			case *jsonrpc2.Response:
				if m.Err() == nil && !json.Valid(m.Result()) {
					t.Errorf("result %q", m.Result())
				}
			case jsonrpc2.RequestMessage:
				if p := m.Params(); p != nil && !json.Valid(p) {
					t.Errorf("params %q", p)
				}
				found = m.Method() == "last message"
			}
		}
		if !found && !looksLikeHeader.Match(output) {
			t.Errorf("lost the message behind %q", output)
		}
		<-s.rwcClosed
		<-s.out.done
	})
}
