package mcpserver

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/internal/mcptest"
	"lspi/internal/testkit"
	"lspi/tools/session"
	"lspi/tools/toolstest"
)

// sent are results whose members the SDK would put into another order, whose numbers it would round, and whose
// unknown members it would drop.
var sent = map[string]string{
	"tools/call":     `{"structuredContent":{"z":12345678901234567890,"a":1.10},"content":[{"text":"<b>","type":"text"}],"later":{"y":1,"x":2}}`,
	"prompts/get":    `{"messages":[{"content":{"text":"x","type":"text"},"role":"user"}],"later":1.0}`,
	"resources/read": `{"contents":[{"text":"x","uri":"file:///x","mimeType":"text/plain","later":2}]}`,
}

// sender is a server that answers with sent.
func sender(c *mcptest.Conn) {
	h := mcptest.Handlers{
		"tools/list":               mcptest.Answer(`{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}`),
		"prompts/list":             mcptest.Answer(`{"prompts":[{"name":"hello"}]}`),
		"resources/list":           mcptest.Answer(`{"resources":[{"uri":"file:///x","name":"x"}]}`),
		"resources/templates/list": mcptest.Answer(`{"resourceTemplates":[]}`),
	}
	for method, result := range sent {
		h[method] = mcptest.Answer(result)
	}
	h.Serve(c)
}

// The results of other servers reach a host byte by byte as they were sent.
func TestSentAsItIs(t *testing.T) {
	path, env := mcptest.Program("sends")
	s := NewService(ServiceOptions{Version: "1", Log: slog.New(slog.DiscardHandler),
		Settings: session.Settings{
			MCPServers: []session.MCPServer{{MCPSpec: session.MCPSpec{ID: "x", Command: path, Env: env,
				Environ: os.Environ()}}}},
		Open: func(context.Context, []string) (*session.Session, error) {
			return toolstest.Open(t, t.TempDir()), nil
		}})
	here, there := mcp.NewInMemoryTransports()
	go func() { _ = s.Run(context.Background(), here) }()
	t.Cleanup(func() { s.Close(errors.New("over")) })
	host, err := there.Connect(t.Context())
	testkit.Must(t, err)
	t.Cleanup(func() { _ = host.Close() })
	ask := func(id float64, method, params string) string {
		t.Helper()
		r := &jsonrpc.Request{Method: method, Params: []byte(params)}
		r.ID, _ = jsonrpc.MakeID(id)
		testkit.Must(t, host.Write(t.Context(), r))
		for {
			m, err := host.Read(t.Context())
			testkit.Must(t, err)
			if answer, ok := m.(*jsonrpc.Response); ok && answer.ID == r.ID {
				testkit.Must(t, answer.Error)
				return string(answer.Result)
			}
		}
	}
	ask(1, "initialize",
		`{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"host","version":"1"}}`)
	testkit.Must(t,
		host.Write(t.Context(), &jsonrpc.Request{Method: "notifications/initialized", Params: []byte(`{}`)}))
	for method, params := range map[string]string{
		"tools/call": `{"name":"x__echo","arguments":{}}`, "prompts/get": `{"name":"x__hello"}`,
		"resources/read": `{"uri":"file:///x"}`,
	} {
		testkit.Equal(t, ask(2, method, params), sent[method], method)
	}
}
