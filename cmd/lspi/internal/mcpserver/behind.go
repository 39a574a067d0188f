package mcpserver

import (
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/contract"
)

// An lspi can be an MCP server of another lspi. The outer one then tells the inner one its depth in an experimental
// capability, which other servers ignore.

// capability is the name of the experimental capability.
const capability = "lspi"

// client is the value of the capability.
type client struct {
	// Depth is the number of lspi processes between the host and this server; 0 for a host's own connection.
	Depth int `json:"depth"`
}

// maxDepth bounds the chain: an lspi that is configured as its own server would start processes for ever.
const maxDepth = 3

// clientOf returns what the client of a session says about itself as an lspi; zero for other clients.
func clientOf(host *mcp.ServerSession) (c client) {
	if host == nil {
		return c
	}
	hello := host.InitializeParams()
	if hello == nil || hello.Capabilities == nil {
		return c
	}
	raw, err := contract.Marshal(hello.Capabilities.Experimental[capability])
	if err == nil {
		_ = json.Unmarshal(raw, &c) // a value of another form counts as none
	}
	return c
}

// workspaceRoot returns the root of the open session, else the one that the settings name; "" while none is known.
func (s *Service) workspaceRoot() string {
	if now := s.session.current(); now != nil {
		return now.Workspace.Root
	}
	return s.settings.Load().Root
}

// asClient returns the experimental capability for a server.
func asClient(host *mcp.ServerSession) map[string]any {
	return map[string]any{capability: client{Depth: clientOf(host).Depth + 1}}
}
