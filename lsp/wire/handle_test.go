package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"lspi/internal/testkit"
	"lspi/lsp/lsptest"
)

func TestNotificationsInOrderBeforeResponses(t *testing.T) {
	lsptest.Bubble(t, func(t *testing.T) {
		var n notes
		c, p := start(t, Options{Notification: n.take})
		wait := calling(t.Context(), c, "m", nil)
		p.expect(`{"jsonrpc":"2.0","method":"m","id":1}`)
		var all strings.Builder
		var want []string
		for i := range 500 {
			all.WriteString(framed(fmt.Sprintf(`{"jsonrpc":"2.0","method":"n","params":%d}`, i)))
			want = append(want, fmt.Sprintf("n %d", i))
		}
		p.raw(all.String() + framed(`{"jsonrpc":"2.0","id":1,"result":1}`))
		wait()
		if got := len(n.got); got != 500 { // no waiting: they were handled before the call returned
			t.Errorf("%d notifications before the response, want 500", got)
		}
		n.check(t, want...)
	})
}

func TestNotificationHandlerPanics(t *testing.T) {
	lsptest.Bubble(t, func(t *testing.T) {
		log, logged := logTo()
		var n notes
		_, p := start(t, Options{Log: log, Notification: func(m string, params json.RawMessage) {
			if m == "bad" {
				panic("oh")
			}
			n.take(m, params)
		}})
		p.send(`{"jsonrpc":"2.0","method":"bad"}`, `{"jsonrpc":"2.0","method":"good"}`)
		n.check(t, "good")
		testkit.Holds(t, logged(), "method=bad panic=oh", "log")
	})
}

type explosive struct{}

func (explosive) MarshalJSON() ([]byte, error) { panic("encoding") }

func TestAnswers(t *testing.T) {
	handler := func(ctx context.Context, method string, params json.RawMessage) (any, error) {
		switch method {
		case "echo":
			return params, nil
		case "nothing":
			return nil, nil
		case "panic":
			panic("oh")
		case "unencodable":
			return func() {}, nil
		case "explosive":
			return explosive{}, nil
		case "coded":
			return nil, fmt.Errorf("reading: %w", &ResponseError{Code: -32803, Message: "failed",
				Data: json.RawMessage(`[1]`)})
		}
		return nil, errors.New("plain")
	}
	tests := []struct{ request, want string }{
		{`{"jsonrpc":"2.0","id":0,"method":"echo","params":{"a":1}}`, `{"jsonrpc":"2.0","id":0,"result":{"a":1}}`},
		{`{"jsonrpc":"2.0","id":"a b","method":"echo","params":[1]}`, `{"jsonrpc":"2.0","id":"a b","result":[1]}`},
		{`{"id":7.0,"method":"echo"}`, `{"jsonrpc":"2.0","id":7,"result":null}`},
		{`{"jsonrpc":"2.0","id":1,"method":"nothing","params":null}`, `{"jsonrpc":"2.0","id":1,"result":null}`},
		{`{"jsonrpc":"2.0","id":1,"method":"panic"}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"handler of panic panicked"}}`},
		{`{"jsonrpc":"2.0","id":1,"method":"explosive"}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"handler of explosive panicked"}}`},
		{`{"jsonrpc":"2.0","id":1,"method":"coded"}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32803,"message":"failed","data":[1]}}`},
		{`{"jsonrpc":"2.0","id":1,"method":"other"}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"plain"}}`},
	}
	for _, tt := range tests {
		t.Run(tt.request, func(t *testing.T) {
			lsptest.Bubble(t, func(t *testing.T) {
				_, p := start(t, Options{Request: handler})
				p.send(tt.request)
				p.expect(tt.want)
			})
		})
	}
	t.Run("unencodable", func(t *testing.T) {
		lsptest.Bubble(t, func(t *testing.T) {
			_, p := start(t, Options{Request: handler})
			p.send(`{"jsonrpc":"2.0","id":1,"method":"unencodable"}`)
			if got, _ := p.read(); !strings.Contains(got,
				`"error":{"code":-32603,"message":"encoding the answer to unencodable: `) {
				t.Error(got)
			}
		})
	})
	t.Run("no handler", func(t *testing.T) {
		lsptest.Bubble(t, func(t *testing.T) {
			_, p := start(t, Options{})
			p.send(`{"jsonrpc":"2.0","id":1,"method":"m"}`)
			p.expect(`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"method not found: m"}}`)
		})
	})
}

// A handler may call the server back and wait: the request was taken off the reading goroutine.
func TestRequestHandlerMayCall(t *testing.T) {
	lsptest.Bubble(t, func(t *testing.T) {
		var c *Conn
		c, p := start(t, Options{Request: func(ctx context.Context, _ string, _ json.RawMessage) (any, error) {
			var n int
			return &n, c.Call(ctx, "back", nil, &n)
		}})
		p.send(`{"jsonrpc":"2.0","id":5,"method":"m"}`)
		p.expect(`{"jsonrpc":"2.0","method":"back","id":1}`)
		p.send(`{"jsonrpc":"2.0","id":1,"result":42}`)
		p.expect(`{"jsonrpc":"2.0","id":5,"result":42}`)
	})
}

func waitForEnd(ctx context.Context, _ string, _ json.RawMessage) (any, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestServerCancelsItsRequest(t *testing.T) {
	for _, id := range []string{`0`, `"x"`} {
		lsptest.Bubble(t, func(t *testing.T) {
			_, p := start(t, Options{Request: waitForEnd})
			p.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"m"}`)
			p.send(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"other"}}`,
				`{"jsonrpc":"2.0","method":"$/cancelRequest"}`)
			p.send(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":` + id + `}}`)
			p.expect(`{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32800,"message":"cancelled by the server"}}`)
		})
	}
}

func TestTooManyRequests(t *testing.T) {
	lsptest.Bubble(t, func(t *testing.T) {
		var n notes
		log, logged := logTo()
		_, p := start(t, Options{Request: waitForEnd, Notification: n.take, Log: log})
		for i := range maxServerRequests {
			p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"m"}`, i))
		}
		p.send(`{"jsonrpc":"2.0","id":"extra","method":"m"}`)
		p.expect(`{"jsonrpc":"2.0","id":"extra","error":{"code":-32603,"message":"more than 128 requests in flight"}}`)
		testkit.Holds(t, logged(), "too many in flight")
		p.send(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":3}}`)
		p.expect(`{"jsonrpc":"2.0","id":3,"error":{"code":-32800,"message":"cancelled by the server"}}`)
		synctest.Wait() // an answer leaves before its request is counted as over
		p.send(`{"jsonrpc":"2.0","id":"now","method":"m"}`,
			`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"now"}}`)
		p.expect(`{"jsonrpc":"2.0","id":"now","error":{"code":-32800,"message":"cancelled by the server"}}`)
	})
}

// A server that asks without end and reads nothing must not stop what it says from being heard, nor cost memory without
// bound: both pipes full would be a deadlock.
func TestFloodOfRequestsWithoutReading(t *testing.T) {
	lsptest.Bubble(t, func(t *testing.T) {
		var n notes
		_, p := start(t, Options{Notification: n.take, QueueBytes: 1000})
		for i := range 1000 {
			p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"m"}`, i))
		}
		p.send(`{"jsonrpc":"2.0","method":"heard"}`)
		n.check(t, "heard")
		p.hup()
	})
}
