package mcpserver

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/contract"
	"lspi/tools"
	"lspi/workspace"
)

// toolList is what tools/list shows: the tools that the SDK has. It changes when the configuration does, and the SDK tells the host then, if that
// changes anything that the host sees.
type toolList struct {
	server *mcp.Server
	handle mcp.ToolHandler

	mu    sync.Mutex
	shown map[string]raw // by name, as JSON; guarded by mu
	order []string       // guarded by mu
	news  atomic.Bool    // it has changed since it was first there
}

// set makes the list that of a configuration, with the tools of other MCP servers that it allows. A host that has shaken hands hears of it when it is another one.
func (l *toolList) set(s *workspace.Settings, others []*mcp.Tool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := map[string]raw{}
	byName := map[string]*mcp.Tool{}
	l.order = l.order[:0]
	add := func(t *mcp.Tool) {
		byName[t.Name], now[t.Name] = t, mustRaw(t)
		l.order = append(l.order, t.Name)
	}
	for _, t := range tools.Served(s) {
		add(mcpTool(s, t))
	}
	for _, t := range others {
		add(t)
	}
	if l.shown != nil && !maps.EqualFunc(now, l.shown, func(a, b raw) bool { return bytes.Equal(a, b) }) {
		l.news.Store(true)
	}
	for _, name := range l.order {
		if !bytes.Equal(now[name], l.shown[name]) { // the SDK takes every addition for a change (go-sdk 1.8.0)
			l.server.AddTool(byName[name], l.handle)
		}
	}
	var gone []string
	for name := range l.shown {
		if now[name] == nil {
			gone = append(gone, name)
		}
	}
	if gone != nil {
		l.server.RemoveTools(gone...)
	}
	l.shown = now
}

// quietAtFirst keeps from the host that a list has changed which it cannot have read before: the SDK is given the first tools while it shakes
// hands.
func (l *toolList) quietAtFirst(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if method == "notifications/tools/list_changed" && !l.news.Load() {
			return nil, nil
		}
		return next(ctx, method, req)
	}
}

// has reports whether the list has a tool.
func (l *toolList) has(name string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.shown[name] != nil
}

// inOrder puts tools/list into the order of the registry; the SDK sorts by name.
func (l *toolList) inOrder(list []*mcp.Tool) {
	l.mu.Lock()
	place := map[string]int{}
	for i, name := range l.order {
		place[name] = i
	}
	l.mu.Unlock()
	slices.SortStableFunc(list, func(a, b *mcp.Tool) int { return place[a.Name] - place[b.Name] })
}

func mustRaw(v any) raw {
	out, err := contract.Marshal(v)
	if err != nil {
		panic(err) // of lspi's own schemas
	}
	return out
}
