package gateway

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/cmd/lspi/internal/gateway/mcpclient"
)

// Sent keeps the result of one request to another MCP server as it was sent: the SDK's types lose the order of
// members, digits of numbers, and members that they do not know (go-sdk 1.8.0).
type Sent struct {
	decoded any
	raw     json.RawMessage
}

type sentKey struct{}

// WithSent returns a context that keeps the result of a request to another MCP server, and where the result is then.
func WithSent(ctx context.Context) (context.Context, *Sent) {
	s := &Sent{}
	return context.WithValue(ctx, sentKey{}, s), s
}

// keep stores a result in the Sent of a context that has one.
func keep[T any](ctx context.Context, got *mcpclient.Result[T]) {
	if s, ok := ctx.Value(sentKey{}).(*Sent); ok && got != nil {
		s.decoded, s.raw = got.Decoded, got.Raw
	}
}

// As returns a result that is encoded as it was sent. A result that is not the one that was kept, since it has been
// shortened or replaced, is returned as it is.
func (s *Sent) As(result mcp.Result) mcp.Result {
	if s.raw == nil || any(result) != s.decoded {
		return result
	}
	switch r := result.(type) {
	case *mcp.CallToolResult:
		return &sentTool{r, s.raw}
	case *mcp.GetPromptResult:
		return &sentPrompt{r, s.raw}
	case *mcp.ReadResourceResult:
		return &sentResource{r, s.raw}
	}
	return result
}

type sentTool struct {
	*mcp.CallToolResult
	raw json.RawMessage
}

func (s *sentTool) MarshalJSON() ([]byte, error) { return s.raw, nil }

type sentPrompt struct {
	*mcp.GetPromptResult
	raw json.RawMessage
}

func (s *sentPrompt) MarshalJSON() ([]byte, error) { return s.raw, nil }

type sentResource struct {
	*mcp.ReadResourceResult
	raw json.RawMessage
}

func (s *sentResource) MarshalJSON() ([]byte, error) { return s.raw, nil }
