package mcpserver

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/cmd/lspi/internal/gateway"
)

// asSent is middleware that writes the results of other MCP servers to the host byte for byte as they came, unless lspi
// has changed them. A host of MCP 2026-07-28 gets them encoded by the SDK, which adds the type of the result.
func (s *Service) asSent(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		switch method {
		case "tools/call", "prompts/get", "resources/read":
		default:
			return next(ctx, method, req)
		}
		if !s.others.Any() || !hasHandshake(req) {
			return next(ctx, method, req)
		}
		ctx, sent := gateway.WithSent(ctx)
		result, err := next(ctx, method, req)
		if err != nil {
			return result, err
		}
		return sent.As(result), nil
	}
}

// hasHandshake reports whether a request belongs to a version of MCP with a handshake; 2025-11-25 is the last one.
func hasHandshake(req mcp.Request) bool {
	if !initialized(hostSession(req)) {
		return false
	}
	params, ok := req.GetParams().(interface{ GetMeta() map[string]any })
	return ok && params.GetMeta()[mcp.MetaKeyProtocolVersion] == nil
}

// initialized reports whether a host has sent initialize for such a version; nil has not.
func initialized(host *mcp.ServerSession) bool {
	if host == nil {
		return false
	}
	hello := host.InitializeParams()
	return hello != nil && hello.ProtocolVersion < "2026"
}
