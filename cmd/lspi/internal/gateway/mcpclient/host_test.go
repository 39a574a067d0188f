package mcpclient_test

//lint:file-ignore SA1019 roots, sampling and logs are deprecated since 2026-07-28; hosts and servers have them still.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/cmd/lspi/internal/gateway/mcpclient"
	"lspi/internal/mcptest"
	"lspi/internal/testkit"
)

// overPipe is the client of a server of the SDK in this process.
func overPipe(t testing.TB, s *mcp.Server, change ...func(*spec, *host, *opts)) *mcpclient.Client {
	t.Helper()
	return inProcess(t, nil, append([]func(*spec, *host, *opts){func(_ *spec, _ *host, o *opts) {
		o.Dial = func(ctx context.Context) (io.ReadWriteCloser, error) {
			ours, theirs := net.Pipe()
			_, err := s.Connect(ctx, &mcp.IOTransport{Reader: theirs, Writer: theirs}, nil)
			return ours, err
		}
	}}, change...)...)
}

// bothWays runs a test with a server of the SDK over a pipe and over HTTP.
func bothWays(t *testing.T, f func(t *testing.T, open func(change ...func(*spec, *host, *opts)) *mcpclient.Client)) {
	t.Run("pipe", func(t *testing.T) {
		f(t, func(change ...func(*spec, *host, *opts)) *mcpclient.Client {
			return overPipe(t, sdkServer(t), change...)
		})
	})
	t.Run("HTTP", func(t *testing.T) {
		f(t, func(change ...func(*spec, *host, *opts)) *mcpclient.Client {
			return overHTTP(t, streamable(sdkServer(t), nil), change...)
		})
	})
}

// fullHost answers all that a server may ask.
func fullHost(_ *spec, h *host, _ *opts) {
	h.CreateMessage = func(_ context.Context, p *mcp.CreateMessageWithToolsParams) (*mcp.CreateMessageWithToolsResult,
		error) {
		return &mcp.CreateMessageWithToolsResult{Role: "assistant", Model: "m",
			Content: []mcp.Content{&mcp.TextContent{Text: "answer to " +
				p.Messages[0].Content[0].(*mcp.TextContent).Text}}}, nil
	}
	h.Elicit = func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error) {
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"a": "this", "name": "this"}}, nil
	}
	h.Roots = func(context.Context) ([]*mcp.Root, error) {
		return []*mcp.Root{{URI: "file:///home/me/app", Name: "app"}}, nil
	}
}

// What the server asks goes to the host, and what the host lacks is not announced.
func TestAsksBack(t *testing.T) {
	bothWays(t, func(t *testing.T, open func(...func(*spec, *host, *opts)) *mcpclient.Client) {
		text := func(c *mcpclient.Client) string {
			r, err := c.CallTool(t.Context(), mcpclient.Call{Name: "ask"})
			testkit.Must(t, err)
			return r.Decoded.Content[0].(*mcp.TextContent).Text
		}
		c := open(fullHost)
		testkit.Equal(t, text(c), `answer to q, accept, this, file:///home/me/app`, "all")
		testkit.Equal(t, text(open()), `no sampling, no elicitation, no roots`, "nothing")
		c = open(fullHost, func(_ *spec, h *host, _ *opts) {
			h.Elicit, h.Roots = nil, nil
			h.Sampling = &mcp.SamplingCapabilities{Tools: &mcp.SamplingToolsCapabilities{}}
			// of a host that lacks the function
			h.Elicitation = &mcp.ElicitationCapabilities{URL: &mcp.URLElicitationCapabilities{}}
		})
		testkit.Equal(t, text(c), `answer to q, no elicitation, no roots`, "sampling")
		c = open(func(_ *spec, h *host, _ *opts) {
			h.CreateMessage = func(context.Context,
				*mcp.CreateMessageWithToolsParams) (*mcp.CreateMessageWithToolsResult, error) {
				panic("inside")
			}
			h.Elicit = func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error) {
				return nil, errors.New("not now")
			}
		})
		testkit.Equal(t, text(c), `no sampling, no elicitation, no roots`, "failing")
	})
}

// What is announced is what the host has, to the letter.
func TestCapabilities(t *testing.T) {
	for want, change := range map[string]func(*spec, *host, *opts){
		`{}`: func(*spec, *host, *opts) {},
		`{"sampling":{},"elicitation":{"form":{}},"roots":{"listChanged":true}}`: fullHost,
		`{"sampling":{"tools":{}}}`: func(s *spec, h *host, o *opts) {
			fullHost(s, h, o)
			h.Elicit, h.Roots = nil, nil
			h.Sampling = &mcp.SamplingCapabilities{Tools: &mcp.SamplingToolsCapabilities{}}
			h.Elicitation = &mcp.ElicitationCapabilities{} // of a host that lacks the function
		},
		`{"elicitation":{"form":{},"url":{}}}`: func(s *spec, h *host, o *opts) {
			fullHost(s, h, o)
			h.CreateMessage, h.Roots = nil, nil
			h.Elicitation = &mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{},
				URL: &mcp.URLElicitationCapabilities{}}
		},
	} {
		var hello struct {
			Capabilities json.RawMessage `json:"capabilities"`
			Client       json.RawMessage `json:"clientInfo"`
		}
		c := inProcess(t, with(mcptest.Handlers{"initialize": func(c *mcptest.Conn, m mcptest.Message) {
			_ = json.Unmarshal(m.Params, &hello)
			c.Result(m, mcptest.Hello)
		}}).Serve, change, func(_ *spec, _ *host, o *opts) { o.Version = "1.2" })
		testkit.Must(t, echo(t.Context(), c))
		testkit.Equal(t, string(hello.Capabilities), want, "capabilities")
		testkit.Equal(t, string(hello.Client), `{"name":"lspi","version":"1.2"}`, "client")
	}
}

// Progress and log messages pass, in their order; progress never comes after the result.
func TestProgressAndLogs(t *testing.T) {
	bothWays(t, func(t *testing.T, open func(...func(*spec, *host, *opts)) *mcpclient.Client) {
		var logs recorder[mcpclient.LogMessage]
		c := open(func(_ *spec, h *host, _ *opts) { h.Log = logs.hear })
		testkit.Must(t, c.SetLevel(t.Context(), "info"))
		var got []mcpclient.Progress
		_, err := c.CallTool(t.Context(),
			mcpclient.Call{Name: "echo", Meta: json.RawMessage(`{"progressToken":"host's","x":1}`),
				Progress: func(p mcpclient.Progress) { got = append(got, p) }})
		testkit.Must(t, err)
		testkit.Equal(t, fmt.Sprint(got), "[{1 3 at /srv/app/x} {2 3 at /srv/app/x} {3 3 at /srv/app/x}]", "progress")
		testkit.Wait(t, "the log message", func() bool { return len(logs.heard()) == 1 })
		testkit.Equal(t, fmt.Sprintf("%s", logs.heard()), `[{warning l "reading /srv/app/x"}]`, "logs")
	})
}

// What goes out and what comes back is passed on as it is.
func TestPassesOn(t *testing.T) {
	bothWays(t, func(t *testing.T, open func(...func(*spec, *host, *opts)) *mcpclient.Client) {
		c := open()
		testkit.Equal(t,
			call(t, c, "echo", `{"path":"/srv/app/x.go","uri":"file:///srv/y","n":1.50,"text":"in /srv/app"}`),
			`{"content":[{"type":"text","text":"ok"}],"structuredContent":{"path":"/srv/app/x.go","uri":"file:///srv/y","n":1.50,"text":"in /srv/app"}}`, "there and back")
		l, err := c.Resources(t.Context())
		testkit.Must(t, err)
		testkit.Equal(t, l.Items[0].Item.URI, "file:///srv/app/notes", "resource")
		templates, err := c.ResourceTemplates(t.Context())
		testkit.Must(t, err)
		testkit.Equal(t, templates.Items[0].Item.URITemplate, "file:///srv/app/{name}", "template")
		r, err := c.ReadResource(t.Context(), "file:///srv/app/notes")
		testkit.Must(t, err)
		testkit.Equal(t, string(r.Raw),
			`{"ttlMs":0,"cacheScope":"public","contents":[{"uri":"file:///srv/app/notes","text":"see /srv/app/other"}]}`, "contents")
		testkit.Must(t, c.Subscribe(t.Context(), "file:///srv/app/notes"))
		testkit.Must(t, c.Unsubscribe(t.Context(), "file:///srv/app/notes"))
		p, err := c.GetPrompt(t.Context(), "greet", map[string]string{"who": "/srv/z"})
		testkit.Must(t, err)
		testkit.Equal(t, p.Decoded.Messages[0].Content.(*mcp.TextContent).Text, "hello /srv/z", "prompt")
		done, err := c.Complete(t.Context(),
			&mcp.CompleteParams{Ref: &mcp.CompleteReference{Type: "ref/prompt", Name: "greet"},
				Argument: mcp.CompleteParamsArgument{Name: "who", Value: "/srv/app"}})
		testkit.Must(t, err)
		testkit.Equal(t, done.Decoded.Completion.Values[0], "/srv/app!", "completion")
	})
}

// resources/updated is told for what was subscribed to.
func TestResourceUpdated(t *testing.T) {
	var updated recorder[string]
	c := inProcess(t, with(mcptest.Handlers{
		"resources/subscribe": func(c *mcptest.Conn, m mcptest.Message) {
			c.Result(m, "{}")
			c.Notify("notifications/resources/updated", string(m.Params))
		},
	}).Serve, func(_ *spec, h *host, _ *opts) { h.ResourceUpdated = updated.hear })
	testkit.Must(t, c.Subscribe(t.Context(), "file:///srv/app/n"))
	testkit.Wait(t, "the update", func() bool { return len(updated.heard()) > 0 })
	testkit.Equal(t, updated.heard()[0], "file:///srv/app/n", "uri")
}

// Levels and subscriptions outlive a restart of the server.
func TestRestore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var heard recorder[string]
		note := func(c *mcptest.Conn, m mcptest.Message) {
			heard.hear(m.Method + string(m.Params))
			c.Result(m, "{}")
		}
		c := inProcess(t,
			with(mcptest.Handlers{"logging/setLevel": note, "resources/subscribe": note, "resources/unsubscribe": note,
				"tools/call": func(c *mcptest.Conn, _ mcptest.Message) { c.Close() }}).Serve)
		testkit.Must(t, c.SetLevel(t.Context(), "error"))
		testkit.Must(t, c.Subscribe(t.Context(), "a:1"))
		testkit.Must(t, c.Subscribe(t.Context(), "a:2"))
		testkit.Must(t, c.Unsubscribe(t.Context(), "a:1"))
		before := len(heard.heard())
		wantKind(t, echo(t.Context(), c), mcpclient.Died)
		wantKind(t, echo(t.Context(), c), mcpclient.Died)
		testkit.Equal(t, fmt.Sprint(heard.heard()[before:]),
			`[logging/setLevel{"level":"error"} resources/subscribe{"uri":"a:2"}]`, "again")
		c.Close()
	})
}

// A server that asks without end is not read any more until the host has answered; its requests end with the
// connection.
func TestAsksWithoutEnd(t *testing.T) {
	var now, most atomic.Int32
	c := inProcess(t, func(conn *mcptest.Conn) {
		m, _ := conn.Next()
		conn.Result(m, mcptest.Hello)
		for i := range 10_000 {
			conn.Ask(i+1, "roots/list", `{}`)
		}
	}, func(_ *spec, h *host, o *opts) {
		h.Roots = func(ctx context.Context) ([]*mcp.Root, error) {
			most.Store(max(most.Load(), now.Add(1)))
			defer now.Add(-1)
			<-ctx.Done()
			return nil, ctx.Err()
		}
		o.Grace = 100 * time.Millisecond
	})
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	wantKind(t, echo(ctx, c), mcpclient.Cancelled)
	c.Close()
	testkit.Equal(t, now.Load(), int32(0), "still answered")
	if n := most.Load(); n == 0 || n > 64 {
		t.Errorf("%d at a time", n)
	}
}

// A change of the roots is told, and the server gets the new ones.
func TestRootsChanged(t *testing.T) {
	asked := make(chan string, 4)
	var where atomic.Value
	where.Store("file:///a")
	server := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, &mcp.ServerOptions{
		RootsListChangedHandler: func(ctx context.Context, r *mcp.RootsListChangedRequest) {
			go func() {
				roots, err := r.Session.ListRoots(context.WithoutCancel(ctx), nil)
				if err != nil {
					asked <- err.Error()
					return
				}
				asked <- roots.Roots[0].URI
			}()
		}})
	server.AddTool(&mcp.Tool{Name: "echo", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{}, nil
		})
	c := overPipe(t, server, func(_ *spec, h *host, _ *opts) {
		h.Roots = func(context.Context) ([]*mcp.Root, error) { return []*mcp.Root{{URI: where.Load().(string)}}, nil }
	})
	testkit.Must(t, echo(t.Context(), c))
	where.Store("file:///b")
	c.RootsChanged()
	testkit.Equal(t, <-asked, "file:///b", "root")
}

// A server of the protocol without a handshake only is reached as well.
func TestServerOfTheNewestProtocol(t *testing.T) {
	server := mcp.NewServer(&mcp.Implementation{Name: "new", Version: "9"},
		&mcp.ServerOptions{SupportedProtocolVersions: []string{"2026-07-28"}})
	server.AddTool(&mcp.Tool{Name: "echo", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "ok"}},
				StructuredContent: r.Params.Arguments}, nil
		})
	refuse := func(conn *mcptest.Conn) { // what knows no initialize
		m, _ := conn.Next()
		conn.Refuse(m, -32601, "no such method")
		conn.Next()
	}
	first := true
	c := inProcess(t, nil, func(_ *spec, _ *host, o *opts) {
		o.Dial = func(ctx context.Context) (io.ReadWriteCloser, error) {
			if first {
				first = false
				return mcptest.Dial(refuse)(ctx)
			}
			ours, theirs := net.Pipe()
			_, err := server.Connect(ctx, &mcp.IOTransport{Reader: theirs, Writer: theirs}, nil)
			return ours, err
		}
	})
	r, err := c.CallTool(t.Context(), mcpclient.Call{Name: "echo", Arguments: json.RawMessage(`{"z":1,"a":2}`)})
	testkit.Must(t, err)
	testkit.Equal(t, string(r.Decoded.StructuredContent.(json.RawMessage)), `{"z":1,"a":2}`, "structured")
	st := c.Status()
	testkit.Equal(t, st.Info.Protocol+" "+st.Info.Name, "2026-07-28 new", "server")
	l, err := c.Tools(t.Context())
	testkit.Equal(t, show(l, err), "echo", "tools")
}
