package mcpserver

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/contract"
)

// success is the result of a call that did not fail. The guide has isError in every result; the SDK (v1.8.0) leaves out
// a false one. MCP takes both for the same.
type success struct{ *mcp.CallToolResult }

// MarshalJSON writes the result with isError.
func (r success) MarshalJSON() ([]byte, error) {
	raw, err := contract.Marshal(r.CallToolResult)
	if err != nil {
		return nil, err
	}
	return append(raw[:len(raw)-1], `,"isError":false}`...), nil // a result has content, so that a comma belongs there
}

// inFull is middleware that writes isError of calls that did not fail, too. Results of other MCP servers that are
// passed on byte for byte stay as they came ([Service.asSent]).
func inFull(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		result, err := next(ctx, method, req)
		if r, ok := result.(*mcp.CallToolResult); ok && err == nil && r != nil && !r.IsError {
			return success{r}, nil
		}
		return result, err
	}
}
