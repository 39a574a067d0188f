package facade

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/mcpclient"
	"lspi/tools/session"
)

// ToolCall is a call for [Servers.Start].
type ToolCall struct {
	Ctx             context.Context           // of what is done when the server wants to hear the workspace first
	Name            string                    // of the tool, as it is listed
	Allowed         func(*session.Entry) bool // reports whether the session may call the tool
	Arguments, Meta json.RawMessage           // as for [Servers.Call]
	Progress        func(mcpclient.Progress)  // likewise
	// End hears the end once. raw is the result as it was sent, nil when lspi has changed it; the error is one of the contract's.
	End func(t Tool, result *mcp.CallToolResult, raw json.RawMessage, err error)
}

// Started is a call that was begun.
type Started struct {
	first *mcpclient.Started

	mu     sync.Mutex
	why    error             // why it was cancelled, nil when it was not; guarded by mu
	cancel func(cause error) // of what is done behind the first answer; nil before that; guarded by mu
}

// Cancel ends the call, unless it is over. It waits for nothing.
func (s *Started) Cancel(why error) {
	s.mu.Lock()
	s.why = why
	cancel := s.cancel
	s.mu.Unlock()
	if cancel != nil {
		cancel(why)
	}
	s.first.Cancel(why)
}

// behind is the context of what is done behind the first answer.
func (s *Started) behind(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cancel = cancel; s.why != nil {
		cancel(s.why)
	}
	return ctx, cancel
}

// Start begins the call of a tool that [Servers.Find] would find and [Servers.Call] make, where nothing has to be waited for or looked at more closely
// ([mcpclient.Client.Start]). Else ok is false, and nothing was done.
func (s *Servers) Start(call ToolCall) (started *Started, ok bool) {
	id, rest, ok := session.ServerOf(call.Name)
	if !ok {
		return nil, false
	}
	one, giveBack := s.use(id)
	if one == nil {
		return nil, false
	}
	t, ok := s.named(one, rest)
	if !ok || t.Name != call.Name || !call.Allowed(t.Entry) {
		giveBack()
		return nil, false
	}
	started = &Started{}
	ask := mcpclient.Call{Name: rest, Arguments: call.Arguments, Meta: call.Meta, Progress: call.Progress}
	end := func(got *mcpclient.Result[mcp.CallToolResult], err error) {
		defer giveBack()
		if err != nil {
			call.End(t, nil, nil, Error(err))
			return
		}
		shown, raw := s.exposed(one, got.Decoded), got.Raw
		if shown != got.Decoded {
			raw = nil
		}
		call.End(t, shown, raw, nil)
	}
	started.first, ok = one.client.Start(ask, func(got *mcpclient.Result[mcp.CallToolResult], err error) {
		if err != nil || !s.mayBind(one, rest, got.Decoded) {
			end(got, err)
			return
		}
		ctx, cancel := started.behind(call.Ctx)
		defer cancel(nil)
		if s.bindHere(ctx, one, rest, got.Decoded) {
			got, err = one.client.CallTool(ctx, ask)
		}
		end(got, err)
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
