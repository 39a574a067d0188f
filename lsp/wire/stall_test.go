package wire

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"lspi/lsp/lsptest"
)

// A length that is wrong ends the calls that wait for what it swallowed, in seconds and not at their deadlines.
func TestWrongLengthEnds(t *testing.T) {
	for _, c := range []struct{ name, raw, message string }{
		{"more than comes", "Content-Length: 100\r\n\r\n" + `{"id":1,"result":1}`,
			"19 bytes of a message that was announced with 100, and nothing more for 5s"},
		{"nothing comes", "Content-Length: 100\r\n\r\n", "0 bytes of a message that was announced with 100"},
		{"no end of the header", "Content-Length: 19\r\n", "announced with 19"},
		{"half of the header", "content-LENGTH: 1", "the beginning of a header"},
		{"more than memory", "Content-Length: 9999999999\r\n\r\n" + `{"id":1,"result":1}`,
			"19 bytes of a message that was announced with 9999999999"},
		{"more than is kept", "Content-Length: 300000000\r\n\r\n" + strings.Repeat(" ", 1<<20),
			"1048576 bytes of a message"},
		{"less than comes", "Content-Length: 4\r\n\r\n" + `{"id":1,"result":1}`,
			"a message of 4 bytes that is no JSON"},
		{"negative", "Content-Length: -5\r\n\r\n" + `{"id":1,"result":1}`, `a message of "-5" bytes`},
		{"no number", "Content-Length: many\r\n\r\n" + `{"id":1,"result":1}`, `a message of "many" bytes`},
		{"unbelievable", "Content-Length: 99999999999999999999\r\n\r\n" + `{"id":1,"result":1}`,
			`"99999999999999999999" bytes`},
	} {
		t.Run(c.name, func(t *testing.T) {
			lsptest.Bubble(t, func(t *testing.T) {
				conn, p := start(t, Options{})
				began := time.Now()
				wait := calling(t.Context(), conn, "m", nil)
				p.expect(`{"jsonrpc":"2.0","method":"m","id":1}`)
				p.raw(c.raw)
				_, err := wait()
				broken := wantErr[*ProtocolError](t, err)
				wantErr[*ClosedError](t, err)
				if took := time.Since(began); took != stallTime || !strings.Contains(broken.Error(), c.message) {
					t.Errorf("after %v: %v, want %q", took, err, c.message)
				}
			})
		})
	}
}

// A server that is slow within a message, or silent in one that nobody waits for, goes on.
func TestSlowMessages(t *testing.T) {
	lsptest.Bubble(t, func(t *testing.T) {
		conn, p := start(t, Options{})
		p.raw("Content-Length: 40\r\n\r\n" + `{"method":`)
		time.Sleep(time.Hour)
		p.raw(`"a","params":{"none":"waits"}}`)
		wait := calling(t.Context(), conn, "m", nil)
		p.expect(`{"jsonrpc":"2.0","method":"m","id":1}`)
		time.Sleep(time.Hour) // between messages
		for _, c := range framed(`{"id":1,"result":"slow"}`) {
			time.Sleep(stallTime - time.Second)
			p.raw(string(c))
		}
		if got, err := wait(); got != `"slow"` || err != nil {
			t.Errorf("%s, %v", got, err)
		}
		synctest.Wait()
		if err := conn.Err(); err != nil {
			t.Error(err)
		}
	})
}

// A call that begins while the server is silent in a message does not wait for long either; one that begins after a
// length that cannot be has lost nothing by it.
func TestCallsAfterWrongLengths(t *testing.T) {
	lsptest.Bubble(t, func(t *testing.T) {
		conn, p := start(t, Options{})
		p.raw("Content-Length: -1\r\n\r\n")
		synctest.Wait()
		wait := calling(t.Context(), conn, "m", nil)
		p.expect(`{"jsonrpc":"2.0","method":"m","id":1}`)
		time.Sleep(time.Hour)
		p.send(`{"id":1,"result":1}`)
		if _, err := wait(); err != nil {
			t.Error(err)
		}
		p.raw("Content-Length: 100\r\n\r\n{")
		// Between two looks of the stall: one at the moment at which the call begins may end the stream before the
		// server has read it.
		time.Sleep(100*stallTime + stallTime/2)
		began := time.Now()
		wait = calling(t.Context(), conn, "m", nil)
		p.expect(`{"jsonrpc":"2.0","method":"m","id":2}`)
		_, err := wait()
		if took := time.Since(began); took > stallTime || !errors.As(err, new(*ProtocolError)) ||
			errors.Is(err, io.EOF) {
			t.Errorf("after %v: %v", took, err)
		}
	})
}
