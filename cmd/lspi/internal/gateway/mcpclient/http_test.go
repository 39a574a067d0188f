package mcpclient_test

//lint:file-ignore SA1019 roots, sampling and logs are deprecated since 2026-07-28; hosts and servers have them still.

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/cmd/lspi/internal/gateway/mcpclient"
	"lspi/internal/testkit"
)

// overHTTP is the client of an HTTP server.
func overHTTP(t testing.TB, h http.Handler, change ...func(*spec, *host, *opts)) *mcpclient.Client {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	s, hh, o := spec{ID: "web", URL: server.URL + "/mcp?key=" + secret}, host{}, opts{}
	for _, f := range change {
		f(&s, &hh, &o)
	}
	c, err := mcpclient.New(s, hh, o)
	testkit.Must(t, err)
	t.Cleanup(c.Close)
	return c
}

// sdkServer is a server of the SDK with some of everything.
func sdkServer(t testing.TB) *mcp.Server {
	t.Helper()
	s := mcp.NewServer(&mcp.Implementation{Name: "sdk", Version: "1"}, &mcp.ServerOptions{
		SubscribeHandler:   func(context.Context, *mcp.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
		CompletionHandler: func(_ context.Context, r *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
			return &mcp.CompleteResult{
				Completion: mcp.CompletionResultDetails{Values: []string{r.Params.Argument.Value + "!"}}}, nil
		},
	})
	t.Cleanup(func() {
		for connection := range s.Sessions() { // whose clients are gone without a word
			_ = connection.Close()
		}
	})
	s.AddTool(&mcp.Tool{Name: "echo", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			if token := r.Params.GetProgressToken(); token != nil {
				for i := range 3 {
					if err := r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token,
						Progress: float64(i + 1), Total: 3, Message: "at /srv/app/x"}); err != nil {
						return nil, err
					}
				}
			}
			_ = r.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "warning", Logger: "l", Data: "reading /srv/app/x"})
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "ok"}},
				StructuredContent: r.Params.Arguments}, nil
		})
	s.AddTool(&mcp.Tool{Name: "ask", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			var said []string
			if m, err := r.Session.CreateMessage(ctx,
				&mcp.CreateMessageParams{MaxTokens: 1,
					Messages: []*mcp.SamplingMessage{{Role: "user",
						Content: &mcp.TextContent{Text: "q"}}}}); err != nil {
				said = append(said, "no sampling")
			} else {
				said = append(said, m.Content.(*mcp.TextContent).Text)
			}
			if e, err := r.Session.Elicit(ctx,
				&mcp.ElicitParams{Message: "which?",
					RequestedSchema: json.RawMessage(
						`{"type":"object","properties":{"a":{"type":"string"}}}`)}); err != nil {
				said = append(said, "no elicitation")
			} else {
				said = append(said, e.Action, fmt.Sprint(e.Content["a"]))
			}
			if roots, err := r.Session.ListRoots(ctx, nil); err != nil || len(roots.Roots) == 0 {
				said = append(said, "no roots")
			} else {
				said = append(said, roots.Roots[0].URI)
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: strings.Join(said, ", ")}}}, nil
		})
	s.AddPrompt(&mcp.Prompt{Name: "greet"}, func(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult,
		error) {
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user",
			Content: &mcp.TextContent{Text: "hello " + r.Params.Arguments["who"]}}}}, nil
	})
	s.AddResource(&mcp.Resource{URI: "file:///srv/app/notes", Name: "notes"},
		func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI,
				Text: "see /srv/app/other"}}}, nil
		})
	s.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: "file:///srv/app/{name}", Name: "files"}, nil)
	return s
}

// guarded wants a token, and counts.
type guarded struct {
	http.Handler
	token   string
	refused atomic.Int32
}

func (g *guarded) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "Bearer "+g.token {
		g.refused.Add(1)
		w.Header().Set("WWW-Authenticate", "Bearer")
		http.Error(w, "who are you? not "+r.Header.Get("Authorization"), http.StatusUnauthorized)
		return
	}
	g.Handler.ServeHTTP(w, r)
}

func streamable(s *mcp.Server, o *mcp.StreamableHTTPOptions) http.Handler {
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, o)
}

func TestHTTP(t *testing.T) {
	for name, o := range map[string]*mcp.StreamableHTTPOptions{"event streams": {}, "JSON": {JSONResponse: true},
		"stateless": {Stateless: true}} {
		t.Run(name, func(t *testing.T) {
			server := sdkServer(t)
			var told recorder[mcpclient.ListKind]
			g := &guarded{Handler: streamable(server, o), token: secret}
			c := overHTTP(t, g, func(s *spec, h *host, _ *opts) { s.Token = secret; h.Changed = told.hear })
			testkit.Equal(t, call(t, c, "echo", `{"b":1.0,"a":2}`),
				`{"content":[{"type":"text","text":"ok"}],"structuredContent":{"b":1.0,"a":2}}`, "result")
			testkit.Equal(t, c.Status().Info.Name, "sdk", "server")
			l, err := c.Tools(t.Context())
			testkit.Equal(t, show(l, err), "ask echo", "tools")
			p, err := c.GetPrompt(t.Context(), "greet", map[string]string{"who": "you"})
			testkit.Must(t, err)
			testkit.Equal(t, p.Decoded.Messages[0].Content.(*mcp.TextContent).Text, "hello you", "prompt")
			noSecret(t, c, nil)
			if name == "event streams" {
				server.RemoveTools("ask")
				testkit.Wait(t, "the news", func() bool { return len(told.heard()) > 0 })
				l, err = c.Tools(t.Context())
				testkit.Equal(t, show(l, err), "echo", "tools")
			}
			_, err = c.CallTool(t.Context(), mcpclient.Call{Name: "nosuch"})
			wantKind(t, err, mcpclient.Refused)
			c.Close()
		})
	}
}

// 401 is an error of its own, which tells no secret; it is not tried again and again.
func TestHTTPUnauthorized(t *testing.T) {
	g := &guarded{Handler: streamable(sdkServer(t), nil), token: "another"}
	c := overHTTP(t, g, func(s *spec, _ *host, _ *opts) {
		s.Headers = map[string]string{"Authorization": "Bearer " + secret}
	})
	for range 3 {
		err := wantKind(t, echo(t.Context(), c), mcpclient.Unauthorized)
		testkit.Equal(t, err.Code, 401, "code")
		noSecret(t, c, err)
	}
	testkit.Equal(t, g.refused.Load(), int32(1), "requests")

	// A token that is revoked while the session lasts.
	g = &guarded{Handler: streamable(sdkServer(t), nil), token: secret}
	c = overHTTP(t, g, func(s *spec, _ *host, _ *opts) { s.Token = secret })
	testkit.Must(t, echo(t.Context(), c))
	g.token = "another"
	wantKind(t, echo(t.Context(), c), mcpclient.Unauthorized)
}

// A session that the server forgot costs the call nothing.
func TestHTTPForgottenSession(t *testing.T) {
	var handler atomic.Pointer[http.Handler]
	renew := func() { h := streamable(sdkServer(t), nil); handler.Store(&h) }
	renew()
	c := overHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		(*handler.Load()).ServeHTTP(w, r)
	}))
	testkit.Must(t, echo(t.Context(), c))
	renew()
	testkit.Must(t, echo(t.Context(), c))
	st := c.Status()
	testkit.Equal(t, fmt.Sprintf("%v %v %v", st.State, st.Restarts, st.LastError), "ready 1 <nil>", "status")
}

// A call that goes on in a new session leaves its old id to the calls of that one: their results come as they were
// sent.
func TestHTTPForgottenSessionIDs(t *testing.T) {
	const result = `{"content":[],"structuredContent":{"b":1.0,"a":2}}`
	sent, answered := make(chan struct{}), make(chan struct{})
	var forgotten atomic.Bool
	raw := rawHTTP(func(w http.ResponseWriter, id, tool string) {
		switch {
		case tool == "moves" && !forgotten.Swap(true): // its id is 3, in the new session 2
			w.WriteHeader(http.StatusNotFound)
			return
		case tool == "moves":
			<-sent
		case tool == "second": // its id is 3
			close(sent)
			<-answered
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
	})
	c := overHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Mcp-Session-Id", "s") // without one nothing can be forgotten
		raw.ServeHTTP(w, r)
	}))
	call(t, c, "first", `{}`)
	moved := make(chan error, 1)
	go func() {
		_, err := c.CallTool(t.Context(), mcpclient.Call{Name: "moves"})
		close(answered)
		moved <- err
	}()
	testkit.Wait(t, "the new session", func() bool { return c.Status().Restarts == 1 || len(moved) > 0 })
	testkit.Equal(t, call(t, c, "second", `{}`), result, "result")
	testkit.Must(t, <-moved)
}

// A server that nobody listens at, one that goes away, and one that answers with errors of HTTP.
func TestHTTPDown(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	url := server.URL
	server.Close()
	c := overHTTP(t, http.NotFoundHandler(), func(s *spec, _ *host, _ *opts) { s.URL = url + "?k=" + secret })
	err := wantKind(t, echo(t.Context(), c), mcpclient.StartFailed)
	noSecret(t, c, err)
	if !strings.Contains(err.Error(), "connection refused") {
		t.Error(err)
	}
	c = overHTTP(t, http.NotFoundHandler())
	err = wantKind(t, echo(t.Context(), c), mcpclient.StartFailed)
	testkit.Equal(t, err.Code, 404, "code")

	var broken atomic.Bool
	inner := streamable(sdkServer(t), nil)
	c = overHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if broken.Load() && r.Method == http.MethodPost {
			http.Error(w, "later", http.StatusServiceUnavailable)
			return
		}
		inner.ServeHTTP(w, r)
	}))
	testkit.Must(t, echo(t.Context(), c))
	broken.Store(true)
	testkit.Equal(t, wantKind(t, echo(t.Context(), c), mcpclient.Refused).Code, 503, "code")
	broken.Store(false)
	testkit.Must(t, echo(t.Context(), c))
	testkit.Equal(t, c.Status().Restarts, 0, "restarts")
}

// redirecting sends everything to another server, which must not see the token.
func TestHTTPRedirect(t *testing.T) {
	var seen atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		seen.Add(1)
		if r.Header.Get("Authorization") != "" {
			t.Error("the token went to another server")
		}
	}))
	defer other.Close()
	c := overHTTP(t, http.RedirectHandler(other.URL, http.StatusTemporaryRedirect), func(s *spec, _ *host, _ *opts) {
		s.Token = secret
	})
	wantKind(t, echo(t.Context(), c), mcpclient.StartFailed)
	testkit.Equal(t, seen.Load(), int32(0), "requests")
}

// rawHTTP answers the calls of a session in its own way, and the rest as it has to be.
func rawHTTP(answer func(w http.ResponseWriter, id, tool string)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params struct {
				Name string `json:"name"`
			} `json:"params"`
		}
		_ = json.Unmarshal(body, &m)
		switch {
		case r.Method != http.MethodPost:
			w.WriteHeader(http.StatusMethodNotAllowed)
		case m.Method == "initialize":
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w,
				`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"raw","version":"1"}}}`, m.ID)
		case m.ID == nil:
			w.WriteHeader(http.StatusAccepted)
		default:
			answer(w, string(m.ID), m.Params.Name)
		}
	})
}

// What a server answers outside of the protocol over HTTP costs one call; in an event stream it costs the session,
// of which the next call makes another.
func TestHTTPLies(t *testing.T) {
	c := overHTTP(t, rawHTTP(func(w http.ResponseWriter, id, tool string) {
		stream := func(text string) { w.Header().Set("Content-Type", "text/event-stream"); io.WriteString(w, text) }
		whole := func(text string) { w.Header().Set("Content-Type", "application/json"); io.WriteString(w, text) }
		switch tool {
		case "array":
			whole(`{"jsonrpc":"2.0","id":` + id + `,"result":[1]}`)
		case "no version":
			whole(`{"id":` + id + `,"result":{"content":[]}}`)
		case "junk":
			whole(`<html>`)
		case "huge":
			whole(`{"jsonrpc":"2.0","id":` + id + `,"result":{"x":"` + strings.Repeat("x", 2<<20) + `"}}`)
		case "cut":
			w.Header().Set("Content-Length", "1000")
			whole(`{"jsonrpc`)
		case "huge event":
			stream(`data: {"jsonrpc":"2.0","id":` + id + `,"result":{"x":"` + strings.Repeat("x", 2<<20) + `"}}` +
				"\n\n")
		case "events":
			stream(": comment\nnonsense\nretry: x\nevent: message\nid: 7\ndata: {\"method\":\"notifications/message\",\"params\":{}}\n\ndata: junk\n\n" +
				"data: {\"id\":" + id + ",\ndata: \"result\":\"s\"}\r\n\r\n")
		case "no answer":
			stream("data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{}}\n\n")
		default:
			whole(`{"jsonrpc":"2.0","id":` + id + `,"result":{"content":[]}}`)
		}
	}), func(_ *spec, _ *host, o *opts) { o.MaxMessage = 1 << 20 })
	for tool, want := range map[string]string{
		"array":      `{"content":[{"type":"text","text":"[1]"}],"structuredContent":{"result":[1]}}`,
		"no version": "bad_answer",
		"junk":       "bad_answer",
		"huge":       "bad_answer",
		"cut":        "died",
		"huge event": "died",
		"events":     "died",
		"no answer":  "died",
	} {
		r, err := c.CallTool(t.Context(), mcpclient.Call{Name: tool})
		got := string(mcpclient.KindOf(err))
		if err == nil {
			got = string(r.Raw)
		}
		testkit.Equal(t, got, want, tool)
		testkit.Must(t, echo(t.Context(), c))
	}
	testkit.Equal(t, c.Status().Restarts, 2, "restarts")
}

// A call that hangs over HTTP times out, and is cancelled at the server; others go on meanwhile.
func TestHTTPHangs(t *testing.T) {
	cancelled := make(chan struct{})
	server := sdkServer(t)
	server.AddTool(&mcp.Tool{Name: "hang", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			<-ctx.Done()
			close(cancelled)
			return nil, ctx.Err()
		})
	c := overHTTP(t, streamable(server, nil), func(s *spec, _ *host, _ *opts) {
		s.CallTimeout = 300 * time.Millisecond
	})
	_, err := c.CallTool(t.Context(), mcpclient.Call{Name: "hang"})
	wantKind(t, err, mcpclient.TimedOut)
	<-cancelled
	testkit.Must(t, echo(t.Context(), c))
}

// A server that answers nothing any more does not hold Close.
func TestHTTPCloseOfHungServer(t *testing.T) {
	hung := make(chan struct{})
	var stuck atomic.Bool
	inner := streamable(sdkServer(t), nil)
	c := overHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if stuck.Load() {
			_, _ = io.Copy(io.Discard, r.Body) // or net/http does not see the end of the connection
			select {
			case <-hung:
			case <-r.Context().Done():
			}
			return
		}
		inner.ServeHTTP(w, r)
	}), func(s *spec, _ *host, o *opts) { s.CallTimeout, o.Grace = time.Second, 100*time.Millisecond })
	defer close(hung)
	_, err := c.Tools(t.Context()) // it starts, which may take longer than a call
	testkit.Must(t, err)
	testkit.Must(t, echo(t.Context(), c))
	stuck.Store(true)
	wantKind(t, echo(t.Context(), c), mcpclient.TimedOut)
	begun := time.Now()
	c.Close()
	if took := time.Since(begun); took > 3*time.Second {
		t.Errorf("it took %v", took)
	}
}
