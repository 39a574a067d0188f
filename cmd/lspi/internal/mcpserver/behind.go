package mcpserver

import (
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/contract"
)

// lspi behind lspi: what one says to the other as its client, in an experimental capability, which servers of other
// kinds do not look at.

// capability is the name of the experimental capability.
const capability = "lspi"

// client is the value of the capability.
type client struct {
	Depth int `json:"depth"` // how many lspi the host goes through up to this server; 0 for a host of its own
}

// maxDepth is how many lspi may stand one behind another: an lspi that reached itself would start processes for ever.
const maxDepth = 3

// clientOf is what the host of a session says as an lspi.
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
		_ = json.Unmarshal(raw, &c) // what cannot be read says nothing
	}
	return c
}

// root is the workspace; "" while it is not known.
func (s *Service) root() string {
	if now := s.session.current(); now != nil {
		return now.Workspace.Root
	}
	return s.settings.Load().Root
}

// asClient is the capability for a server.
func asClient(host *mcp.ServerSession) map[string]any {
	return map[string]any{capability: client{Depth: clientOf(host).Depth + 1}}
}
