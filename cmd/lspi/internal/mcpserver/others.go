package mcpserver

//lint:file-ignore SA1019 MCP 2026-07-28 deprecates roots, sampling and logs; hosts and servers of today use them.

import (
	"context"
	"encoding/json"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/cmd/lspi/internal/gateway"
	"lspi/cmd/lspi/internal/gateway/mcpclient"
	"lspi/contract"
	"lspi/tools"
	"lspi/tools/answer"
	"lspi/tools/session"
)

// The tools of other MCP servers pass the same filter as lspi's own when they are listed and called, and their results
// have the same cap.

// begin starts the other MCP servers, once; their requests to a host go to the one that asks now.
func (s *Service) begin(host *mcp.ServerSession) {
	if depth := clientOf(host).Depth; depth >= maxDepth {
		if s.others.Any() {
			s.opt.Log.Warn("other MCP servers are not started: lspi is the server of another lspi too many times over",
				"depth", depth)
		}
		return
	}
	out := s.hostFor(host)
	out.Experimental = asClient(host)
	s.others.Begin(out)
}

// usable returns the MCP servers of a configuration without those that are left out.
func usable(s *session.Settings) []session.MCPServer {
	return slices.DeleteFunc(slices.Clone(s.MCPServers), func(m session.MCPServer) bool { return m.LeftOut })
}

// offered returns the tools of other servers that a configuration allows, as tools/list shows them.
func (s *Service) offered(settings *session.Settings) []*mcp.Tool {
	var out []*mcp.Tool
	for _, t := range s.others.Tools() {
		if answer.Refused(settings, t.Entry) == nil {
			out = append(out, withDefaults(settings, t.Shown))
		}
	}
	return out
}

// withDefaults returns a copy of a tool whose input schema shows the configured defaults. Defaults for arguments that
// the tool does not have, or requires, are ignored.
func withDefaults(s *session.Settings, t *mcp.Tool) *mcp.Tool {
	defaults := s.Defaults[t.Name]
	raw, ok := t.InputSchema.(json.RawMessage)
	if len(defaults) == 0 || !ok {
		return t
	}
	var schema, properties map[string]json.RawMessage
	var required []string
	if json.Unmarshal(raw, &schema) != nil || json.Unmarshal(schema["properties"], &properties) != nil {
		return t
	}
	_ = json.Unmarshal(schema["required"], &required)
	for argument, value := range defaults {
		var p map[string]json.RawMessage
		if slices.Contains(required, argument) || json.Unmarshal(properties[argument], &p) != nil || p == nil {
			continue
		}
		p["default"] = value
		properties[argument] = mustRaw(p)
	}
	schema["properties"] = mustRaw(properties)
	shown := *t
	shown.InputSchema = json.RawMessage(mustRaw(schema))
	return &shown
}

// IsOthers reports whether name has the form of a tool of another configured MCP server, and returns that server's id.
// Whether the server has such a tool is not asked.
func IsOthers(s *session.Settings, name string) (id string, ok bool) {
	id, _, ok = session.ServerOf(name)
	return id, ok && slices.ContainsFunc(s.MCPServers, func(m session.MCPServer) bool { return m.ID == id })
}

// handleOther answers the call of a tool of another MCP server; its error is always nil.
func (s *Service) handleOther(ctx context.Context, req *mcp.CallToolRequest, r answer.Request,
	id string) (*mcp.CallToolResult, error) {
	began := time.Now()
	if !s.enter() {
		return failed(s.settings.Load(), r, notBegun(s.ctx)), nil
	}
	defer s.work.Done()
	s.session.refresh() // so that the call obeys the configuration files as they are now
	settings := s.settings.Load()
	s.begin(req.Session)
	result, err := s.callOther(ctx, req, r, settings, id)
	if err != nil {
		result = failed(settings, r, err)
	}
	logOther(s.opt.Log, r, id, result, err, time.Since(began))
	return result, nil
}

// callOther calls a tool of the server id, after the checks that lspi's own tools pass, and bounds the result.
func (s *Service) callOther(ctx context.Context, req *mcp.CallToolRequest, r answer.Request,
	settings *session.Settings, id string) (result *mcp.CallToolResult, err error) {
	defer func() {
		if p := recover(); p != nil { // the SDK does not recover panics of handlers (go-sdk 1.8.0)
			s.opt.Log.Error("panic in a call of another MCP server", "tool", r.Tool, "panic", p, "stack",
				string(debug.Stack()))
			err = contract.Errorf(contract.KindPanic, contract.Facts{"tool": r.Tool},
				"%s failed because of a bug in lspi: %v", r.Tool, p)
		}
	}()
	// The preset comes first: what it leaves out is refused before anything else about the call is looked at.
	name := session.Listed(r.Tool)
	if settings.Preset != nil {
		only := session.Settings{Preset: &session.Preset{Name: settings.Preset.Name, Tools: settings.Preset.Tools,
			Servers: settings.Preset.Servers, Missing: settings.Preset.Missing}}
		if err := answer.Refused(&only, &session.Entry{Name: name, Provider: session.ServerProvider(id)}); err != nil {
			return nil, err
		}
	}
	if r.Fault != nil {
		return nil, r.Fault
	}
	t, found, err := s.others.Find(ctx, name)
	switch {
	case !found:
		return nil, contract.Errorf(contract.KindMCPServerUnavailable,
			contract.Facts{"mcp_server": id, "reason": string(mcpclient.Closed)},
			"the MCP server %s is not there any more", id)
	case err != nil:
		return nil, err
	}
	if err := answer.Refused(settings, t.Entry); err != nil {
		return nil, err
	}
	result, err = s.others.Call(ctx, t, filled(t, settings.Defaults[t.Name], r.Arguments), metaFor(req),
		progressOf(ctx, req))
	if err != nil {
		return nil, err
	}
	return bound(settings, r.Host, t, result), nil
}

// filled returns the arguments of a call, with configured defaults for those that it omits. Required arguments get no
// default.
func filled(t gateway.Tool, defaults map[string]json.RawMessage, given json.RawMessage) json.RawMessage {
	if len(defaults) == 0 {
		return given
	}
	var schema struct {
		Properties map[string]json.RawMessage
		Required   []string
	}
	raw, _ := t.Shown.InputSchema.(json.RawMessage)
	if json.Unmarshal(raw, &schema) != nil {
		return given
	}
	allowed := maps.Clone(defaults)
	maps.DeleteFunc(allowed, func(argument string, _ json.RawMessage) bool {
		return schema.Properties[argument] == nil || slices.Contains(schema.Required, argument)
	})
	return tools.FillDefaults(allowed, given)
}

// failed returns the result of a call that ended with err instead of the server's result.
func failed(s *session.Settings, r answer.Request, err error) *mcp.CallToolResult {
	f := tools.Failed(s, r, err)
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: f.Text}}, StructuredContent: f.Structured,
		IsError: true}
}

// metaFor returns the _meta of a call for another server, without the keys of lspi and of this connection; nil when
// nothing is left.
func metaFor(req *mcp.CallToolRequest) json.RawMessage {
	meta := maps.Clone(req.Params.Meta)
	maps.DeleteFunc(meta, func(key string, _ any) bool {
		return key == CallKey || key == faultKey || key == idKey || strings.HasPrefix(key, "io.modelcontextprotocol/")
	})
	if len(meta) == 0 {
		return nil
	}
	return json.RawMessage(mustRaw(meta))
}

// progressOf returns what passes a server's progress on to the host; nil when the call has no progress token.
func progressOf(ctx context.Context, req *mcp.CallToolRequest) func(mcpclient.Progress) {
	token := req.Params.GetProgressToken()
	if token == nil || req.Session == nil {
		return nil
	}
	return func(p mcpclient.Progress) {
		_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: p.Progress,
			Total: p.Total, Message: p.Message})
	}
}

// hostFor returns what the host does for other servers: show log messages and updates, and what it declared in the
// handshake (sampling, elicitation, roots). A host of MCP 2026-07-28 gets no requests: there a server may not send any
// while it serves one.
func (s *Service) hostFor(host *mcp.ServerSession) mcpclient.Host {
	out := mcpclient.Host{
		Log: func(m mcpclient.LogMessage) {
			_ = host.Log(s.ctx, &mcp.LoggingMessageParams{Level: mcp.LoggingLevel(m.Level), Logger: m.Logger,
				Data: m.Data})
		},
		ResourceUpdated: func(uri string) {
			_ = s.server.ResourceUpdated(s.ctx, &mcp.ResourceUpdatedNotificationParams{URI: uri})
		},
	}
	hello := (*mcp.InitializeParams)(nil)
	if host != nil {
		hello = host.InitializeParams()
	}
	if hello == nil || hello.Capabilities == nil || hello.ProtocolVersion >= "2026" {
		return out
	}
	if caps := hello.Capabilities; caps.Sampling != nil {
		out.Sampling, out.CreateMessage = caps.Sampling, host.CreateMessageWithTools
	}
	if caps := hello.Capabilities; caps.Elicitation != nil {
		out.Elicitation, out.Elicit = caps.Elicitation, formsOf(host)
	}
	if hello.Capabilities.RootsV2 != nil {
		out.Roots = func(ctx context.Context) ([]*mcp.Root, error) {
			list, err := host.ListRoots(ctx, nil)
			if err != nil {
				return nil, err
			}
			return list.Roots, nil
		}
	}
	return out
}
