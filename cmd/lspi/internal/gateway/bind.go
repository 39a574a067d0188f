package gateway

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/cmd/lspi/internal/gateway/mcpclient"
	"lspi/contract"
)

// Behind lspi may stand another lspi over HTTP, which has no workspace before its client names one by a call of
// bind_workspace. This lspi makes that call where both machines have the tree at the same path; else the model does.

// bindTool is the tool that names the workspace.
const bindTool = "bind_workspace"

// bindHere reports whether a server that answered a call with workspace_not_set has taken the workspace of this
// session as its own. It has not when the answer was another one, or when it does not have the folder or may not show
// it. A server answers workspace_not_set before it does anything, so that the call can be made again.
func (s *Servers) bindHere(ctx context.Context, one *server, called string, r *mcp.CallToolResult) bool {
	if !r.IsError || called == bindTool || s.opt.Root == nil || !isNotSet(r) || s.opt.Root() == "" {
		return false
	}
	if _, ok := s.named(one, bindTool); !ok {
		return false
	}
	arguments, _ := contract.Marshal(map[string]string{"cwd": s.opt.Root()}) // which a session does not lose
	ctx = context.WithValue(ctx, sentKey{}, nil)                             // this is no result that a host gets
	got, err := recorded(ctx, one.id, "tools/call", bindTool, arguments,
		func() (*mcpclient.Result[mcp.CallToolResult], error) {
			return one.client.CallTool(ctx, mcpclient.Call{Name: bindTool, Arguments: arguments})
		})
	return err == nil && !got.Decoded.IsError
}

// isNotSet reports whether a result is the error workspace_not_set of an lspi.
func isNotSet(r *mcp.CallToolResult) bool {
	raw, _ := r.StructuredContent.(json.RawMessage)
	if !bytes.Contains(raw, []byte(contract.KindWorkspaceNotSet)) {
		return false
	}
	var head struct {
		Error struct {
			Data struct {
				Reason struct{ Kind contract.Kind } `json:"lspi_error"`
			}
		}
	}
	return json.Unmarshal(raw, &head) == nil && head.Error.Data.Reason.Kind == contract.KindWorkspaceNotSet
}
