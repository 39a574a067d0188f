package mcpclient

import (
	"bytes"
	"context"
	"encoding/json"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/mcpclient/repair"
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

// directCall is a call that goes past the SDK.
type directCall struct {
	done   chan struct{}
	failed error // the server's, as the SDK has it; set before done is closed
	// began is the call where nobody waits for done; else nil.
	began *Started
}

// call makes one call of a tool. Its result is p.raw; its error is what the SDK would give.
func (l *lines) call(ctx context.Context, p *pending, meta mcp.Meta, args json.RawMessage) error {
	n := firstDirect + l.calls.Add(1)
	var compact bytes.Buffer
	if err := json.Compact(&compact, args); err != nil {
		return err
	}
	head, err := json.Marshal(meta)
	if err != nil {
		return err
	}
	text, err := callText(n, head, p.name, compact.Bytes())
	if err != nil {
		return err
	}
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

// callText is the request of a call, in one line where its parts are.
func callText(id int64, meta []byte, name string, args []byte) ([]byte, error) {
	text := make([]byte, 0, len(meta)+len(name)+len(args)+128)
	text = strconv.AppendInt(append(text, `{"jsonrpc":"2.0","id":`...), id, 10)
	text = append(append(text, `,"method":"tools/call","params":{"_meta":`...), meta...)
	text, err := jsontext.AppendQuote(append(text, `,"name":`...), name)
	if err != nil {
		return nil, err
	}
	return append(append(append(text, `,"arguments":`...), args...), "}}"...), nil
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
	if !l.sendNow(text) {
		go func() { _ = l.send(context.Background(), text) }() // ends with the stream
	}
}

// answer gives the answer to a call that went past the SDK to it; false when there is no such call.
func (x *exchange) answer(id jsonrpc.ID, result json.RawMessage, failed error) bool {
	n, _ := id.Raw().(int64)
	p := x.take(n)
	if p == nil {
		return false
	}
	p.answered = true
	if began := p.direct.began; began != nil {
		began.answered(result, failed)
		return true
	}
	if p.direct.failed = failed; failed == nil {
		p.raw = result
	}
	close(p.direct.done)
	return true
}

// take ends the wait of a call that went past the SDK, which one alone can do; nil when it is over.
func (x *exchange) take(id int64) *pending {
	x.mu.Lock()
	defer x.mu.Unlock()
	p := x.calls[id]
	if p == nil || p.direct == nil {
		return nil
	}
	delete(x.calls, id)
	return p
}

// Started is a call that was begun by [Client.Start], with no goroutine that waits for its answer: on the way of a call each goroutine that has to
// be woken costs more than all that is done in it.
type Started struct {
	c      *Client
	s      *session
	id     int64
	p      *pending
	limit  *time.Timer
	finish func(*Result[mcp.CallToolResult], error)
}

// Start begins a call that CallTool would make, where nothing has to be waited for: the server is there, speaks over a stream and by a protocol with a
// handshake, its paths are those of here, and the call need not wait for others. Else ok is false, nothing was sent, and CallTool has to be used. finish
// hears the end once, as CallTool would return it, in a goroutine of its own, perhaps before Start returns.
func (c *Client) Start(call Call, finish func(*Result[mcp.CallToolResult], error)) (started *Started, ok bool) {
	c.mu.Lock()
	s := c.live
	c.mu.Unlock()
	if s == nil || s.direct() == nil || !c.paths.Empty() || bytes.ContainsAny(call.Arguments, "\r\n") {
		return nil, false
	}
	select {
	case c.slots <- struct{}{}:
	default:
		return nil, false
	}
	l := s.lines
	r := &Started{c: c, s: s, id: firstDirect + l.calls.Add(1), finish: finish,
		p: &pending{method: "tools/call", name: c.toolName(call.Name), listener: call.Progress}}
	text, err := r.text(call)
	if err != nil {
		<-c.slots
		return nil, false
	}
	r.limitTime()
	s.x.begin(r.id, r.p, &directCall{began: r})
	if s.over() || !l.sendNow(text) {
		if s.x.take(r.id) != nil { // else it is over: it has failed with the connection
			r.limit.Stop()
			<-c.slots
			return nil, false
		}
	}
	return r, true
}

// text is the request.
func (r *Started) text(call Call) ([]byte, error) {
	args := call.Arguments
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	if call.Meta == nil {
		r.p.token = r.c.tokens.Add(1)
		return callText(r.id, append(strconv.AppendInt([]byte(`{"progressToken":`), r.p.token, 10), '}'), r.p.name, args)
	}
	head, err := json.Marshal(r.c.meta(r.p, call.Meta))
	if err != nil {
		return nil, err
	}
	return callText(r.id, head, r.p.name, args)
}

// limitTime ends the call when the server has shown no sign of it for as long as a call may take.
func (r *Started) limitTime() {
	limit := r.c.spec.CallTimeout
	latest := time.Now().Add(10 * limit)
	r.limit = time.AfterFunc(limit, func() { r.stop(errTimeout) })
	r.p.onSign(func() {
		if left := time.Until(latest); left > 0 && r.limit.Stop() {
			r.limit.Reset(min(limit, left))
		}
	})
}

// Cancel ends the call, unless it is over: finish hears that it was cancelled, and why.
func (r *Started) Cancel(why error) { r.stop(why) }

// stop ends the wait for the answer, and says so to the server.
func (r *Started) stop(why error) {
	if r.s.x.take(r.id) == nil {
		return
	}
	r.s.lines.cancel(r.id, context.Canceled)
	stopped, cancel := context.WithCancelCause(context.Background())
	cancel(why)
	caller := context.Background()
	if why != errTimeout {
		caller = stopped
	}
	go r.fails(caller, stopped, context.Canceled)
}

// answered hears the server's answer, or that there will be none. It waits for nothing: neither for the end of a process, nor for a host that is told
// of progress, or of the answer.
func (r *Started) answered(raw json.RawMessage, failed error) {
	if failed != nil {
		go r.fails(context.Background(), context.Background(), failed)
		return
	}
	go func() {
		result, err := r.read(raw)
		r.end()
		r.tell(result, err)
	}()
}

// read reads the server's answer.
func (r *Started) read(raw json.RawMessage) (result *Result[mcp.CallToolResult], err error) {
	defer func() {
		if p := recover(); p != nil {
			result, err = nil, r.panicked(p)
		}
	}()
	mended, decoded, what := repair.Tool(raw)
	return mend(r.c, r.p, raw, mended, decoded, what), nil
}

// tell tells the end.
func (r *Started) tell(result *Result[mcp.CallToolResult], err error) {
	defer func() {
		if p := recover(); p != nil {
			r.finish(nil, r.panicked(p))
		}
	}()
	r.finish(result, err)
}

// panicked is the error of a call in which lspi panicked, which would kill the process.
func (r *Started) panicked(with any) *Error {
	r.c.log.Error("panic in a call of an MCP server", "server", r.c.spec.ID, "tool", r.p.name, "panic", with, "stack", string(debug.Stack()))
	return r.c.errorf(BadAnswer, "tools/call: reading the answer failed because of a bug in lspi: %v", with)
}

func (r *Started) fails(caller, call context.Context, err error) {
	failed := r.c.whyFailed(caller, call, r.s, r.p, err)
	r.end()
	r.tell(nil, failed)
}

// end ends what a call has while it is under way.
func (r *Started) end() {
	r.limit.Stop()
	r.p.deafen()
	<-r.c.slots
}

// over reports whether the connection can carry no more calls.
func (s *session) over() bool {
	select {
	case <-s.lost:
		return true
	default:
		return false
	}
}

// abandon ends the calls that nobody waits for: no answer comes any more.
func (x *exchange) abandon() {
	x.mu.Lock()
	var all []*Started
	for id, p := range x.calls {
		if p.direct != nil && p.direct.began != nil {
			all = append(all, p.direct.began)
			delete(x.calls, id)
		}
	}
	x.mu.Unlock()
	for _, r := range all {
		r.answered(nil, errGone)
	}
}
