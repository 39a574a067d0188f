package mcpserver

import (
	"context"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/contract"
	"lspi/tools/answer"
)

// progressTo returns what sends progress of a call to the host; nil when the call has no progress token.
func progressTo(ctx context.Context, req *mcp.CallToolRequest) answer.Progress {
	token := req.Params.GetProgressToken()
	if token == nil || req.Session == nil {
		return nil
	}
	var m monotonic
	return func(percent int, message string) {
		message = contract.OneLine(message) // it may be the text of a language server
		value, news := m.next(percent, message)
		if !news || ctx.Err() != nil {
			return
		}
		// An error is ignored: progress is optional, and the call's own answer will meet a broken connection.
		_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
			ProgressToken: token, Progress: value, Total: 100, Message: message,
		})
	}
}

// monotonic makes progress increase with every notification, as MCP demands (2025-11-25, Progress). Servers do not:
// several report at once, some begin again at 0, some give no percentage.
type monotonic struct {
	mu      sync.Mutex
	value   float64 // guarded by mu
	percent int     // the last one sent; guarded by mu
	message string  // the last one sent; guarded by mu
}

// next returns the value to send for a report; news is false when the report repeats the last one.
func (m *monotonic) next(percent int, message string) (value float64, news bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.value > 0 && percent == m.percent && message == m.message {
		return 0, false
	}
	m.percent, m.message = percent, message
	if wanted := float64(min(percent, 99)); wanted > m.value {
		m.value = wanted
	} else {
		m.value += (100 - m.value) / 1000 // never reaches the total
	}
	return m.value, true
}
