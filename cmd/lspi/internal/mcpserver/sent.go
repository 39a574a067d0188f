package mcpserver

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/cmd/lspi/internal/gateway"
)

// asSent has the results of other MCP servers written to the host as they were sent, where lspi has changed nothing
// in them. A host of protocol 2026-07-28 gets what the SDK makes of them, which adds the type of the result.
func (s *Service) asSent(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		switch method {
		case "tools/call", "prompts/get", "resources/read":
		default:
			return next(ctx, method, req)
		}
		if !s.others.Any() || !shakesHands(req) {
			return next(ctx, method, req)
		}
		ctx, sent := gateway.Keep(ctx)
		result, err := next(ctx, method, req)
		if err != nil {
			return result, err
		}
		return sent.As(result), nil
	}
}

// shakesHands reports whether a request is one of a protocol with a handshake, which ends with 2025-11-25.
func shakesHands(req mcp.Request) bool {
	if !hasShaken(hostSession(req)) {
		return false
	}
	params, ok := req.GetParams().(interface{ GetMeta() map[string]any })
	return ok && params.GetMeta()[mcp.MetaKeyProtocolVersion] == nil
}

// hasShaken reports whether a host has begun with a handshake, and by such a protocol. nil has not.
func hasShaken(host *mcp.ServerSession) bool {
	if host == nil {
		return false
	}
	hello := host.InitializeParams()
	return hello != nil && hello.ProtocolVersion < "2026"
}
