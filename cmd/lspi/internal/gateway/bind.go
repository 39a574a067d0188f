package gateway

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/cmd/lspi/internal/gateway/mcpclient"
	"lspi/contract"
)

// Behind lspi may stand another lspi over HTTP, which has no workspace before its client says one by a call of
// bind_workspace: lspi itself where both machines have the tree at one path, else the model.

// bindTool is the tool that says the workspace.
const bindTool = "bind_workspace"

// bindHere has a server that answers a call with workspace_not_set take the workspace of here as its own; false
// when the answer is another one, or it does not: a folder that it does not have, or may not show, is none that it
// takes. Such an answer comes before anything else, so that the call can be made again.
func (s *Servers) bindHere(ctx context.Context, one *server, called string, r *mcp.CallToolResult) bool {
	if !r.IsError || called == bindTool || s.opt.Root == nil || !isNotSet(r) || s.opt.Root() == "" {
		return false
	}
	if _, ok := s.named(one, bindTool); !ok {
		return false
	}
	arguments, _ := contract.Marshal(map[string]string{"cwd": s.opt.Root()}) // which a session does not lose
	ctx = context.WithValue(ctx, sentKey{}, nil)                             // this is no result that a host gets
	got, err := recorded(ctx, one.id, "tools/call", bindTool, arguments, func() (*mcpclient.Result[mcp.CallToolResult],
		error) {
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
