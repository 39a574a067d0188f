package mcpserver

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/cmd/lspi/internal/gateway/mcpclient"
)

// listsFor are the lists of other MCP servers that an answer of the SDK depends on, by method: it knows no prompt
// or resource that it was not given.
var listsFor = map[string][]mcpclient.ListKind{
	"tools/list":               {mcpclient.ToolList},
	"prompts/list":             {mcpclient.PromptList},
	"prompts/get":              {mcpclient.PromptList},
	"resources/list":           {mcpclient.ResourceList},
	"resources/templates/list": {mcpclient.TemplateList},
	"resources/read":           {mcpclient.ResourceList, mcpclient.TemplateList},
	"resources/subscribe":      {mcpclient.ResourceList, mcpclient.TemplateList},
	"resources/unsubscribe":    {mcpclient.ResourceList, mcpclient.TemplateList},
	"completion/complete":      {mcpclient.PromptList, mcpclient.ResourceList, mcpclient.TemplateList},
}

// ServerKey is the key in _meta of tools/list by which lspi's own commands say that they wait for the tools of one
// MCP server as it has them now, or of all for "*".
const ServerKey = "lspi/server"

// awaitLists waits for lists of which nothing is known yet, as long as a list may wait.
func (s *Service) awaitLists(ctx context.Context, req mcp.Request, lists []mcpclient.ListKind) {
	s.begin(hostSession(req)) // also without servers: those that are added later start then
	if list, ok := req.GetParams().(*mcp.ListToolsParams); ok && list != nil {
		if id, ok := list.Meta[ServerKey].(string); ok {
			s.others.AwaitTools(ctx, id)
			s.showLists()
			return
		}
	}
	s.others.Await(ctx, lists...)
	if s.others.Version() != s.shown.Load() { // what a call has found out is in the list behind it
		s.showLists()
	}
}
