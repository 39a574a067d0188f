package mcpserver

//lint:file-ignore SA1019 roots are deprecated since 2026-07-28, and what the hosts of today offer.

import (
	"context"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// rootsLimit is how long the host may take to list its roots; the first call waits for it.
const rootsLimit = 2 * time.Second

// rootsOf asks the host in a context that ends with its own: the request goes where that of the call belongs, which
// over HTTP is the stream of its answer, but the call may leave while the host is still asked.
func rootsOf(call context.Context, host *mcp.ServerSession) func(context.Context) []string {
	return func(ctx context.Context) []string { return hostRoots(valued{ctx, call}, host) }
}

// valued has the values of another context.
type valued struct {
	context.Context
	values context.Context
}

// Value is part of context.Context.
func (v valued) Value(key any) any { return v.values.Value(key) }

// hostRoots asks the host for its roots, as file URIs; nil when it has none or does not say. A host that did not offer
// roots is not asked: it would never answer (go-sdk 1.8.0 waits for good). Since 2026-07-28 a server may not ask at all
// while it serves a request, and roots are deprecated there; the SDK refuses then.
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
