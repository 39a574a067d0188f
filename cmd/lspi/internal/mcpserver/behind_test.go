package mcpserver

//lint:file-ignore SA1019 roots, sampling and log messages are deprecated since 2026-07-28, and what the hosts and servers of today have.

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/internal/testkit"
	"lspi/mcpclient"
	"lspi/tools/session"
)

// The workspace is what an lspi says to a server that has its tree, and what the session of an lspi is about whose
// host has no roots.
func TestAsClient(t *testing.T) {
	s := &Service{}
	s.settings.Store(&session.Settings{Root: "/home/me/my app"})
	for _, c := range []struct {
		paths map[string]string
		want  string
	}{
		{nil, `{"lspi":{"depth":1}}`},
		{map[string]string{"/srv": "/home/you"}, `{"lspi":{"depth":1}}`},
		{map[string]string{"/srv": "/home/me"}, `{"lspi":{"depth":1,"root":"file:///srv/my%20app"}}`},
		{map[string]string{"/home/me": "/home/me"}, `{"lspi":{"depth":1,"root":"file:///home/me/my%20app"}}`},
	} {
		raw, err := json.Marshal(s.asClient(nil, &mcpclient.Spec{Paths: c.paths})())
		testkit.Must(t, err)
		testkit.Equal(t, string(raw), c.want)
	}
	for name, c := range map[string]struct {
		roots []string
		says  any
		want  []string
	}{
		"a host without roots":        {nil, nil, nil},
		"an lspi":                     {nil, client{1, "file:///srv"}, []string{"file:///srv"}},
		"an lspi whose host has some": {[]string{"file:///a"}, client{1, "file:///srv"}, []string{"file:///a"}},
		"nonsense":                    {nil, []int{1}, nil},
	} {
		caps := &mcp.ClientCapabilities{Experimental: map[string]any{capability: c.says}}
		host := mcp.NewClient(&mcp.Implementation{Name: "h", Version: "1"}, &mcp.ClientOptions{Capabilities: caps})
		for _, root := range c.roots {
			caps.RootsV2 = &mcp.RootCapabilities{}
			host.AddRoots(&mcp.Root{URI: root})
		}
		here, there := mcp.NewInMemoryTransports()
		server := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"},
			&mcp.ServerOptions{Logger: slog.New(slog.DiscardHandler)})
		session, err := server.Connect(context.Background(), here, nil)
		testkit.Must(t, err)
		connected, err := host.Connect(t.Context(), there, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
		testkit.Must(t, err)
		testkit.Equal(t, strings.Join(hostRoots(t.Context(), session), " "), strings.Join(c.want, " "), name)
		_ = connected.Close()
	}
}
