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
	"lspi/tools/session"
)

// toolList is what tools/list shows: the tools that the SDK has. It changes when the configuration does, and the
// SDK tells the host then, if that changes anything that the host sees.
type toolList struct {
	server *mcp.Server
	handle mcp.ToolHandler

	mu      sync.RWMutex   // held while the SDK is given tools, so that nobody reads a part of a list
	shown   map[string]raw // by name, as JSON; guarded by mu
	order   []string       // guarded by mu
	changes int64          // since it was first there; guarded by mu
	told    atomic.Int64   // of changes, what the host has heard of, or has read
}

// set makes the list that of a configuration, with the tools of other MCP servers that it allows. A host that has
// shaken hands hears of it when it is another one.
func (l *toolList) set(s *session.Settings, others []*mcp.Tool) {
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
		l.changes++
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

// oncePerChange has the host hear of each change once, when it is there as a whole. The SDK is given one tool after
// the other and tells of all that it is given within 10 ms at once (go-sdk 1.8.0), which is several times on a busy
// machine; and it is given the first tools while it shakes hands, of which a host cannot have read others before.
func (l *toolList) oncePerChange(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if method == "notifications/tools/list_changed" && !l.tell() {
			return nil, nil
		}
		return next(ctx, method, req)
	}
}

// tell reports whether the host has not heard of the list as it is.
func (l *toolList) tell() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.told.Swap(l.changes) < l.changes
}

// has reports whether the list has a tool.
func (l *toolList) has(name string) bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.shown[name] != nil
}

// read has next answer tools/list, and puts the answer into the order of the registry; the SDK sorts by name. What
// changed before is no news any more.
func (l *toolList) read(next func() (mcp.Result, error)) (mcp.Result, error) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	res, err := next()
	list, ok := res.(*mcp.ListToolsResult)
	if !ok || err != nil {
		return res, err
	}
	place := map[string]int{}
	for i, name := range l.order {
		place[name] = i
	}
	l.told.Store(l.changes) // which is the list that the host has now
	slices.SortStableFunc(list.Tools, func(a, b *mcp.Tool) int { return place[a.Name] - place[b.Name] })
	return res, nil
}

func mustRaw(v any) raw {
	out, err := contract.Marshal(v)
	if err != nil {
		panic(err) // of lspi's own schemas
	}
	return out
}
