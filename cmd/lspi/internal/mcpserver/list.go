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

// toolList holds the tools that the SDK lists and calls. It follows the configuration; the host is notified of a change
// that it can see.
type toolList struct {
	server *mcp.Server
	handle mcp.ToolHandler

	mu      sync.RWMutex   // held while the SDK is given tools one by one, so that nobody reads half a list
	shown   map[string]raw // by name, as JSON; guarded by mu
	order   []string       // guarded by mu
	changes int64          // how often the list has changed since it was first set; guarded by mu
	told    atomic.Int64   // the value of changes that the host was last notified of, or has read
}

// set shows the tools that a configuration allows: lspi's own and others, those of other MCP servers. The SDK notifies
// a host after its handshake when the list has changed.
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
		if !bytes.Equal(now[name], l.shown[name]) { // the SDK counts every AddTool as a change (go-sdk 1.8.0)
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

// oncePerChange is sending middleware that passes one notifications/tools/list_changed for each change of the list. The
// SDK collects changes for 10 ms (go-sdk 1.8.0): on a busy machine adding the tools takes longer, and it would notify
// several times. It would also notify of the first tools, which are added during the handshake.
func (l *toolList) oncePerChange(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if method == "notifications/tools/list_changed" && !l.isNews() {
			return nil, nil
		}
		return next(ctx, method, req)
	}
}

// isNews reports whether the host knows neither by notification nor by tools/list of the last change, and counts it as
// notified.
func (l *toolList) isNews() bool {
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

// read answers tools/list with next and sorts the result in lspi's own order; the SDK sorts by name. Of lspi's tools it
// leaves out what the host has no use for. The host then knows all changes so far.
func (l *toolList) read(host *session.HostRow, next func() (mcp.Result, error)) (mcp.Result, error) {
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
	l.told.Store(l.changes)
	slices.SortStableFunc(list.Tools, func(a, b *mcp.Tool) int { return place[a.Name] - place[b.Name] })
	for i, t := range list.Tools {
		if _, err := tools.Lookup(t.Name); err == nil {
			list.Tools[i] = shownTo(host, t)
		}
	}
	return res, nil
}

// shownTo returns a copy of a tool as a host gets it, the SDK keeps the tool itself: without an output schema where it
// shows its model none, without the mark of what to load where it loads all tools.
func shownTo(host *session.HostRow, t *mcp.Tool) *mcp.Tool {
	shown := *t
	if host.NoOutputSchemas {
		shown.OutputSchema = nil
	}
	if !host.Defers {
		shown.Meta = nil
	}
	return &shown
}

// mustRaw encodes a value that lspi or the SDK made, which always can be encoded.
func mustRaw(v any) raw {
	out, err := contract.Marshal(v)
	if err != nil {
		panic(err)
	}
	return out
}
