package wire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"testing"

	"lspi/internal/testkit"
)

var discard = slog.New(slog.DiscardHandler)

// echo answers every call with the same result, over pipes in process.
func echo(b *testing.B, result []byte) *Conn {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	go func() {
		in := bufio.NewReader(inR)
		var out []byte
		for id := 1; ; id++ {
			var n int
			if _, err := fmt.Fscanf(in, "Content-Length: %d\r\n\r\n", &n); err != nil {
				return
			}
			in.Discard(n)
			prefix := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"result":`, id)
			out = fmt.Appendf(out[:0], "Content-Length: %d\r\n\r\n%s", len(prefix)+len(result)+1, prefix)
			out = append(append(out, result...), '}')
			outW.Write(out)
		}
	}()
	c := New(duplex{outR, inW, func() error { inW.Close(); return outR.Close() }}, Options{})
	b.Cleanup(func() { c.Close() })
	return c
}

func BenchmarkCall(b *testing.B) {
	location := `{"uri":"file:///home/u/project/internal/server/server.go","range":{"start":{"line":1204,"character":17},"end":{"line":1204,"character":25}}}`
	many := []byte("[" + string(bytes.Repeat([]byte(location+","), 9999)) + location + "]")
	for _, bench := range []struct {
		name   string
		result []byte
	}{{"small", []byte(`{"a":1}`)}, {"1.4MB", many}} {
		b.Run(bench.name, func(b *testing.B) {
			c := echo(b, bench.result)
			params := map[string]any{"textDocument": map[string]string{"uri": "file:///a.go"}}
			b.ReportAllocs()
			b.SetBytes(int64(len(bench.result)))
			for b.Loop() {
				var raw json.RawMessage
				testkit.Must(b, c.Call(b.Context(), "textDocument/references", params, &raw))
			}
		})
	}
}
