package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/internal/events"
	"lspi/internal/mcptest"
	"lspi/internal/testkit"
	"lspi/tools/session"
	"lspi/tools/toolstest"
)

// answered are the results of the tools of the server "many" that simply answer.
var answered = map[string]string{
	"text":   `{"content":[{"type":"text","text":"ö <b>"}]}`,
	"failed": `{"content":[{"type":"text","text":"no"}],"isError":true}`,
}

// many is a server with these tools, and some that do not simply answer.
func many(c *mcptest.Conn) {
	var tools []string
	for name := range answered {
		tools = append(tools, name)
	}
	tools = append(tools, "refuse", "hang", "die", "progress", "write", "cancelled", "unset", "calls")
	var listed []string
	for _, name := range tools {
		listed = append(listed,
			fmt.Sprintf(
				`{"name":%q,"inputSchema":{"type":"object","properties":{"n":{}}},"annotations":{"readOnlyHint":%v}}`,
				name, name != "write"))
	}
	var cancelled []string
	var deaf bool
	var calls int
	mcptest.Handlers{
		"tools/list": mcptest.Answer(`{"tools":[` + strings.Join(listed, ",") + `]}`),
		"notifications/cancelled": func(_ *mcptest.Conn, m mcptest.Message) {
			cancelled = append(cancelled, string(m.Params))
		},
		"tools/call": func(c *mcptest.Conn, m mcptest.Message) {
			var p struct {
				Meta struct {
					Token json.RawMessage `json:"progressToken"`
				} `json:"_meta"`
			}
			_ = json.Unmarshal(m.Params, &p)
			calls++
			switch name := mcptest.ToolName(m); name {
			case "refuse":
				c.Refuse(m, -32042, "not today")
			case "unset":
				c.Result(m, unset)
			case "calls":
				c.Result(m, fmt.Sprintf(`{"content":[{"text":"%d","type":"text"}]}`, calls))
			case "hang":
				c.Notify("notifications/progress", fmt.Sprintf(`{"progressToken":%s,"progress":1}`, p.Meta.Token))
			case "die":
				os.Exit(3)
			case "progress":
				for i := range 3 {
					c.Notify("notifications/progress", fmt.Sprintf(`{"progressToken":%s,"progress":%d,"message":"%s"}`,
						p.Meta.Token, i+1, "on it"))
				}
				c.Result(m, answered["text"])
			case "write":
				c.Result(m, string(
					mustRaw(map[string]any{"content": []any{map[string]any{"type": "text",
						"text": string(m.Params)}}})))
			case "cancelled":
				c.Result(m, string(
					mustRaw(map[string]any{"content": []any{map[string]any{"type": "text",
						"text": fmt.Sprint(len(cancelled))}}})))
			default:
				if name == "text" && strings.Contains(string(m.Params), "deaf") {
					deaf = true
				}
				c.Result(m, answered[name])
			}
			for deaf {
				time.Sleep(time.Hour)
			}
		},
	}.Serve(c)
}

// rawHost is a host that has the messages in its hands, in front of the server "many".
type rawHost struct {
	t       *testing.T
	conn    mcp.Connection
	service *Service
	deaf    atomic.Bool // the host reads one message more, and then none before hears is closed
	hears   chan struct{}
	said    chan *jsonrpc.Request
	answers chan *jsonrpc.Response
	last    float64
}

func newRawHost(t *testing.T, change ...func(*session.Settings, *session.MCPSpec)) *rawHost {
	t.Helper()
	path, env := mcptest.Program("many")
	spec := session.MCPSpec{ID: "x", Command: path, Env: env, Environ: os.Environ()}
	settings := session.Settings{MaxChars: 20_000}
	for _, f := range change {
		f(&settings, &spec)
	}
	settings.MCPServers = []session.MCPServer{{MCPSpec: spec}}
	h := &rawHost{t: t, hears: make(chan struct{}), said: make(chan *jsonrpc.Request, 100),
		answers: make(chan *jsonrpc.Response, 1000)}
	h.service = NewService(ServiceOptions{Version: "1", Log: slog.New(slog.DiscardHandler), Settings: settings,
		listWait: testkit.Patience,
		Open: func(context.Context, []string) (*session.Session, error) {
			session := toolstest.Open(t, t.TempDir())
			session.Settings.MCPServers = settings.MCPServers
			return session, nil
		}})
	here, there := mcp.NewInMemoryTransports()
	ran := make(chan struct{})
	go func() {
		defer close(ran)
		_ = h.service.Run(context.Background(), here)
	}()
	var err error
	h.conn, err = there.Connect(t.Context())
	testkit.Must(t, err)
	go func() {
		for {
			m, err := h.conn.Read(context.Background())
			if err != nil {
				close(h.answers)
				return
			}
			deaf := h.deaf.Load() // before the test gets the message, and may set it
			switch m := m.(type) {
			case *jsonrpc.Response:
				h.answers <- m
			case *jsonrpc.Request:
				h.said <- m
			}
			if deaf {
				<-h.hears
			}
		}
	}()
	t.Cleanup(func() {
		_ = h.conn.Close()
		<-ran // which waits for the calls under way
		h.service.Close(errors.New("over"))
	})
	h.ask("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"host","version":"1"}}`)
	h.send(nil, "notifications/initialized", ``)
	h.ask("tools/list", `{}`)
	return h
}

func (h *rawHost) send(id any, method, params string) {
	h.t.Helper()
	r := &jsonrpc.Request{Method: method, Params: json.RawMessage(params)}
	r.ID, _ = jsonrpc.MakeID(id)
	testkit.Must(h.t, h.conn.Write(context.Background(), r))
}

// begin sends a request, and returns its id.
func (h *rawHost) begin(method, params string) float64 {
	h.t.Helper()
	h.last++
	h.send(h.last, method, params)
	return h.last
}

// answer is the next answer, which has to be to the request of an id.
func (h *rawHost) answer(id float64) *jsonrpc.Response {
	h.t.Helper()
	select {
	case got, ok := <-h.answers:
		if !ok {
			h.t.Fatal("the connection ended")
		}
		testkit.Equal(h.t, got.ID.Raw(), any(int64(id)), "the id")
		return got
	case <-time.After(testkit.Patience):
		h.t.Fatal("no answer")
		return nil
	}
}

func (h *rawHost) ask(method, params string) *jsonrpc.Response {
	h.t.Helper()
	return h.answer(h.begin(method, params))
}

// call is the result of a call, of which the host hears no error of JSON-RPC.
func (h *rawHost) call(params string) string {
	h.t.Helper()
	got := h.ask("tools/call", params)
	testkit.Must(h.t, got.Error)
	return string(got.Result)
}

// hang begins a call that the server has and does not answer, and returns its id.
func (h *rawHost) hang() float64 {
	h.t.Helper()
	id := h.begin("tools/call", `{"name":"x__hang","arguments":{},"_meta":{"progressToken":"hang"}}`)
	for m := range h.said {
		if m.Method == "notifications/progress" {
			break
		}
	}
	return id
}

// kindOf is the kind of the error in an envelope; "" for none.
func kindOf(result string) string {
	var r struct {
		Structured struct {
			Error struct {
				Data struct {
					Reason struct{ Kind string } `json:"lspi_error"`
				}
			}
		} `json:"structuredContent"`
	}
	_ = json.Unmarshal([]byte(result), &r)
	return r.Structured.Error.Data.Reason.Kind
}

// A tool that the session may not call is not called, and a default of the configuration is filled in.
func TestOthersCallWithSettings(t *testing.T) {
	h := newRawHost(t, func(s *session.Settings, _ *session.MCPSpec) {
		s.ReadOnly = true
		s.Defaults = map[string]map[string]json.RawMessage{"x__text": {"n": json.RawMessage("7")}}
	})
	testkit.Equal(t, kindOf(h.call(`{"name":"x__write","arguments":{}}`)), "read_only", "kind")
	testkit.Equal(t, h.call(`{"name":"x__text","arguments":{}}`), answered["text"], "result")
	testkit.Equal(t, h.call(`{"name":"x__failed","arguments":{}}`), answered["failed"], "result")
}

// A call obeys what the session says that was opened anew while the call came.
func TestOthersCallBehindAChange(t *testing.T) {
	h := newRawHost(t)
	h.call(`{"name":"list_servers","arguments":{}}`) // opens the session
	session := h.service.session.current()
	session.Outdated = func() bool { // by now the next one is there
		settings := *h.service.settings.Load()
		settings.ReadOnly = true
		h.service.settings.Store(&settings)
		return false
	}
	testkit.Equal(t, kindOf(h.call(`{"name":"x__write","arguments":{}}`)), "read_only", "kind")

	session.Outdated = func() bool { return true }
	h.service.session.retire()
	testkit.Equal(t, h.service.session.refresh(), true, "refreshed between two sessions")
}

// A call is recorded as soon as somebody wants that, also in a session that runs.
func TestOthersCallIsRecorded(t *testing.T) {
	files := &events.Files{Log: slog.New(slog.DiscardHandler)}
	recorder := files.Recorder()
	defer recorder.Close()
	h := newRawHost(t)
	h.service.opt.Events = recorder
	h.call(`{"name":"x__text","arguments":{}}`)
	path := filepath.Join(t.TempDir(), "events")
	testkit.Must(t, recorder.Follow(events.Options{Path: path}))
	testkit.Equal(t, h.call(`{"name":"x__text","arguments":{}}`), answered["text"], "result")
	testkit.Wait(t, "the call is recorded", func() bool {
		raw, _ := os.ReadFile(path)
		return strings.Contains(string(raw), `"x__text"`)
	})
}

// Progress comes before the result, with the host's own token.
func TestOthersProgress(t *testing.T) {
	h := newRawHost(t)
	for _, token := range []string{`"mine"`, `7`} {
		testkit.Equal(t, h.call(`{"name":"x__progress","arguments":{},"_meta":{"progressToken":`+token+
			`,"more":true}}`), answered["text"], "result")
		var got []string
		for len(got) < 3 {
			if m := <-h.said; m.Method == "notifications/progress" {
				got = append(got, m.Method+" "+string(m.Params))
			}
		}
		want := []string{}
		for i := range 3 {
			want = append(want,
				fmt.Sprintf(`notifications/progress {"message":"on it","progress":%d,"progressToken":%s}`, i+1, token))
		}
		testkit.Equal(t, sorted(t, got), sorted(t, want), "progress")
	}
}

// sorted are notifications with the members of their parameters in order.
func sorted(t *testing.T, messages []string) string {
	for i, m := range messages {
		method, params, _ := strings.Cut(m, " ")
		messages[i] = method + " " + shape(t, json.RawMessage(params))
	}
	return strings.Join(messages, "\n")
}

// A call that the host cancels is cancelled at the server, and is over.
func TestOthersCallIsCancelled(t *testing.T) {
	h := newRawHost(t)
	id := h.hang()
	other := h.begin("tools/call", `{"name":"x__text","arguments":{}}`)
	h.answer(other) // goes on beside it
	h.send(nil, "notifications/cancelled", fmt.Sprintf(`{"requestId":%v,"reason":"enough"}`, id))
	got := h.answer(id)
	testkit.Must(t, got.Error)
	testkit.Equal(t, kindOf(string(got.Result)), "cancelled", "kind")
	testkit.Wait(t, "the server hears of one cancellation", func() bool {
		return h.call(`{"name":"x__cancelled","arguments":{}}`) == `{"content":[{"text":"1","type":"text"}]}`
	})
	h.send(nil, "notifications/cancelled", fmt.Sprintf(`{"requestId":%v}`, id)) // it is over
	testkit.Equal(t, h.call(`{"name":"x__text","arguments":{}}`), answered["text"], "result")
}

// The calls in flight hear that the server died or does not answer, and the next one starts it again.
func TestOthersServerDies(t *testing.T) {
	h := newRawHost(t, func(_ *session.Settings, s *session.MCPSpec) { s.CallTimeout = 2 * time.Second })
	hung := h.hang()
	dead := h.begin("tools/call", `{"name":"x__die","arguments":{}}`)
	got := map[int64]string{}
	for range 2 {
		a := <-h.answers
		got[a.ID.Raw().(int64)] = kindOf(string(a.Result))
		if !strings.Contains(string(a.Result), "whether the call had an effect") {
			t.Errorf("no step tells that the call may have had an effect: %s", a.Result)
		}
	}
	testkit.Equal(t, fmt.Sprint(got[int64(hung)], got[int64(dead)]), "mcp_server_unavailablemcp_server_unavailable",
		"kinds")
	testkit.Equal(t, h.call(`{"name":"x__text","arguments":{}}`), answered["text"], "behind its next start")
	testkit.Equal(t, kindOf(h.call(`{"name":"x__hang","arguments":{}}`)), "mcp_server_timeout", "kind")
}

// The end of the service, and of the connection, end the calls.
func TestEndEndsOthersCalls(t *testing.T) {
	h := newRawHost(t)
	id := h.hang()
	go h.service.Close(errors.New("over"))
	testkit.Equal(t, kindOf(string(h.answer(id).Result)), "cancelled", "kind")
	h = newRawHost(t)
	h.hang()
	// The cleanup closes the connection, and waits for the call.
}

// A host that does not read any more does not hold up the end of the service.
func TestDeafHostOfOthers(t *testing.T) {
	h := newRawHost(t)
	h.call(`{"name":"x__text","arguments":{}}`)
	h.deaf.Store(true)
	for range 6 {
		h.begin("tools/call", `{"name":"x__text","arguments":{}}`)
	}
	<-h.answers // the one that it reads
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		h.service.Close(errors.New("over"))
	}()
	select {
	case <-closed:
	case <-time.After(testkit.Patience):
		t.Error("it does not end")
	}
	close(h.hears)
}

// unset is the error of an lspi without a workspace.
const unset = `{"content":[],"isError":true,"structuredContent":{"error":{"data":{"lspi_error":{"kind":"workspace_not_set"}}}}}`

// unbound is a server that answers so before it is told a workspace, and then with the digits of numbers that it is
// sent, or not at all.
func unbound(c *mcptest.Conn) {
	bound, tool := false, `{"name":%q,"inputSchema":{"type":"object"}}`
	mcptest.Handlers{
		"tools/list": mcptest.Answer(`{"tools":[` + fmt.Sprintf(tool+","+tool+","+tool+","+tool, "bind_workspace",
			"exact", "hang", "unbind") + `]}`),
		"tools/call": func(c *mcptest.Conn, m mcptest.Message) {
			name := mcptest.ToolName(m)
			switch {
			case name == "bind_workspace", name == "unbind":
				bound = name == "bind_workspace"
				c.Result(m, `{"content":[]}`)
			case !bound:
				c.Result(m, unset)
			case name == "exact":
				c.Result(m, `{"structuredContent":{"z":1.10,"a":12345678901234567890},"content":[]}`)
			default:
				c.Notify("notifications/message", `{"level":"error","data":"hangs"}`)
			}
		},
	}.Serve(c)
}

// A server that wants to hear the workspace first is told it, and the call can be cancelled all the while.
func TestOthersServerIsBound(t *testing.T) {
	h := newRawHost(t, func(s *session.Settings, spec *session.MCPSpec) {
		s.Root = t.TempDir()
		_, spec.Env = mcptest.Program("unbound")
	})
	testkit.Must(t, h.ask("logging/setLevel", `{"level":"error"}`).Error)
	testkit.Equal(t, h.call(`{"name":"x__exact"}`),
		`{"structuredContent":{"z":1.10,"a":12345678901234567890},"content":[]}`, "result")
	h.call(`{"name":"x__unbind"}`)
	id := h.begin("tools/call", `{"name":"x__hang"}`)
	for m := range h.said {
		if m.Method == "notifications/message" { // it was told, and hangs
			break
		}
	}
	h.send(nil, "notifications/cancelled", fmt.Sprintf(`{"requestId":%v}`, id))
	testkit.Equal(t, kindOf(string(h.answer(id).Result)), "cancelled", "kind")
}

// The call of a server that cannot be told the workspace is made once, whatever it answers.
func TestOthersServerIsNotBound(t *testing.T) {
	h := newRawHost(t, func(s *session.Settings, spec *session.MCPSpec) { s.Root = t.TempDir() })
	testkit.Equal(t, kindOf(h.call(`{"name":"x__unset"}`)), "workspace_not_set", "kind")
	testkit.Equal(t, h.call(`{"name":"x__calls"}`), `{"content":[{"text":"2","type":"text"}]}`,
		"calls that the server had")
}

// A server that does not read any more holds up nobody but its own calls.
func TestDeafOthersServer(t *testing.T) {
	h := newRawHost(t, func(_ *session.Settings, s *session.MCPSpec) { s.CallTimeout = time.Second })
	h.call(`{"name":"x__text","arguments":{"n":"deaf"}}`)
	var begun int
	for range 50 {
		h.begin("tools/call", `{"name":"x__text","arguments":{"n":"`+strings.Repeat("y", 3000)+`"}}`)
		begun++
	}
	ping := h.begin("ping", `{}`)
	answers := map[int64]bool{}
	for len(answers) == 0 || !answers[int64(ping)] {
		select {
		case a := <-h.answers:
			answers[a.ID.Raw().(int64)] = true
		case <-time.After(testkit.Patience):
			t.Fatal("the ping is not answered")
		}
	}
	for len(answers) < begun+1 {
		a := <-h.answers
		answers[a.ID.Raw().(int64)] = true
		if kind := kindOf(string(a.Result)); kind != "mcp_server_timeout" && kind != "mcp_server_unavailable" {
			t.Errorf("%s: %.300s", kind, a.Result)
		}
	}
}
