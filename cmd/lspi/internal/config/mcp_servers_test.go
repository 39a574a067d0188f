package config

import (
	"testing"

	"lspi/internal/testkit"
)

// The same files give the same MCP server each time that they are read: another one would be started anew.
func TestMCPServerIsTheSameEachTime(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"A", "B", "C"} {
		w.env[name] = "value of " + name
	}
	w.user(`[mcp_servers.x]
command = "sh"
env = { A = "${A}", B = "${B}" }
headers = { C = "${C}" }
`)
	first := w.sound().MCPServers["x"]
	for range 20 {
		testkit.Diff(t, w.load().MCPServers["x"], first)
	}
}

// The home folder is no secret where a server is given a folder in it: else *** would stand in most paths of logs
// and events.
func TestHomeIsNoSecret(t *testing.T) {
	w := newWorld(t)
	w.env["KEY"] = "value of KEY"
	w.user("[mcp_servers.x]\ncommand = \"sh\"\nargs = [\"${HOME}/notes\", \"--key=${KEY}\"]\n")
	s := w.sound().MCPServers["x"]
	testkit.Diff(t, s.Args, []string{w.home + "/notes", "--key=value of KEY"})
	testkit.Diff(t, s.Secrets, []string{"value of KEY"})
}
