package config

import (
	"testing"

	"lspi/internal/testkit"
)

// The same files give the same MCP server each time that they are read: another one would be started anew.
func TestMCPServerIsTheSameEachTime(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"A", "B", "C", "D"} {
		w.env[name] = "value of " + name
	}
	w.user(`[mcp_servers.x]
command = "sh"
env = { A = "${A}", B = "${B}" }
headers = { C = "${C}" }
paths = { "/srv" = "/home/${D}" }
`)
	first := w.sound().MCPServers["x"]
	for range 20 {
		testkit.Diff(t, w.load().MCPServers["x"], first)
	}
}
