package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/cmd/lspi/internal/gateway"
	"lspi/cmd/lspi/internal/gateway/mcpclient"
	"lspi/internal/events"
	"lspi/internal/testkit"
	"lspi/tools/session"
	"lspi/tools/toolstest"
)

type event struct {
	Event   string
	Request int
	ID      json.RawMessage
	Host    string
	Tool    string
	Method  string
	Bytes   int
	Error   string
	Code    int
	Server  string
}

// eventsOf has a host ask something of a service with an MCP server behind it, and gives what was recorded.
func eventsOf(t *testing.T, ask func(*mcp.ClientSession)) (out []event) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "events")
	recorder := (&events.Files{}).Recorder()
	testkit.Must(t, recorder.Follow(events.Options{Path: path, Debug: func() bool { return true }}))
	opened := toolstest.Open(t, testkit.Project(t, map[string]string{"a.go": "package a\n"}))
	s := NewService(ServiceOptions{Log: slog.New(slog.DiscardHandler), Events: recorder,
		Open: func(context.Context, []string) (*session.Session, error) { return opened, nil }})
	s.server.AddPrompt(&mcp.Prompt{Name: "other__greet"},
		func(ctx context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			if r.Params.Meta[idKey] != nil {
				t.Errorf("the id of the request is passed on: %v", r.Params.Meta)
			}
			asked := events.From(ctx).Ask(events.Question{Provider: events.MCP, Server: "other", Method: "prompts/get",
				Name: "greet"})
			asked.End(events.Reply{Bytes: 2})
			return &mcp.GetPromptResult{Description: "hello"}, nil
		})
	s.server.AddResource(&mcp.Resource{URI: "other://x?token=swordfish", Name: "x"},
		func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return nil, errors.New("no swordfish here")
		})
	here, there := mcp.NewInMemoryTransports()
	served := make(chan error, 1)
	go func() { served <- s.Run(t.Context(), here) }()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), there, nil)
	testkit.Must(t, err)
	ask(session)
	s.Close(errors.New("the test is over"))
	_ = session.Close()
	<-served
	recorder.Close()
	raw, err := os.ReadFile(path)
	testkit.Must(t, err)
	if bytes.Contains(raw, []byte("token=swordfish")) {
		t.Errorf("a secret is in %s", raw)
	}
	for _, text := range bytes.Split(bytes.TrimSpace(raw), []byte{'\n'}) {
		var e event
		testkit.Must(t, json.Unmarshal(text, &e))
		if len(e.ID) == 0 || e.Host != "test" || e.Request == 0 {
			t.Errorf("%s", text)
		}
		e.ID = nil
		out = append(out, e)
	}
	return out
}

// Prompts, resources and tools of other servers are recorded as lspi's own tools are, and lists are not.
func TestEventsOfOtherServers(t *testing.T) {
	got := eventsOf(t, func(session *mcp.ClientSession) {
		_, err := session.ListTools(t.Context(), nil)
		testkit.Must(t, err)
		_, err = session.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "other__greet",
			Arguments: map[string]string{"who": "you"}})
		testkit.Must(t, err)
		if _, err = session.ReadResource(t.Context(),
			&mcp.ReadResourceParams{URI: "other://x?token=swordfish"}); err == nil {
			t.Error("a resource was read")
		}
		_ = envelopeOf(t, session, "no_such_tool", map[string]any{})
	})
	for i := range got {
		if got[i].Event == "host.response" || got[i].Error == "unknown_tool" {
			got[i].Bytes = 0
		}
	}
	testkit.Diff(t, got, []event{
		{Event: "host.request", Request: 1, Host: "test", Tool: "other__greet", Method: "prompts/get", Bytes: 13},
		{Event: "server.request", Request: 1, Host: "test", Tool: "other__greet", Method: "prompts/get",
			Server: "other"},
		{Event: "server.response", Request: 1, Host: "test", Tool: "other__greet", Method: "prompts/get",
			Server: "other", Bytes: 2},
		{Event: "host.response", Request: 1, Host: "test", Tool: "other__greet", Method: "prompts/get"},
		{Event: "host.request", Request: 2, Host: "test", Tool: "other://x?token=***", Method: "resources/read"},
		{Event: "host.error", Request: 2, Host: "test", Tool: "other://x?token=***", Method: "resources/read",
			Error: "protocol_error"},
		{Event: "host.request", Request: 3, Host: "test", Tool: "no_such_tool", Method: "tools/call", Bytes: 2},
		{Event: "host.error", Request: 3, Host: "test", Tool: "no_such_tool", Method: "tools/call",
			Error: "unknown_tool"},
	})
}

// Over HTTP, too, the id of a request is in its events.
func TestEventsOverHTTP(t *testing.T) {
	path := filepath.Join(t.TempDir(), "events")
	recorder := (&events.Files{}).Recorder()
	testkit.Must(t, recorder.Follow(events.Options{Path: path}))
	_, url := overHTTP(t, func(o *HTTPOptions) {
		o.New = func() (ServiceOptions, func()) {
			return ServiceOptions{Log: slog.New(slog.DiscardHandler), Events: recorder}, func() {}
		}
	})
	_ = envelopeOf(t, dial(t, url, nil), "no_such_tool", map[string]any{})
	recorder.Close()
	raw, err := os.ReadFile(path)
	testkit.Must(t, err)
	lines := bytes.Split(bytes.TrimSpace(raw), []byte{'\n'})
	testkit.Equal(t, len(lines), 2)
	for _, text := range lines {
		var e event
		testkit.Must(t, json.Unmarshal(text, &e))
		if len(e.ID) == 0 || e.Host != "test" || e.Tool != "no_such_tool" {
			t.Errorf("%s", text)
		}
	}
}

// What an MCP server says that is no message is recorded, and belongs to no request.
func TestUndecodableServer(t *testing.T) {
	path := filepath.Join(t.TempDir(), "events")
	recorder := (&events.Files{}).Recorder()
	testkit.Must(t, recorder.Follow(events.Options{Path: path}))
	f := gateway.New(gateway.Options{Log: slog.New(slog.DiscardHandler), Events: recorder, Changed: func() {}})
	f.Set([]session.MCPServer{{MCPSpec: session.MCPSpec{ID: "bad", Command: "sh",
		Args: []string{"-c", "echo no message; sleep 60"}, Environ: bareEnvironment(), Cwd: t.TempDir()}}})
	f.Begin(mcpclient.Host{})
	testkit.Wait(t, "the event", func() bool {
		raw, err := os.ReadFile(path)
		return err == nil && bytes.Contains(raw, []byte(`"event":"decode.failed"`))
	})
	f.Close()
	recorder.Close()
	raw, err := os.ReadFile(path)
	testkit.Must(t, err)
	testkit.Holds(t, string(raw), `"provider":"mcp","server":"bad","ms":0,`)
	testkit.Holds(t, string(raw), `"reason":"a line that is no message"}`)
}
