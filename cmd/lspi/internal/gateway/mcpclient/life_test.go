package mcpclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"lspi/cmd/lspi/internal/gateway/mcpclient"
	"lspi/internal/mcptest"
	"lspi/internal/testkit"
)

type (
	spec = mcpclient.Spec
	host = mcpclient.Host
	opts = mcpclient.Options
)

// An impatient caller leaves, the start goes on, and the next callers share it.
func TestStartBelongsToTheClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var starts atomic.Int32
		c := inProcess(t, func(conn *mcptest.Conn) {
			starts.Add(1)
			with(mcptest.Handlers{"initialize": func(conn *mcptest.Conn, m mcptest.Message) {
				<-time.After(5 * time.Second)
				conn.Result(m, mcptest.Hello)
			}}).Serve(conn)
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err := wantKind(t, echo(ctx, c), mcpclient.Cancelled)
		testkit.Equal(t, errors.Is(err, context.DeadlineExceeded), true, "wraps the end of the context")
		testkit.Equal(t, c.Status().State, mcpclient.Starting, "state")
		begun := time.Now()
		errs := make(chan error, 2)
		for range 2 {
			go func() { errs <- echo(t.Context(), c) }()
		}
		testkit.Must(t, <-errs)
		testkit.Must(t, <-errs)
		testkit.Equal(t, time.Since(begun), 4*time.Second, "waited")
		testkit.Equal(t, starts.Load(), int32(1), "starts")
		c.Close()
	})
}

// A call waits less for a start that hangs than hosts wait for the call, unless its own limit says otherwise. The
// start goes on.
func TestCallWaitsForAStart(t *testing.T) {
	for limit, want := range map[time.Duration]time.Duration{0: 50 * time.Second, 20 * time.Second: 20 * time.Second,
		55 * time.Second: 50 * time.Second, 2 * time.Minute: 2 * time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			c := inProcess(t, with(mcptest.Handlers{"initialize": func(*mcptest.Conn, mcptest.Message) {}}).Serve,
				func(s *spec, _ *host, _ *opts) { s.CallTimeout = limit })
			begun := time.Now()
			err := wantKind(t, echo(t.Context(), c), mcpclient.StartFailed)
			testkit.Equal(t, time.Since(begun), want, "waited")
			testkit.Equal(t, err.Message, fmt.Sprintf("the server has not started within %v; its start goes on", want))
			testkit.Equal(t, c.Status().State, mcpclient.Starting, "state")
			c.Close()
		})
	}
}

// A server that does not start is tried three times with growing pauses, then left alone for a minute, with what
// went wrong.
func TestBackOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var tries []time.Duration
		begun, healthy := time.Now(), false
		c := inProcess(t, nil, func(_ *spec, _ *host, o *opts) {
			o.Dial = func(ctx context.Context) (io.ReadWriteCloser, error) {
				tries = append(tries, time.Since(begun))
				if healthy {
					return mcptest.Dial(plain.Serve)(ctx)
				}
				return nil, errors.New("no route")
			}
		})
		err := wantKind(t, echo(t.Context(), c), mcpclient.StartFailed)
		testkit.Equal(t, fmt.Sprint(tries), "[0s 500ms 1.5s]", "tries")
		testkit.Equal(t, err.RetryIn, time.Minute, "retry in")
		testkit.Equal(t, err.Error(), "fake: connecting: no route; it is not started again for 1m0s", "text")
		time.Sleep(20 * time.Second)
		err = wantKind(t, echo(t.Context(), c), mcpclient.StartFailed)
		testkit.Equal(t, err.RetryIn, 40*time.Second, "retry in")
		testkit.Equal(t, len(tries), 3, "tries")
		testkit.Equal(t, c.Status().State, mcpclient.Failed, "state")
		time.Sleep(40 * time.Second)
		healthy = true
		testkit.Must(t, echo(t.Context(), c))
		c.Close()
	})
	synctest.Test(t, func(t *testing.T) {
		tries := 0
		c := inProcess(t, nil, func(_ *spec, _ *host, o *opts) {
			o.Dial = func(context.Context) (io.ReadWriteCloser, error) {
				tries++
				return nil, errors.New("no route")
			}
		})
		wantKind(t, echo(t.Context(), c), mcpclient.StartFailed)
		c.Retry()
		wantKind(t, echo(t.Context(), c), mcpclient.StartFailed)
		testkit.Equal(t, tries, 6, "tries")
		c.Close()
	})
}

// dying is a server that dies at the call of the tool "die".
func dying(c *mcptest.Conn) {
	with(mcptest.Handlers{"tools/call": func(c *mcptest.Conn, m mcptest.Message) {
		if mcptest.ToolName(m) == "die" {
			c.Close()
			return
		}
		c.Result(m, `{"content":[]}`)
	}}).Serve(c)
}

// A call in flight ends with Died and is not repeated; the next call starts the server again. What dies again and
// again is left alone.
func TestDies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var starts, deaths atomic.Int32
		c := inProcess(t, func(conn *mcptest.Conn) {
			starts.Add(1)
			defer deaths.Add(1)
			dying(conn)
		})
		die := func() error {
			_, err := c.CallTool(t.Context(), mcpclient.Call{Name: "die"})
			return err
		}
		testkit.Must(t, echo(t.Context(), c))
		wantKind(t, die(), mcpclient.Died)
		testkit.Equal(t, starts.Load(), int32(1), "starts")
		testkit.Equal(t, c.Status().State, mcpclient.BackingOff, "state")
		begun := time.Now()
		testkit.Must(t, echo(t.Context(), c))
		testkit.Equal(t, time.Since(begun), 500*time.Millisecond, "waited")
		testkit.Equal(t, c.Status().Restarts, 1, "restarts")
		wantKind(t, die(), mcpclient.Died)
		testkit.Must(t, echo(t.Context(), c))
		_ = wantKind(t, die(), mcpclient.Died)
		err := wantKind(t, echo(t.Context(), c), mcpclient.Died)
		testkit.Equal(t, err.RetryIn, time.Minute, "retry in")
		time.Sleep(time.Minute)
		testkit.Must(t, echo(t.Context(), c))
		time.Sleep(2 * time.Minute) // ready for long: its past is forgotten
		wantKind(t, die(), mcpclient.Died)
		testkit.Must(t, echo(t.Context(), c))
		c.Close()
		synctest.Wait()
		testkit.Equal(t, starts.Load(), deaths.Load(), "servers that ended")
	})
}

// One call hangs and times out; the server hears of it, and other calls go on. Progress begins the time anew, up to
// ten times.
func TestHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var cancelled atomic.Int32
		c := inProcess(t, with(mcptest.Handlers{
			"notifications/cancelled": func(*mcptest.Conn, mcptest.Message) { cancelled.Add(1) },
			"tools/call": func(c *mcptest.Conn, m mcptest.Message) {
				var p struct {
					Meta struct {
						Token json.RawMessage `json:"progressToken"`
					} `json:"_meta"`
				}
				_ = json.Unmarshal(m.Params, &p)
				switch mcptest.ToolName(m) {
				case "hang":
				case "work":
					go func() {
						for range 40 {
							<-time.After(30 * time.Second)
							c.Notify("notifications/progress", fmt.Sprintf(`{"progressToken":%s,"progress":1}`,
								p.Meta.Token))
						}
					}()
				default:
					c.Result(m, `{"content":[]}`)
				}
			}}).Serve)
		testkit.Must(t, echo(t.Context(), c))
		begun := time.Now()
		done := make(chan error, 1)
		go func() {
			_, err := c.CallTool(t.Context(), mcpclient.Call{Name: "hang"})
			done <- err
		}()
		synctest.Wait()
		testkit.Must(t, echo(t.Context(), c))
		wantKind(t, <-done, mcpclient.TimedOut)
		testkit.Equal(t, time.Since(begun), time.Minute, "hung")
		synctest.Wait()
		testkit.Equal(t, cancelled.Load(), int32(1), "cancelled")

		begun = time.Now()
		_, err := c.CallTool(t.Context(), mcpclient.Call{Name: "work"})
		wantKind(t, err, mcpclient.TimedOut)
		testkit.Equal(t, time.Since(begun), 10*time.Minute, "worked")
		testkit.Must(t, echo(t.Context(), c))

		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			_, err := c.CallTool(ctx, mcpclient.Call{Name: "hang"})
			done <- err
		}()
		synctest.Wait()
		cancel()
		testkit.Equal(t, errors.Is(wantKind(t, <-done, mcpclient.Cancelled), context.Canceled), true, "wraps")
		synctest.Wait()
		testkit.Equal(t, cancelled.Load(), int32(3), "cancelled")
		<-time.After(20 * time.Minute) // the worker ends
		c.Close()
	})
}

// A server that reads nothing costs its own calls a time-out, and Close does not wait for it.
func TestServerThatDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stuck := make(chan struct{})
		defer close(stuck)
		c := inProcess(t, func(conn *mcptest.Conn) {
			m, _ := conn.Next()
			conn.Result(m, mcptest.Hello)
			conn.Next() // initialized
			<-stuck
		})
		errs := make(chan error, 100)
		for range 100 {
			go func() { errs <- echo(t.Context(), c) }()
		}
		for range 100 {
			if err := <-errs; mcpclient.KindOf(err) != mcpclient.TimedOut && mcpclient.KindOf(err) != mcpclient.Busy {
				t.Error(err)
			}
		}
		begun := time.Now()
		c.Close()
		testkit.Equal(t, time.Since(begun) < 10*time.Second, true, "closed soon")
	})
}

// No more than InFlight calls run at a time, no more than Waiting wait, and the wait ends with the caller's patience.
func TestQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var now, most atomic.Int32
		release := make(chan struct{})
		c := inProcess(t, with(mcptest.Handlers{"tools/call": func(c *mcptest.Conn, m mcptest.Message) {
			most.Store(max(most.Load(), now.Add(1)))
			go func() {
				<-release
				now.Add(-1)
				c.Result(m, `{"content":[]}`)
			}()
		}}).Serve, func(_ *spec, _ *host, o *opts) { o.InFlight, o.Waiting = 4, 10 })
		errs := make(chan error, 20)
		for range 14 {
			go func() { errs <- echo(t.Context(), c) }()
		}
		synctest.Wait()
		testkit.Equal(t, c.Status().Waiting, 10, "waiting")
		wantKind(t, echo(t.Context(), c), mcpclient.Busy)
		close(release)
		for range 14 {
			testkit.Must(t, <-errs)
		}
		testkit.Equal(t, most.Load(), int32(4), "at a time")
		c.Close()
	})
}

// Close ends calls in flight, and those that wait for a start.
func TestCloseDuringCalls(t *testing.T) {
	for name, s := range map[string]mcptest.Script{
		"call":  with(mcptest.Handlers{"tools/call": func(*mcptest.Conn, mcptest.Message) {}}).Serve,
		"start": func(c *mcptest.Conn) { c.Next(); c.Next() },
	} {
		synctest.Test(t, func(t *testing.T) {
			c := inProcess(t, s)
			done := make(chan error, 1)
			go func() { done <- echo(t.Context(), c) }()
			synctest.Wait()
			c.Close()
			if kind := mcpclient.KindOf(<-done); kind != mcpclient.Closed {
				t.Errorf("%s: %s", name, kind)
			}
			c.Close()
		})
	}
}

// heap is what is in use after a collection.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse)
}

// A flood of notifications, huge lines and junk is held in bounded memory, and a call beside it is answered.
func TestFlood(t *testing.T) {
	var logs atomic.Int32
	block := make(chan struct{})
	var events recorder[mcpclient.Event]
	c := inProcess(t, with(mcptest.Handlers{"tools/call": func(c *mcptest.Conn, m mcptest.Message) {
		text := strings.Repeat("x", 1000)
		for range 5_000 {
			c.Notify("notifications/message", `{"level":"info","data":"`+text+`"}`)
			c.Notify("notifications/tools/list_changed", `{}`)
			c.Notify("notifications/resources/updated", `{"uri":"a:b"}`)
			c.Notify("notifications/progress", `{"progressToken":1,"progress":1}`)
			c.Notify("notifications/unknown", `{}`)
		}
		c.Line("Server is listening")
		c.Line(strings.Repeat("y", 3<<20))
		c.Result(m, `{"content":[]}`)
	}}).Serve, func(_ *spec, h *host, o *opts) {
		h.Log = func(mcpclient.LogMessage) { logs.Add(1); <-block }
		h.ResourceUpdated = func(string) {}
		h.Changed = func(mcpclient.ListKind) {}
		o.MaxMessage = 1 << 20
		o.Events = events.hear
	})
	progress := 0
	before := heap()
	_, err := c.CallTool(t.Context(), mcpclient.Call{Name: "echo", Progress: func(mcpclient.Progress) { progress++ }})
	testkit.Must(t, err)
	if grown := heap() - int64(before); grown > 16<<20 {
		t.Errorf("the heap grew by %d bytes", grown)
	}
	close(block)
	if n := c.Status().Dropped; n < 4_000 {
		t.Errorf("%d were dropped", n)
	}
	testkit.Equal(t, len(events.heard()), 2, "events")
	if progress == 0 {
		t.Error("no progress")
	}
}

// The answer that is over the limit costs its call; others go on. Its id is found before and behind the result.
func TestHugeAnswer(t *testing.T) {
	huge := `{"content":[{"type":"text","text":"` + strings.Repeat("x", 2<<20) + `"}]}`
	c := inProcess(t, with(mcptest.Handlers{"tools/call": func(c *mcptest.Conn, m mcptest.Message) {
		switch mcptest.ToolName(m) {
		case "before":
			c.Result(m, huge)
		case "behind":
			c.Line(fmt.Sprintf(`{"result":%s,"jsonrpc":"2.0","id":%s}`, huge, m.ID))
		default:
			c.Result(m, `{"content":[]}`)
		}
	}}).Serve, func(_ *spec, _ *host, o *opts) { o.MaxMessage = 1 << 20 })
	for _, name := range []string{"before", "behind"} {
		_, err := c.CallTool(t.Context(), mcpclient.Call{Name: name})
		testkit.Equal(t, wantKind(t, err, mcpclient.BadAnswer).Error(),
			"fake: tools/call: the answer is too large: more than 1 MiB", name)
		testkit.Must(t, echo(t.Context(), c))
	}
	testkit.Equal(t, c.Status().Restarts, 0, "restarts")
}

// A server's errors are its own, with code and data.
func TestRefused(t *testing.T) {
	c := inProcess(t, with(mcptest.Handlers{"tools/call": func(c *mcptest.Conn, m mcptest.Message) {
		switch mcptest.ToolName(m) {
		case "odd":
			// no version, the id as a string, an error that is no object
			c.Line(fmt.Sprintf(`{"id":"%s","error":"it broke"}`, m.ID))
		default:
			c.Line(fmt.Sprintf(
				`{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"no such tool","data":{"a":1}}}`, m.ID))
		}
	}}).Serve)
	err := wantKind(t, echo(t.Context(), c), mcpclient.Refused)
	testkit.Equal(t, fmt.Sprint(err.Code, " ", string(err.Data), " ", err.Message),
		`-32602 {"a":1} the server answered with error -32602: no such tool`, "error")
	_, odd := c.CallTool(t.Context(), mcpclient.Call{Name: "odd"})
	testkit.Equal(t, wantKind(t, odd, mcpclient.BadAnswer).Message, "tools/call: the answer is no message of JSON-RPC",
		"odd")
}

// Handshakes that are odd, and what becomes of them.
func TestHandshakes(t *testing.T) {
	for name, c := range map[string]struct {
		hello string
		kind  mcpclient.Kind
	}{
		"bare": {`{"protocolVersion":"2024-11-05"}`, ""},
		"nulls": {
			`{"protocolVersion":"2025-06-18","capabilities":null,"serverInfo":null,"instructions":null}`, ""},
		"wrong types": {`{"protocolVersion":"2025-03-26","capabilities":[],"serverInfo":"x","instructions":7}`,
			mcpclient.StartFailed},
		"another version": {`{"protocolVersion":"1999-01-01","capabilities":{}}`, mcpclient.StartFailed},
		"no object":       {`7`, mcpclient.StartFailed},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := inProcess(t, with(mcptest.Handlers{"initialize": mcptest.Answer(c.hello)}).Serve)
				if kind := mcpclient.KindOf(echo(t.Context(), client)); kind != c.kind {
					t.Errorf("got %q", kind)
				}
				client.Close()
			})
		})
	}
}

// lastWords is a server that waits for several calls, answers them all, and is gone.
func lastWords(c *mcptest.Conn) {
	var held []mcptest.Message
	with(mcptest.Handlers{"tools/call": func(c *mcptest.Conn, m mcptest.Message) {
		switch mcptest.ToolName(m) {
		case "echo":
			c.Result(m, `{"content":[]}`)
			return
		case "more":
			return
		}
		if held = append(held, m); len(held) < 20 {
			return
		}
		var all []string
		for _, m := range held {
			all = append(all, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":%q}]}}`,
				m.ID, strings.Repeat("x", 2000)))
		}
		c.Line(strings.Join(all, "\n"))
		os.Exit(0)
	}}).Serve(c)
}

// What a server writes to its output and is no message is the first thing to know when it does not shake hands.
func TestHandshakeBesideNoise(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := inProcess(t, func(conn *mcptest.Conn) {
			conn.Next()
			conn.Line("Listening for s3cret clients")
			conn.Next()
		}, func(s *spec, _ *host, _ *opts) { s.Env = map[string]string{"KEY": "s3cret"} })
		_, err := c.Tools(t.Context())
		want := `no handshake within 1m0s; on its output, where only messages of MCP may be, it wrote "Listening for *** clients"`
		testkit.Equal(t, wantKind(t, err, mcpclient.StartFailed).Message, want, "message")
		c.Close()
	})
}
