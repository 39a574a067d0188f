package mcpserver

import (
	"context"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/contract"
	"lspi/tools/answer"
)

// progressTo sends progress to the host, if it gave a token with the call; nil if not.
func progressTo(ctx context.Context, req *mcp.CallToolRequest) answer.Progress {
	token := req.Params.GetProgressToken()
	if token == nil || req.Session == nil {
		return nil
	}
	var m monotonic
	return func(percent int, message string) {
		message = contract.OneLine(message) // a server's words
		value, news := m.next(percent, message)
		if !news || ctx.Err() != nil {
			return
		}
		// A host that does not want to hear it loses nothing.
		_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
			ProgressToken: token, Progress: value, Total: 100, Message: message,
		})
	}
}

// monotonic makes progress increase with every notification, as MCP demands, whatever servers say: several report at
// once, some begin anew, some know no percentage.
type monotonic struct {
	mu      sync.Mutex
	value   float64 // guarded by mu
	percent int     // the last one told, guarded by mu
	message string  // the last one told, guarded by mu
}

// next is the value for a report; news is false when it would tell nothing new.
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
