package mcpserver

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// formKey is of the form in the context of an elicitation.
type formKey struct{}

// formsOf asks the host for input as another MCP server wants it. The SDK holds the answer against the form, and
// refuses some that the specification has (go-sdk 1.8.0, see package mcpclient), so that it does not see the form:
// passForm puts it in behind. Whether the answer fits is for the server to say that has asked.
func formsOf(host *mcp.ServerSession) func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error) {
	return func(ctx context.Context, params *mcp.ElicitParams) (*mcp.ElicitResult, error) {
		without := *params
		without.RequestedSchema = nil
		return host.Elicit(context.WithValue(ctx, formKey{}, params.RequestedSchema), &without)
	}
}

// passForm is the middleware that puts the form into an elicitation on its way to the host.
func passForm(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		r, ok := req.(*mcp.ServerRequest[mcp.Params]) // which the SDK makes of all that it sends (go-sdk 1.8.0)
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
