package mcpclient

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A call of a tool over a stream goes past the SDK, which would take longer for it than the server does: it decodes and encodes each message
// several times, with 32 KiB for each decoding (go-sdk 1.8.0; docs/mcp-servers.md has figures). The handshake, all other requests, and HTTP are
// the SDK's.

// firstDirect is the least id of a request that goes past the SDK, which counts from 1.
const firstDirect = 1 << 30

// newProtocol is the version of the protocol from which on a result may ask for more input, and requests say in _meta who asks: the SDK sees to both.
const newProtocol = "2026-07-28"

// direct is the stream by which calls go past the SDK; nil when they do not.
func (s *session) direct() *lines {
	if s.info.Protocol >= newProtocol {
		return nil
	}
	return s.lines
}

// directCall is a call that goes past the SDK. Its fields are set before done is closed.
type directCall struct {
	done   chan struct{}
	failed error // the server's, as the SDK has it
}

// call makes one call of a tool. Its result is p.raw; its error is what the SDK would give.
func (l *lines) call(ctx context.Context, p *pending, meta mcp.Meta, args json.RawMessage) error {
	n := firstDirect + l.calls.Add(1)
	var compact bytes.Buffer
	if err := json.Compact(&compact, args); err != nil {
		return err
	}
	name, err := json.Marshal(p.name)
	if err != nil {
		return err
	}
	head, err := json.Marshal(meta)
	if err != nil {
		return err
	}
	text := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"_meta":%s,"name":%s,"arguments":%s}}`, n, head, name, compact.Bytes())
	d := &directCall{done: make(chan struct{})}
	l.x.begin(n, p, d)
	if err := l.send(ctx, text); err != nil {
		return err
	}
	select {
	case <-d.done:
		return d.failed
	case <-ctx.Done():
		l.cancel(n, ctx.Err())
		return ctx.Err()
	case <-l.closed:
	}
	select {
	case <-d.done:
		return d.failed
	default:
		return errGone
	}
}

// cancel tells the server that nobody waits for an answer any more (MCP 2025-11-25, Cancellation). It waits for nothing.
func (l *lines) cancel(id int64, why error) {
	text, err := json.Marshal(struct {
		Version string               `json:"jsonrpc"`
		Method  string               `json:"method"`
		Params  *mcp.CancelledParams `json:"params"`
	}{"2.0", "notifications/cancelled", &mcp.CancelledParams{RequestID: id, Reason: why.Error()}})
	if err != nil {
		return
	}
	text = append(text, '\n')
	select {
	case l.out <- text:
	default:
		go func() { // ends with the stream
			select {
			case l.out <- text:
			case <-l.closed:
			}
		}()
	}
}

// answer gives the answer to a call that went past the SDK to it; false when there is no such call.
func (x *exchange) answer(id jsonrpc.ID, result json.RawMessage, failed error) bool {
	n, _ := id.Raw().(int64)
	x.mu.Lock()
	p := x.calls[n]
	if p == nil || p.direct == nil {
		x.mu.Unlock()
		return false
	}
	d := p.direct
	delete(x.calls, n) // a second answer to it is one to nothing
	x.mu.Unlock()
	if d.failed = failed; failed == nil {
		p.raw = result
	}
	p.answered = true
	close(d.done)
	return true
}
