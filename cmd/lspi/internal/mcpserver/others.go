package mcpserver

//lint:file-ignore SA1019 roots, sampling and log messages are deprecated since 2026-07-28, and what the hosts and servers of today have.

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

// What the service does with other MCP servers, beyond what package gateway has of them: their tools are listed and
// called behind the same filter as lspi's own, and their results are bounded by the same cap.

// begin starts the other MCP servers for the host that asks.
func (s *Service) begin(host *mcp.ServerSession) {
	if depth := clientOf(host).Depth; depth >= maxDepth {
		if s.others.Any() {
			s.opt.Log.Warn("other MCP servers are not started, because lspi stands behind lspi too often", "depth",
				depth)
		}
		return
	}
	out := s.hostFor(host)
	out.Experimental = asClient(host)
	s.others.Begin(out)
}

// usable are the servers that a session has.
func usable(s *session.Settings) []session.MCPServer {
	return slices.DeleteFunc(slices.Clone(s.MCPServers), func(m session.MCPServer) bool { return m.LeftOut })
}

// offered are the tools of other servers that a configuration allows, as tools/list shows them.
func (s *Service) offered(settings *session.Settings) []*mcp.Tool {
	var out []*mcp.Tool
	for _, t := range s.others.Tools() {
		if answer.Refused(settings, t.Entry) == nil {
			out = append(out, withDefaults(settings, t.Shown))
		}
	}
	return out
}

// withDefaults is a tool whose schema shows the configured defaults of its arguments, except those of arguments
// that it does not have, or that are required.
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

// IsOthers reports whether a name is one of a tool of another MCP server of the configuration, whether or not the
// server has it.
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
	s.session.refresh() // what a call obeys is what the files say now
	settings := s.settings.Load()
	s.begin(req.Session)
	result, err := s.callOther(ctx, req, r, settings, id)
	if err != nil {
		result = failed(settings, r, err)
	}
	logOther(s.opt.Log, r, id, result, err, time.Since(began))
	return result, nil
}

func (s *Service) callOther(ctx context.Context, req *mcp.CallToolRequest, r answer.Request,
	settings *session.Settings, id string) (result *mcp.CallToolResult, err error) {
	defer func() {
		if p := recover(); p != nil { // it would kill the process (go-sdk 1.8.0)
			s.opt.Log.Error("panic in a call of another MCP server", "tool", r.Tool, "panic", p, "stack",
				string(debug.Stack()))
			err = contract.Errorf(contract.KindPanic, contract.Facts{"tool": r.Tool},
				"%s failed because of a bug in lspi: %v", r.Tool, p)
		}
	}()
	// What a preset leaves out is not looked at.
	name := session.Canonical(r.Tool)
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

// filled are the arguments of a call with the configured defaults of those that it does not give. A required
// argument has no default.
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

// failed is the envelope of a call that did not get to a result.
func failed(s *session.Settings, r answer.Request, err error) *mcp.CallToolResult {
	f := tools.Failed(s, r, err)
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: f.Text}}, StructuredContent: f.Structured,
		IsError: true}
}

// metaFor is the _meta of a call for the server that it goes to: without what is lspi's own.
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

// progressOf passes progress on to the host, if it gave a token with the call; nil if not.
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

// hostFor is what the host offers to other servers: what it said in the handshake, and nothing since 2026-07-28,
// where a server asks for nothing while it serves a request.
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
