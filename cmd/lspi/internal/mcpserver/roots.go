package mcpserver

//lint:file-ignore SA1019 MCP 2026-07-28 deprecates roots; today's hosts offer them.

import (
	"context"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// rootsLimit is how long the host may take to list its roots; the first call waits for them.
const rootsLimit = 2 * time.Second

// rootsOf returns a function that asks the host for its roots. The request has the values of the call's context, by
// which the SDK sends it on the stream of that call's answer over HTTP, but it goes on when the call is cancelled:
// other calls wait for the same session.
func rootsOf(call context.Context, host *mcp.ServerSession) func(context.Context) []string {
	return func(ctx context.Context) []string { return hostRoots(valued{ctx, call}, host) }
}

// valued is a context with the values of another one.
type valued struct {
	context.Context
	values context.Context
}

// Value is part of context.Context.
func (v valued) Value(key any) any { return v.values.Value(key) }

// hostRoots asks the host for its roots and returns their URIs; nil when it has none or does not answer in rootsLimit.
// A host that did not declare roots is not asked, because go-sdk 1.8.0 would wait for its answer without end. With MCP
// 2026-07-28 a server may not send requests while it serves one; the SDK then returns an error.
func hostRoots(ctx context.Context, host *mcp.ServerSession) []string {
	if host == nil {
		return nil
	}
	hello := host.InitializeParams()
	if hello == nil || hello.Capabilities == nil || hello.Capabilities.RootsV2 == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, rootsLimit)
	defer cancel()
	list, err := host.ListRoots(ctx, nil)
	if err != nil {
		return nil
	}
	var out []string
	for _, r := range list.Roots {
		if r != nil && r.URI != "" {
			out = append(out, r.URI)
		}
	}
	return out
}
