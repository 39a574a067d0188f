package mcpserver

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/cmd/lspi/internal/gateway/mcpclient"
)

// listsFor maps a method to the lists of other MCP servers that its answer depends on: the SDK refuses prompts and
// resources that were not added to it.
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

// ServerKey is the key in _meta of tools/list with which lspi's own commands ask for the present tools of one MCP
// server, by its id, or of all with "*"; the answer then waits for them.
const ServerKey = "lspi/server"

// awaitLists waits for lists of which nothing is known yet, up to gateway.Options.ListWait.
func (s *Service) awaitLists(ctx context.Context, req mcp.Request, lists []mcpclient.ListKind) {
	s.begin(hostSession(req)) // even when no server is configured: one that is added later then starts at once
	if list, ok := req.GetParams().(*mcp.ListToolsParams); ok && list != nil {
		if id, ok := list.Meta[ServerKey].(string); ok {
			s.others.AwaitTools(ctx, id)
			s.showLists()
			return
		}
	}
	s.others.Await(ctx, lists...)
	if s.others.Version() != s.shown.Load() { // a call may have seen a newer list than the one shown
		s.showLists()
	}
}
