package gateway

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/cmd/lspi/internal/gateway/mcpclient"
	"lspi/contract"
	"lspi/tools/session"
)

// Tool is a tool of another MCP server, as hosts see it.
type Tool struct {
	*session.Entry
	Shown *mcp.Tool // not changed by anybody
}

// Tools returns the tools of all servers whose lists are known, in the order of the configuration, and of each server
// in its own.
func (s *Servers) Tools() []Tool {
	var out []Tool
	for _, one := range s.inOrder() {
		s.mu.Lock()
		listed := one.tools
		s.mu.Unlock()
		for i := range listed {
			out = append(out, toolOf(one.id, &listed[i]))
		}
	}
	return out
}

func toolOf(id string, listed *mcpclient.Named[mcp.Tool]) Tool {
	shown := *listed.Item
	shown.Name = session.ServerTool(id, listed.Exposed)
	return Tool{&session.Entry{Name: shown.Name, Provider: session.ServerProvider(id), Class: classOf(listed.Item),
		Title:       shown.Title,
		Description: shown.Description, Input: shown.InputSchema}, &shown}
}

// classOf returns Read for a tool whose server says that it only reads. The user has chosen the server, so its word is
// taken.
func classOf(t *mcp.Tool) session.Class {
	if t.Annotations != nil && t.Annotations.ReadOnlyHint {
		return session.Read
	}
	return session.Write
}

// Find returns the tool of a name in any spelling. It waits for the tools of a server that has not listed any yet, as
// long as ctx allows. found is false for a name that belongs to no configured server; err is why a tool of a
// configured one cannot be called.
func (s *Servers) Find(ctx context.Context, name string) (t Tool, found bool, err error) {
	id, rest, ok := session.ServerOf(name)
	if !ok || !slices.Contains(s.ids(), id) {
		return Tool{}, false, nil
	}
	if why := s.broken(id); why != "" {
		return Tool{}, true, contract.Errorf(contract.KindMCPServerUnavailable,
			contract.Facts{"mcp_server": id, "reason": "not_usable"},
			"the MCP server %s cannot be used: %s", id, why)
	}
	one, giveBack := s.use(id)
	defer giveBack()
	if one == nil {
		return Tool{}, true, contract.Errorf(contract.KindMCPServerUnavailable,
			contract.Facts{"mcp_server": id, "reason": "closed"}, "the MCP server %s was not started", id)
	}
	if t, ok := s.named(one, rest); ok {
		return t, true, nil
	}
	// Its list may not have come in the time that a list waits.
	limit := one.client.StartWait()
	waiting, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	items, err := s.ask(waiting, one)
	switch {
	case err != nil && ctx.Err() == nil && waiting.Err() != nil:
		return Tool{}, true, contract.Errorf(contract.KindMCPServerUnavailable,
			contract.Facts{"mcp_server": id, "reason": string(mcpclient.StartFailed)},
			"the MCP server %s has not said its tools within %v", id, limit)
	case err != nil:
		return Tool{}, true, Error(err)
	}
	if t, ok := s.named(one, rest); ok {
		return t, true, nil
	}
	facts := contract.Facts{"tool": name}
	var names, own []string
	for i := range items {
		names, own = append(names, session.ServerTool(id, items[i].Exposed)), append(own, items[i].Exposed)
	}
	facts["known"] = names
	// By its own names: the id that all share would make any two of them look alike.
	if near := contract.Closest(rest, own); near != "" {
		near = session.ServerTool(id, near)
		facts["closest"] = near
		return Tool{}, true, contract.Errorf(contract.KindUnknownTool, facts,
			"the MCP server %s has no tool %q; the closest is %s", id, rest, near)
	}
	return Tool{}, true, contract.Errorf(contract.KindUnknownTool, facts, "the MCP server %s has no tool %q", id, rest)
}

// ask asks a server for its tools, as long as ctx allows, and shows them from now on.
func (s *Servers) ask(ctx context.Context, one *server) ([]mcpclient.Named[mcp.Tool], error) {
	got, err := one.client.Tools(ctx)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	one.tools = got.Items
	delete(one.lent, mcpclient.ToolList)
	s.version++
	if !s.closed { // the client has given the list out, so that it does not tell of it any more
		s.work.Go(s.opt.Changed)
	}
	return got.Items, nil
}

// awaitLimit is how long AwaitTools waits: as long as one server may take to start, however many there are, and
// however often they try.
const awaitLimit = time.Minute

// AwaitTools waits for the tools of the server with an id, or of all for "*", longer than a list waits, and at the
// most a minute.
func (s *Servers) AwaitTools(ctx context.Context, id string) {
	ctx, cancel := context.WithTimeout(ctx, awaitLimit)
	defer cancel()
	var all sync.WaitGroup
	for _, one := range s.inOrder() {
		if one.id == id || id == "*" {
			all.Go(func() { _, _ = s.ask(ctx, one) })
		}
	}
	all.Wait()
}

func (s *Servers) named(one *server, tool string) (Tool, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range one.tools {
		if one.tools[i].Exposed == tool || one.tools[i].Name == tool {
			return toolOf(one.id, &one.tools[i]), true
		}
	}
	return Tool{}, false
}

// Call calls a tool that [Servers.Find] has found, by its listed name. Its error is one of the contract's.
func (s *Servers) Call(ctx context.Context, t Tool, arguments, meta json.RawMessage,
	progress func(mcpclient.Progress)) (*mcp.CallToolResult, error) {
	id, rest, _ := session.ServerOf(t.Name)
	one, giveBack := s.use(id)
	defer giveBack()
	if one == nil {
		return nil, contract.Errorf(contract.KindMCPServerUnavailable,
			contract.Facts{"mcp_server": id, "reason": string(mcpclient.Closed)},
			"the MCP server %s is not there any more", id)
	}
	call := func() (*mcpclient.Result[mcp.CallToolResult], error) {
		return recorded(ctx, id, "tools/call", rest, arguments, func() (*mcpclient.Result[mcp.CallToolResult], error) {
			return one.client.CallTool(ctx, mcpclient.Call{Name: rest, Arguments: arguments, Meta: meta,
				Progress: progress})
		})
	}
	got, err := call()
	if err == nil && s.bindHere(ctx, one, rest, got.Decoded) {
		got, err = call()
	}
	if err != nil {
		return nil, Error(err)
	}
	return exposeSteps(got.Decoded, func(tool string) (string, bool) {
		t, ok := s.named(one, tool)
		return t.exposedName(), ok
	}), nil
}

// exposedName is the name of a tool in the list; "" for the zero Tool.
func (t Tool) exposedName() string {
	if t.Entry == nil {
		return ""
	}
	return t.Name
}
