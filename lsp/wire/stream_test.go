package wire

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"lspi/internal/testkit"
	"lspi/lsp/lsptest"
)

// Whatever comes between, the notifications around it arrive.
func TestLenientFraming(t *testing.T) {
	const a, z = `{"jsonrpc":"2.0","method":"a"}`, `{"jsonrpc":"2.0","method":"z"}`
	tests := []struct {
		name string
		raw  string
		want string
	}{
		{"two in one write", framed(a) + framed(z), "a z"},
		{"junk line before", "Starting server...\n" + framed(a), "a"},
		{"junk without newline", "debug: " + framed(a), "a"},
		{"junk between", framed(a) + "oops\r\n\r\noops" + framed(z), "a z"},
		{"LF only", "Content-Length: 30\n\n" + a + framed(z), "a z"},
		{"lower case", "content-length: 30\r\n\r\n" + a, "a"},
		{"spaces", "Content-Length :  30  \r\n\r\n" + a, "a"},
		{"content type first",
			"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: 30\r\n\r\n" + a, "a"},
		{"content type last",
			"Content-Length: 30\r\nContent-Type: application/vscode-jsonrpc; charset=utf8\r\nX-Y: z\r\n\r\n" + a, "a"},
		{"half a header, then a good one", "Content-Length: 99\r\nContent-Length: 30\r\n\r\n" + a, "a"},
		{"no number", "Content-Length: many\r\n\r\n" + framed(a), "a"},
		{"negative", "Content-Length: -5\r\n\r\n" + framed(a), "a"},
		{"unbelievable", "Content-Length: 99999999999999999999\r\n\r\nContent-Length: 9999999999999\r\n\r\n" +
			framed(a), "a"},
		{"empty", "Content-Length: 0\r\n\r\n" + framed(a), "a"},
		{"too short", "Content-Length: 10\r\n\r\n" + a + framed(z), "z"},
		{"too long", "Content-Length: 40\r\n\r\n" + a + framed(z), "a z"},
		{"too long by a lot", "Content-Length: 100\r\n\r\n" + a + framed(z) + framed(a) + framed(z), "a z a z"},
		{"too long over garbage", "Content-Length: 40\r\n\r\n" + `{"method":x}` + framed(z), "z"},
		{"trailing newline", "Content-Length: 32\r\n\r\n" + a + "\r\n" + framed(z), "a z"},
		{"garbage body", framed("garbage") + framed(z), "z"},
		{"not an object", framed("42") + framed(`"x"`) + framed(z), "z"},
		{"cut off", framed(`{"jsonrpc":"2.0","method":"a","params":{`) + framed(z), "z"},
		{"malformed inside", framed(`{"jsonrpc":"2.0","method":"a","params":{]}`) + framed(z), "z"},
		{"binary", framed("\x00\xff\xfe") + framed(z), "z"},
		{"long junk line", strings.Repeat("j", 5*lineSize+17) + framed(a), "a"},
		{"junk that ends where the buffer does", strings.Repeat("j", lineSize-5) + framed(a), "a"},
		{"larger than the limit", framed(`{"method":"b","params":"`+strings.Repeat("x", 1<<20)+`"}`) + framed(z), "z"},
		{"large", framed(`{"method":"b","x":"`+strings.Repeat("x", 200<<10)+`"}`) + framed(z), "b z"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			lsptest.Bubble(t, func(t *testing.T) {
				var n notes
				_, p := start(t, Options{Notification: n.take, MaxMessage: 1 << 20})
				p.raw(tt.raw)
				n.check(t, strings.Fields(tt.want)...)
			})
		})
	}
}

func TestLenientEnvelope(t *testing.T) {
	const fine = `1`
	tests := []struct{ answer, want string }{
		{`{"id":1,"result":1}`, fine},
		{`{"jsonrpc":"1.0","id":1,"result":1}`, fine},
		{`{"jsonrpc":"2.0","id":1,"result":1,"error":null}`, fine},
		{`{"error":null,"id":1,"result":1,"extra":{"deep":[1,2]}}`, fine},
		{`{"id":"1","result":1}`, fine},
		{`{"id":1.0,"result":1}`, fine},
		{`{"id":1,"result":2,"result":1}`, fine},
		{`{"method":null,"id":1,"result":1}`, fine},
		{` [{"id":1,"result":1}] `, fine},
		{`[{"method":"n"},7,{"id":99},{"id":1,"result":1}]`, fine},
		{`{"id":1,"result":null,"error":null}`, `null`},
		{`{"id":1}`, `null`},
		{"{\"id\":1,\"result\":\"a\xffb\"}", `"a` + "\uFFFD" + `b"`},
		{`{"id":1,"result":1,"error":{"code":5,"message":"no"}}`, `m: no (code 5)`},
		{`{"id":1,"result":{]}`,
			`m: decoding a response of 20 bytes: jsontext: invalid character ']' at start of string (expecting '"') within "/result" after offset 18`},
		{`{"id":1,"result":"` + strings.Repeat("x", 2000) + `"}`,
			`m: decoding a response of 2020 bytes: larger than the limit of 1000 bytes`},
		{`{"id":1,"result":[` + strings.Repeat("1,", 20000) + `1]}`,
			`m: decoding a response of 40021 bytes: larger than the limit of 1000 bytes`},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%.60s", tt.answer), func(t *testing.T) {
			lsptest.Bubble(t, func(t *testing.T) {
				c, p := start(t, Options{MaxMessage: 1000})
				wait := calling(t.Context(), c, "m", nil)
				p.expect(`{"jsonrpc":"2.0","method":"m","id":1}`)
				p.send(tt.answer)
				got, err := wait()
				if err != nil {
					got = err.Error()
				}
				testkit.Equal(t, got, tt.want)
			})
		})
	}
}

// None of these answers call 1, and none of them costs it.
func TestMessagesThatCostNothing(t *testing.T) {
	noise := []string{
		`{"id":99,"result":1}`, `{"id":null,"error":{"code":-32700,"message":"parse error"}}`, `{}`, `[]`, `[`,
		`{"id":{},"result":1}`,
		`{"id":"one","result":1}`, `{"id":true}`, `{"id":1.5,"result":1}`, `{"method":5}`, `{"method":""}`,
		`{"id":[],"method":"m"}`, `{"jsonrpc":"2.0"}`,
		`{"id":1,"params":{]}`, `{"result":1}`, `null`, ``,
		// too large, and a request as it turns out
		`{"id":1,"params":"` + strings.Repeat("x", headSize) + `","method":"m"}`,
	}
	lsptest.Bubble(t, func(t *testing.T) {
		c, p := start(t, Options{MaxMessage: headSize})
		wait := calling(t.Context(), c, "m", nil)
		p.expect(`{"jsonrpc":"2.0","method":"m","id":1}`)
		p.send(noise...)
		p.send(`{"id":1,"result":"first"}`, `{"id":1,"result":"twice"}`)
		if got, err := wait(); got != `"first"` || err != nil {
			t.Errorf("%s, %v", got, err)
		}
	})
}

func TestRequestThatIsTooLarge(t *testing.T) {
	lsptest.Bubble(t, func(t *testing.T) {
		_, p := start(t, Options{MaxMessage: 100})
		p.send(`{"jsonrpc":"2.0","id":"r","method":"m","params":"` + strings.Repeat("x", 100) + `"}`)
		p.expect(`{"jsonrpc":"2.0","id":"r","error":{"code":-32600,"message":"larger than the limit of 100 bytes"}}`)
	})
}

func TestBatchOfRequests(t *testing.T) {
	lsptest.Bubble(t, func(t *testing.T) {
		var n notes
		_, p := start(t, Options{Notification: n.take})
		p.send(`[{"method":"a","params":1},{"id":1,"method":"r"},{"method":"b","params":2}]`)
		p.expect(`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"method not found: r"}}`)
		n.check(t, "a 1", "b 2")
	})
}

func TestJunkIsLoggedWithinBounds(t *testing.T) {
	lsptest.Bubble(t, func(t *testing.T) {
		log, logged := logTo()
		_, p := start(t, Options{Log: log})
		for i := range 1000 {
			p.raw(fmt.Sprintf("line %d %s\n", i, strings.Repeat("x", 1000)))
		}
		synctest.Wait()
		if n := len(logged()); n > 10_000 || !strings.Contains(logged(), "line 0") {
			t.Errorf("%d bytes logged", n)
		}
	})
}

// A small result must not keep the large message alive in which it came, nor a large one be copied.
func TestMemory(t *testing.T) {
	lsptest.Bubble(t, func(t *testing.T) {
		c, p := start(t, Options{})
		var kept []json.RawMessage
		ask := func(answer string) json.RawMessage {
			go func() {
				p.read()
				p.send(answer)
			}()
			var raw json.RawMessage
			if err := c.Call(t.Context(), "m", nil, &raw); err != nil {
				t.Error(err)
			}
			return raw
		}
		filler := strings.Repeat("x", 1<<20)
		before := heap()
		for i := range 10 {
			kept = append(kept, ask(fmt.Sprintf(`{"id":%d,"result":"small","x":"%s"}`, i+1, filler)))
		}
		if grown := heap() - before; grown > 5<<20 { // half of the messages in which they came
			t.Errorf("10 small results hold %d bytes", grown)
		}
		before = heap()
		for i := range 10 {
			kept = append(kept, ask(fmt.Sprintf(`{"id":%d,"result":"%s"}`, i+11, filler)))
		}
		if grown := heap() - before; grown > 13<<20 {
			t.Errorf("10 results of 1 MiB hold %d bytes", grown)
		}
		runtime.KeepAlive(kept)
	})
}

func heap() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
