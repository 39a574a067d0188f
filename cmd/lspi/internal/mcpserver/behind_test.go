package mcpserver

import (
	"context"
	"encoding/json"
	"log/slog"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/internal/testkit"
)

// An lspi says how many stand before the server; a host of its own, or one that says nonsense, says none.
func TestAsClient(t *testing.T) {
	raw, err := json.Marshal(asClient(nil))
	testkit.Must(t, err)
	testkit.Equal(t, string(raw), `{"lspi":{"depth":1}}`)
	for name, c := range map[string]struct {
		says any
		want int
	}{"a host": {nil, 0}, "an lspi": {client{2}, 2}, "nonsense": {[]int{1}, 0}} {
		host := mcp.NewClient(&mcp.Implementation{Name: "h", Version: "1"}, &mcp.ClientOptions{
			Capabilities: &mcp.ClientCapabilities{Experimental: map[string]any{capability: c.says}}})
		here, there := mcp.NewInMemoryTransports()
		server := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"},
			&mcp.ServerOptions{Logger: slog.New(slog.DiscardHandler)})
		session, err := server.Connect(context.Background(), here, nil)
		testkit.Must(t, err)
		connected, err := host.Connect(t.Context(), there, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
		testkit.Must(t, err)
		testkit.Equal(t, clientOf(session).Depth, c.want, name)
		_ = connected.Close()
	}
}
