package mcpserver

//lint:file-ignore SA1019 MCP 2026-07-28 deprecates roots, sampling and logs; hosts and servers of today use them.

import (
	"context"
	"maps"
	"net/url"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/yosida95/uritemplate/v3"

	"lspi/cmd/lspi/internal/gateway"
	"lspi/tools/session"
)

// promptList holds the prompts, resources and resource templates that the SDK lists. All of them belong to other MCP
// servers; lspi has none of its own.
type promptList struct {
	server *mcp.Server
	others *gateway.Servers

	mu    sync.Mutex
	shown map[string]string // JSON by kind and name; guarded by mu
	owner map[string]string // the server's id by URI of a resource or template; guarded by mu
}

// set shows the prompts and resources of the servers that the preset of a configuration includes.
func (l *promptList) set(s *session.Settings, others *gateway.Servers) {
	allowed := func(id string) bool { return s.Preset.HasServer(id) }
	l.mu.Lock()
	defer l.mu.Unlock()
	now, owner := map[string]string{}, map[string]string{}
	for _, p := range others.Prompts(allowed) {
		if !s.Preset.HasPrompt(p.Shown.Name) {
			continue
		}
		key := "prompt " + p.Shown.Name
		if now[key] = string(mustRaw(p.Shown)); now[key] != l.shown[key] {
			l.server.AddPrompt(p.Shown, l.getPrompt)
		}
	}
	for _, r := range others.Resources(allowed) {
		var key, uri string
		var shown any
		if r.Shown != nil {
			uri, shown = r.Shown.URI, r.Shown
			key = "resource " + uri
		} else {
			uri, shown = r.Template.URITemplate, r.Template
			key = "template " + uri
		}
		if !l.usable(r) || !s.Preset.HasResource(uri) {
			continue
		}
		owner[uri] = r.Server
		if now[key] = string(mustRaw(shown)); now[key] == l.shown[key] && owner[uri] == l.owner[uri] {
			continue
		}
		read := l.reader(r.Server)
		if r.Shown != nil {
			l.server.AddResource(r.Shown, read)
		} else {
			l.server.AddResourceTemplate(r.Template, read)
		}
	}
	for key := range l.shown {
		if now[key] == "" {
			l.remove(key)
		}
	}
	l.shown, l.owner = now, owner
}

// usable reports whether the SDK accepts the URI of a resource; it panics for others (go-sdk 1.8.0).
func (l *promptList) usable(r gateway.Resource) bool {
	if r.Shown != nil {
		u, err := url.Parse(r.Shown.URI)
		return err == nil && u.IsAbs()
	}
	_, err := uritemplate.New(r.Template.URITemplate)
	return err == nil
}

// remove takes a prompt, resource or template, by its key in shown, off the SDK's lists.
func (l *promptList) remove(key string) {
	for prefix, remove := range map[string]func(...string){"prompt ": l.server.RemovePrompts,
		"resource ": l.server.RemoveResources, "template ": l.server.RemoveResourceTemplates} {
		if len(key) > len(prefix) && key[:len(prefix)] == prefix {
			remove(key[len(prefix):])
		}
	}
}

func (l *promptList) getPrompt(ctx context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	return l.others.GetPrompt(ctx, req.Params.Name, req.Params.Arguments)
}

func (l *promptList) reader(id string) mcp.ResourceHandler {
	return func(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return l.others.ReadResource(ctx, id, req.Params.URI)
	}
}

// ownerOf returns the id of the server that listed a resource, or a template that the URI fits; "" for none.
func (l *promptList) ownerOf(uri string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if id := l.owner[uri]; id != "" {
		return id
	}
	for _, known := range slices.Sorted(maps.Keys(l.owner)) {
		if t, err := uritemplate.New(known); err == nil && t.Regexp().MatchString(uri) {
			return l.owner[known]
		}
	}
	return ""
}

// capabilitiesFor returns the capabilities that the handshake declares. Prompts and log messages come from other MCP
// servers only, but servers may be added while a session runs, and a host asks only for what was declared at the
// start; so both are always declared. Resources are declared only when a server is configured: Claude Code shows its
// model two more tools as soon as one server declares them.
func capabilitiesFor(s *session.Settings) *mcp.ServerCapabilities {
	out := &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: true},
		Prompts: &mcp.PromptCapabilities{ListChanged: true}, Logging: &mcp.LoggingCapabilities{}}
	if len(s.MCPServers) > 0 {
		out.Resources = &mcp.ResourceCapabilities{ListChanged: true, Subscribe: true}
	}
	return out
}

// complete answers completion/complete with the server that has the prompt or resource.
func (s *Service) complete(ctx context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	return s.others.Complete(ctx, req.Params, s.prompts.ownerOf)
}

func (s *Service) subscribe(ctx context.Context, req *mcp.SubscribeRequest) error {
	return s.others.Subscribe(ctx, s.prompts.ownerOf(req.Params.URI), req.Params.URI, false)
}

func (s *Service) unsubscribe(ctx context.Context, req *mcp.UnsubscribeRequest) error {
	return s.others.Subscribe(ctx, s.prompts.ownerOf(req.Params.URI), req.Params.URI, true)
}

// othersChanged is called when the list of another MCP server has changed, and shows the new one.
func (s *Service) othersChanged() {
	<-s.listed
	s.showLists()
}
