package facade

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/mcpclient"
	"lspi/registry"
)

// Began is a call that [Servers.Start] begins.
type Began struct {
	Ctx             context.Context            // of a call that has to be made again, with the workspace said before
	Name            string                     // of the tool, as it is listed
	Allowed         func(*registry.Entry) bool // reports whether the session may call the tool
	Arguments, Meta json.RawMessage            // as for [Servers.Call]
	Progress        func(mcpclient.Progress)   // likewise
	// End hears the end once. raw is the result as it was sent, nil when lspi has changed it; the error is one of the contract's.
	End func(t Tool, result *mcp.CallToolResult, raw json.RawMessage, err error)
}

// Start begins the call of a tool that [Servers.Find] would find and [Servers.Call] make, where nothing has to be waited for or looked at more closely
// ([mcpclient.Client.Start]). Else ok is false, and nothing was done.
func (s *Servers) Start(b Began) (started *mcpclient.Started, ok bool) {
	id, rest, ok := registry.ServerOf(b.Name)
	if !ok {
		return nil, false
	}
	one, giveBack := s.use(id)
	if one == nil {
		return nil, false
	}
	t, ok := s.named(one, rest)
	if !ok || t.Name != b.Name || !b.Allowed(t.Entry) {
		giveBack()
		return nil, false
	}
	started, ok = one.client.Start(mcpclient.Call{Name: rest, Arguments: b.Arguments, Meta: b.Meta, Progress: b.Progress},
		func(got *mcpclient.Result[mcp.CallToolResult], err error) {
			defer giveBack()
			if err == nil && got.Decoded.IsError && isNotSet(got.Decoded) {
				result, err := s.Call(b.Ctx, t, b.Arguments, b.Meta, b.Progress)
				b.End(t, result, nil, err)
				return
			}
			if err != nil {
				b.End(t, nil, nil, Error(err))
				return
			}
			shown, raw := s.exposed(one, got.Decoded), got.Raw
			if shown != got.Decoded {
				raw = nil
			}
			b.End(t, shown, raw, nil)
		})
	if !ok {
		giveBack()
	}
	return started, ok
}

// exposed is a result whose next steps name the tools of a server as hosts see them.
func (s *Servers) exposed(one *server, r *mcp.CallToolResult) *mcp.CallToolResult {
	return exposeSteps(r, func(tool string) (string, bool) {
		t, ok := s.named(one, tool)
		return t.exposedName(), ok
	})
}

// exposedName is the name of a tool in the list; "" for the zero Tool.
func (t Tool) exposedName() string {
	if t.Entry == nil {
		return ""
	}
	return t.Name
}
