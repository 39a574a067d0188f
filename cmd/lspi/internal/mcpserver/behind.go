package mcpserver

import (
	"encoding/json"
	"net/url"
	"path/filepath"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/contract"
	"lspi/mcpclient"
)

// lspi behind lspi: what one says to the other as its client, in an experimental capability, which servers of other
// kinds do not look at. Roots would say the workspace, too, but other servers do less where a client has roots
// (server-filesystem 2026.8.31 leaves the folders of its command line), and a host without roots has to see the
// same through lspi as directly.

// capability is the name of the experimental capability.
const capability = "lspi"

// client is the value of the capability.
type client struct {
	// how many lspi the host goes through up to this server; 0 for a host of its own
	Depth int    `json:"depth"`
	Root  string `json:"root,omitempty"` // a file URI of the workspace, as the server's machine has it
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

// asClient is the capability for a server. The workspace is told only to one that has its tree, as paths of its
// table says: any other would hear it, too.
func (s *Service) asClient(host *mcp.ServerSession, spec *mcpclient.Spec) func() map[string]any {
	depth := clientOf(host).Depth + 1
	return func() map[string]any {
		c := client{Depth: depth}
		if root := s.root(); root != "" {
			c.Root, _ = spec.Remote((&url.URL{Scheme: "file", Path: filepath.ToSlash(root)}).String())
		}
		return map[string]any{capability: c}
	}
}
