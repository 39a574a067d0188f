package lsptest_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"lspi/internal/testkit"
	"lspi/lsp/lsptest"
)

func TestActions(t *testing.T) {
	tests := []struct {
		actions string
		answer  string
		heard   string
	}{
		{`{"result":{"a":[1]}}`, `{"a":[1]}`, ""},
		{`{"result":null}`, `null`, ""},
		{`{"result_bytes":5}`, `"xxx"`, ""},
		{`{"error":{"code":-32801,"message":"content modified"}}`, `m: content modified (code -32801)`, ""},
		{``, `m: method not found: m (code -32601)`, ""},
		{`{"default":true},{"notify":{"method":"after"}}`, `m: method not found: m (code -32601)`, "after"},
		{`{"notify":{"method":"a","params":[1]}},{"result":1}`, `1`, "a [1]"},
		{`{"request":{"method":"ask","await":true}},{"result":1}`, `1`, "?ask"},
		{`{"request":{"method":"ask","params":{}}},{"result":1}`, `1`, "?ask {}"},
		{`{"stdout":"junk\n"},{"frame":"{\"id\":${id},\"result\":1,\"error\":null}"},{"frame":"{\"id\":${id},\"result\":2}"},{"hang":true}`, `1`, ""},
		{`{"stdout_base64":"/w=="},{"result":1}`, `1`, ""},
		{`{"log_messages":2},{"result":1}`, `1`, `window/logMessage {"message":"message 1","type":3}` + "\n" +
			`window/logMessage {"message":"message 2","type":3}`},
		{`{"exit":3}`, `m: connection ended: EOF`, ""},
		{`{"kill":"SIGKILL"}`, `m: connection ended: EOF`, ""},
		{`{"stdout":"Content-Length: 100\r\n\r\n{"},{"exit":1}`, `m: connection ended: unexpected EOF`, ""},
		{`{"close_stdout":true}`, `m: connection ended: EOF`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.actions, func(t *testing.T) {
			lsptest.Bubble(t, func(t *testing.T) {
				c := start(t, parse(t, `{"rules":[{"method":"m","actions":[`+tt.actions+`]}]}`))
				equal(t, "answer", c.call(t, "m", nil), tt.answer)
				synctest.Wait()
				equal(t, "heard", c.heard(), tt.heard)
			})
		})
	}
}

func TestEnds(t *testing.T) {
	for actions, want := range map[string]lsptest.Exit{
		`{"exit":3}`:         {Code: 3, Cause: "exit 3"},
		`{"kill":"SIGSEGV"}`: {Code: -1, Signal: "SIGSEGV", Cause: "SIGSEGV"},
		``:                   {Code: 1, Cause: "exit notification"},
	} {
		lsptest.Bubble(t, func(t *testing.T) {
			c := start(t, parse(t, `{"rules":[{"method":"exit","actions":[`+actions+`]}]}`))
			c.Notify(t.Context(), "exit", nil)
			testkit.Equal(t, c.server.Wait(), want)
		})
	}
}

func TestShutdownAndExit(t *testing.T) {
	lsptest.Bubble(t, func(t *testing.T) {
		c := start(t, parse(t, `{}`))
		equal(t, "shutdown", c.call(t, "shutdown", nil), "null")
		equal(t, "afterwards", c.call(t, "textDocument/hover", nil),
			"textDocument/hover: the server was shut down (code -32600)")
		c.Notify(t.Context(), "exit", nil)
		if e := c.server.Wait(); e.Code != 0 {
			t.Errorf("%+v", e)
		}
	})
}

func TestClientGoes(t *testing.T) {
	lsptest.Bubble(t, func(t *testing.T) {
		c := start(t, parse(t, `{}`))
		c.Close()
		if e := c.server.Wait(); e.Code != 1 || !strings.HasPrefix(e.Cause, "reading from the client: ") {
			t.Errorf("%+v", e)
		}
	})
}

func TestDelay(t *testing.T) {
	lsptest.Bubble(t, func(t *testing.T) {
		c := start(t, parse(t, `{"rules":[{"method":"slow","actions":[{"delay_ms":5000},{"result":"late"}]}]}`))
		began := time.Now()
		slow := make(chan string, 1)
		go func() { slow <- c.call(t, "slow", nil) }()
		synctest.Wait()
		equal(t, "meanwhile", c.call(t, "other", nil), "other: method not found: other (code -32601)")
		testkit.Equal(t, time.Since(began), 0, "the other call took")
		equal(t, "slow", <-slow, `"late"`)
		testkit.Equal(t, time.Since(began), 5*time.Second, "the slow call took")
	})
}

func TestCancelDuringDelay(t *testing.T) {
	lsptest.Bubble(t, func(t *testing.T) {
		c := start(t,
			parse(t, `{"rules":[{"method":"slow","actions":[{"delay_ms":5000},{"notify":{"method":"not reached"}}]}]}`))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := c.Call(ctx, "slow", nil, nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		if e, err := c.server.Await(t.Context(), "$/cancelRequest", 1); string(e.Params) != `{"id":1}` || err != nil {
			t.Errorf("%+v, %v", e, err)
		}
		<-time.After(10 * time.Second)
		equal(t, "heard", c.heard(), "")
	})
}

func TestHangAndStopReading(t *testing.T) {
	for _, actions := range []string{`{"hang":true}`, `{"stop_reading":true}`} {
		lsptest.Bubble(t, func(t *testing.T) {
			c := start(t, parse(t, `{"rules":[{"method":"m","actions":[`+actions+`]}]}`))
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			if err := c.Call(ctx, "m", nil, nil); !errors.Is(err, context.DeadlineExceeded) {
				t.Error(err)
			}
		})
	}
}

func TestCloseStdin(t *testing.T) {
	lsptest.Bubble(t, func(t *testing.T) {
		c := start(t, parse(t, `{"rules":[{"method":"m","actions":[{"result":1},{"close_stdin":true}]}]}`))
		equal(t, "answer", c.call(t, "m", nil), "1")
		synctest.Wait()
		c.Notify(t.Context(), "n", nil)
		<-c.Done()
		if !errors.Is(c.Err(), io.ErrClosedPipe) {
			t.Error(c.Err())
		}
	})
}

func TestRules(t *testing.T) {
	script := parse(t, `{"rules":[
		{"method":"m","contains":"two","nth":2,"actions":[{"result":"second two"}]},
		{"method":"m","run":2,"actions":[{"result":"second run"}]},
		{"method":"m","contains":"one","actions":[{"result":"one"}]},
		{"method":"*","actions":[{"result":"any"}]}]}`)
	for _, want := range []string{`"one" "any" "second two" "any" "any"`,
		`"second run" "second run" "second two" "second run" "any"`} {
		lsptest.Bubble(t, func(t *testing.T) {
			c := start(t, script)
			var got []string
			for _, p := range []string{"one", "two", "two", "two"} {
				got = append(got, c.call(t, "m", []string{p}))
			}
			got = append(got, c.call(t, "other", nil))
			equal(t, "answers", strings.Join(got, " "), want)
		})
	}
}

func TestStderr(t *testing.T) {
	lsptest.Bubble(t, func(t *testing.T) {
		c := start(t,
			parse(t, `{"on_start":[{"stderr":"hello\n"},{"stderr_bytes":1000}],"rules":[{"method":"m","actions":[{"spawn_child":{"seconds":1}}]}]}`))
		c.call(t, "m", nil)
		got := c.server.Stderr()
		if !strings.HasPrefix(got, "hello\neeee") ||
			!strings.HasSuffix(got, "\nfakels: spawn_child: only as an executable on unix\n") ||
			strings.Count(got, "e") < 900 {
			t.Errorf("%q", got)
		}
	})
}

func TestEvents(t *testing.T) {
	lsptest.Bubble(t, func(t *testing.T) {
		c := start(t, parse(t, `{"rules":[{"method":"m","actions":[{"request":{"method":"ask","await":true}}]}]}`))
		c.Notify(t.Context(), "n", map[string]int{"a": 1})
		c.call(t, "m", nil)
		if e, err := c.server.Await(t.Context(), "m", 1); err != nil || string(e.ID) != "1" || e.Params != nil {
			t.Errorf("%+v, %v", e, err)
		}
		c.Close()
		if _, err := c.server.Await(t.Context(), "m", 2); err == nil {
			t.Error("Await after the end")
		}
		var kinds []string
		for _, e := range c.server.Events() {
			kinds = append(kinds, strings.TrimSpace(e.Kind+" "+e.Method))
		}
		equal(t, "events", strings.Join(kinds, ", "), "start, message n, message m, response, end")
		if got := c.server.Received("n"); len(got) != 1 || string(got[0].Params) != `{"a":1}` {
			t.Errorf("%+v", got)
		}
	})
}

func TestCapabilities(t *testing.T) {
	lsptest.Bubble(t, func(t *testing.T) {
		c := start(t,
			parse(t, `{"server_name":"x","server_version":"1","position_encoding":"utf-8","capabilities":{"a":{"b":1,"c":2},"d":true},"capabilities_patch":{"a":{"b":null},"d":null,"e":[1]}}`))
		equal(t, "initialize", c.call(t, "initialize", map[string]any{}),
			`{"capabilities":{"a":{"c":2},"e":[1],"positionEncoding":"utf-8"},"serverInfo":{"name":"x","version":"1"}}`)
	})
}
