package mcpserver

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// formKey is the context key for the requested schema of an elicitation.
type formKey struct{}

// formsOf returns a function that passes another MCP server's elicitation on to the host. The SDK refuses some schemas
// that the specification allows, and answers that it finds not to fit them (go-sdk 1.8.0). So the SDK gets a request
// without the schema, and passForm adds it afterwards; the server that asked checks the answer itself.
func formsOf(host *mcp.ServerSession) func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error) {
	return func(ctx context.Context, params *mcp.ElicitParams) (*mcp.ElicitResult, error) {
		without := *params
		without.RequestedSchema = nil
		return host.Elicit(context.WithValue(ctx, formKey{}, params.RequestedSchema), &without)
	}
}

// passForm is sending middleware that puts the schema back into an elicitation (see formsOf).
func passForm(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		r, ok := req.(*mcp.ServerRequest[mcp.Params]) // the type of all requests that the SDK sends (go-sdk 1.8.0)
		if form := ctx.Value(formKey{}); ok && form != nil {
			if without, ok := r.Params.(*mcp.ElicitParams); ok {
				params, whole := *without, *r
				params.RequestedSchema = form
				whole.Params = &params
				req = &whole
			}
		}
		return next(ctx, method, req)
	}
}
