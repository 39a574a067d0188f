package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.lsp.dev/protocol"

	"lspi/internal/testkit"
	"lspi/lsp/lsptest"
)

func TestMessagesSent(t *testing.T) {
	type local struct {
		Name  string   `json:"name"`
		Zero  int      `json:"zero,omitempty"`
		List  []string `json:"list"`
		Any   any      `json:"any"`
		Plain string   `json:"plain"`
	}
	span := protocol.Range{End: protocol.Position{Line: 1, Character: 2}}
	tests := []struct {
		name   string
		params any
		want   string
	}{
		{"none", nil, `{"jsonrpc":"2.0","method":"m"}`},
		{"nil pointer", (*local)(nil), `{"jsonrpc":"2.0","method":"m"}`},
		{"raw", json.RawMessage(`{"a":1}`), `{"jsonrpc":"2.0","method":"m","params":{"a":1}}`},
		{"raw null", json.RawMessage(`null`), `{"jsonrpc":"2.0","method":"m"}`},
		{"map", map[string]any{"b": 2, "a": "<x>"}, `{"jsonrpc":"2.0","method":"m","params":{"a":"<x>","b":2}}`},
		{"local", local{Name: "n", Any: span},
			`{"jsonrpc":"2.0","method":"m","params":{"name":"n","list":null,"any":{"start":{"line":0,"character":0},"end":{"line":1,"character":2}},"plain":""}}`},
		{"broken UTF-8", map[string]string{"a": "x\xffy"}, `{"jsonrpc":"2.0","method":"m","params":{"a":"x` +
			"\uFFFD" + `y"}}`},
		{"protocol",
			&protocol.DidCloseTextDocumentParams{TextDocument: protocol.TextDocumentIdentifier{URI: "file:///a.go"}},
			`{"jsonrpc":"2.0","method":"m","params":{"textDocument":{"uri":"file:///a.go"}}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			lsptest.Bubble(t, func(t *testing.T) {
				c, p := start(t, Options{})
				testkit.Must(t, c.Notify(t.Context(), "m", tt.params))
				p.expect(tt.want)
			})
		})
	}
}

func TestParamsThatCannotBeSent(t *testing.T) {
	lsptest.Bubble(t, func(t *testing.T) {
		c, p := start(t, Options{})
		for _, bad := range []any{json.RawMessage(`{"a":`), func() {}, map[string]any{"a": make(chan int)}} {
			if err := c.Call(t.Context(), "m", bad, nil); err == nil || !strings.HasPrefix(err.Error(), "m: ") {
				t.Errorf("Call with %T: %v", bad, err)
			}
		}
		c.Notify(t.Context(), "still", nil)
		p.expect(`{"jsonrpc":"2.0","method":"still"}`)
	})
}

func TestResults(t *testing.T) {
	lsptest.Bubble(t, func(t *testing.T) {
		log, logged := logTo()
		c, p := start(t, Options{Log: log})
		id := 0
		call := func(answer string, result any) error {
			id++
			go func() {
				p.expect(fmt.Sprintf(`{"jsonrpc":"2.0","method":"m","id":%d}`, id))
				p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%s}`, id, answer))
			}()
			return c.Call(t.Context(), "m", nil, result)
		}

		var raw json.RawMessage
		if err := call(` {"a": [1]} `, &raw); err != nil || string(raw) != `{"a": [1]}` {
			t.Errorf("raw: %s, %v", raw, err)
		}
		var local struct{ A []int }
		if err := call(`{"a":[1,2]}`, &local); err != nil || len(local.A) != 2 {
			t.Errorf("local: %v, %v", local, err)
		}
		var locations []protocol.Location
		if err := call(
			`[{"uri":"file:///a","range":{"start":{"line":3,"character":4},"end":{"line":3,"character":5}}}]`,
			&locations); err != nil || len(locations) != 1 || locations[0].Range.Start.Line != 3 {
			t.Errorf("protocol: %v, %v", locations, err)
		}
		var hover struct {
			Contents protocol.HoverContents `json:"contents"` // a union: only protocol's codec knows it
		}
		if err := call(`{"contents":{"kind":"markdown","value":"v"}}`, &hover); err != nil || hover.Contents == nil {
			t.Errorf("local with a union: %v, %v", hover, err)
		}
		if err := call(`[]`, nil); err != nil {
			t.Errorf("dropped: %v", err)
		}
		local.A = nil
		if err := call(`null`, &local); err != nil || local.A != nil {
			t.Errorf("null: %v, %v", local, err)
		}
		if err := call(`null`, &raw); err != nil || string(raw) != `null` {
			t.Errorf("raw null: %s, %v", raw, err)
		}

		decode := wantErr[*DecodeError](t, call(`{"a":"secret?"}`, &local))
		if decode.Method != "m" || decode.Size != 15 || !strings.Contains(logged(), "secret?") {
			t.Errorf("DecodeError %+v, log %s", decode, logged())
		}
		// Negative lines do not decode: it must cost this call only.
		wantErr[*DecodeError](t,
			call(`[{"uri":"file:///a","range":{"start":{"line":-1,"character":4},"end":{"line":3,"character":5}}}]`,
				&locations))
		if err := call(`1`, nil); err != nil {
			t.Errorf("after a decode error: %v", err)
		}
	})
}

func TestResponseErrors(t *testing.T) {
	tests := []struct {
		member string
		want   ResponseError
	}{
		{`{"code":-32801,"message":"content modified","data":{"x":1}}`, ResponseError{Code: CodeContentModified,
			Message: "content modified", Data: json.RawMessage(`{"x":1}`)}},
		{`{"code":99999999999,"message":"m"}`, ResponseError{Code: 99999999999, Message: "m"}},
		{`{"code":"E1","message":"m"}`, ResponseError{Code: CodeInternalError, Message: "m"}},
		{`{"code":1.0,"message":null,"data":null}`, ResponseError{Code: 1}},
		{`{"message":{"a":1}}`, ResponseError{Code: CodeInternalError, Message: `{"a":1}`}},
		{`"plain"`, ResponseError{Code: CodeInternalError, Message: `plain`}},
		{`{}`, ResponseError{Code: CodeInternalError}},
	}
	for _, tt := range tests {
		t.Run(tt.member, func(t *testing.T) {
			lsptest.Bubble(t, func(t *testing.T) {
				c, p := start(t, Options{})
				wait := calling(t.Context(), c, "m", nil)
				p.expect(`{"jsonrpc":"2.0","method":"m","id":1}`)
				p.send(`{"jsonrpc":"2.0","id":1,"error":` + tt.member + `}`)
				_, err := wait()
				got := wantErr[*ResponseError](t, err)
				if got.Method != "m" || got.Code != tt.want.Code || got.Message != tt.want.Message ||
					string(got.Data) != string(tt.want.Data) {
					t.Errorf("%+v, want %+v", got, tt.want)
				}
			})
		})
	}
}

func TestConcurrentCalls(t *testing.T) {
	lsptest.Bubble(t, func(t *testing.T) {
		c, p := start(t, Options{})
		go func() { // answers in pairs, the later one first
			for {
				var ids [2]int
				for i := range ids {
					m, err := p.read()
					if err != nil {
						return
					}
					var call struct{ ID int }
					json.Unmarshal([]byte(m), &call)
					ids[i] = call.ID
				}
				p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%[1]d}`, ids[1]),
					fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%[1]d}`, ids[0]))
			}
		}()
		var mu sync.Mutex
		seen := map[int]bool{}
		var wg sync.WaitGroup
		for range 200 {
			wg.Go(func() {
				var n int
				if err := c.Call(t.Context(), "m", map[string]int{}, &n); err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				seen[n] = true
			})
		}
		wg.Wait()
		testkit.Equal(t, len(seen), 200)
		p.hup()
	})
}

func TestCancelledCall(t *testing.T) {
	lsptest.Bubble(t, func(t *testing.T) {
		c, p := start(t, Options{})
		why := errors.New("the user left")
		ctx, cancel := context.WithCancelCause(t.Context())
		wait := calling(ctx, c, "slow", nil)
		p.expect(`{"jsonrpc":"2.0","method":"slow","id":1}`)
		cancel(why)
		if _, err := wait(); !errors.Is(err, why) || err.Error() != "slow: the user left" {
			t.Errorf("error %v", err)
		}
		p.expect(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}`)

		// The late answer belongs to nobody, and the connection goes on.
		p.send(`{"jsonrpc":"2.0","id":1,"result":1}`)
		wait = calling(t.Context(), c, "next", nil)
		p.expect(`{"jsonrpc":"2.0","method":"next","id":2}`)
		p.send(`{"jsonrpc":"2.0","id":2,"result":2}`)
		if r, err := wait(); r != "2" || err != nil {
			t.Errorf("%s, %v", r, err)
		}
	})
}

// A server that must not be asked to cancel hears of nothing.
func TestUncancellableCall(t *testing.T) {
	lsptest.Bubble(t, func(t *testing.T) {
		c, p := start(t, Options{Uncancellable: []string{"slow"}})
		ctx, cancel := context.WithCancel(t.Context())
		wait := calling(ctx, c, "slow", nil)
		p.expect(`{"jsonrpc":"2.0","method":"slow","id":1}`)
		cancel()
		if _, err := wait(); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
		wait = calling(t.Context(), c, "next", nil)
		p.expect(`{"jsonrpc":"2.0","method":"next","id":2}`)
		p.send(`{"jsonrpc":"2.0","id":1,"result":1}`, `{"jsonrpc":"2.0","id":2,"result":2}`)
		if r, err := wait(); r != "2" || err != nil {
			t.Errorf("%s, %v", r, err)
		}
	})
}

// A server that does not read: calls and notifications still obey their contexts, nothing is lost when it reads again,
// and it never hears of what did not fit into the queue.
func TestServerThatDoesNotRead(t *testing.T) {
	lsptest.Bubble(t, func(t *testing.T) {
		c, p := start(t, Options{QueueBytes: 400})
		began := time.Now()
		text := json.RawMessage(`"` + strings.Repeat("x", 500) + `"`)
		if err := c.Notify(t.Context(), "big", text); err != nil { // one larger message may enter an empty queue
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var waits []func() (string, error)
		for range 3 {
			waits = append(waits, calling(ctx, c, "late", nil))
		}
		if err := c.Notify(ctx, "late", nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Notify: %v", err)
		}
		for _, wait := range waits {
			if _, err := wait(); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("Call: %v", err)
			}
		}
		testkit.Equal(t, time.Since(began), time.Second, "gave up after")
		p.expect(`{"jsonrpc":"2.0","method":"big","params":` + string(text) + `}`)
		c.Notify(t.Context(), "again", nil)
		p.expect(`{"jsonrpc":"2.0","method":"again"}`)
	})
}

// A call that is in the queue when it is given up is cancelled at the server, although the queue is full.
func TestCancelGetsIntoAFullQueue(t *testing.T) {
	lsptest.Bubble(t, func(t *testing.T) {
		c, p := start(t, Options{QueueBytes: 130})
		ctx, cancel := context.WithCancel(t.Context())
		wait := calling(ctx, c, "first", nil)
		synctest.Wait()
		c.Notify(t.Context(), "fill", nil)
		cancel()
		if _, err := wait(); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
		p.expect(`{"jsonrpc":"2.0","method":"first","id":1}`)
		p.expect(`{"jsonrpc":"2.0","method":"fill"}`)
		p.expect(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}`)
	})
}

func TestSendersKeepTheirOrder(t *testing.T) {
	lsptest.Bubble(t, func(t *testing.T) {
		c, p := start(t, Options{QueueBytes: 60})
		go func() {
			for i := range 100 {
				c.Notify(t.Context(), "n", i)
			}
		}()
		for i := range 100 {
			p.expect(fmt.Sprintf(`{"jsonrpc":"2.0","method":"n","params":%d}`, i))
		}
	})
}

func TestTrace(t *testing.T) {
	lsptest.Bubble(t, func(t *testing.T) {
		var mu sync.Mutex
		var got []string
		c, p := start(t, Options{Trace: func(d Direction, b []byte) {
			mu.Lock()
			defer mu.Unlock()
			got = append(got, d.String()+" "+string(b))
		}})
		wait := calling(t.Context(), c, "m", nil)
		p.expect(`{"jsonrpc":"2.0","method":"m","id":1}`)
		p.raw("noise\n")
		p.send(`{"id":1,"result":null}`)
		wait()
		p.out.CloseWithError(io.EOF)
		want := `sent {"jsonrpc":"2.0","method":"m","id":1}` + "\n" + `received {"id":1,"result":null}`
		testkit.Equal(t, strings.Join(got, "\n"), want, "trace")
	})
}
