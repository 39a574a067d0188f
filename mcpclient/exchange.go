package mcpclient

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"
	"unicode/utf8"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// exchange stands between the SDK and a transport of one connection, and reads every message before the SDK does. It exists for three reasons
// (go-sdk 1.8.0): the SDK decodes results into its own types, which loses the order of members, digits of numbers and members that it does
// not know, and fails a call for one bad block; it queues notifications without a bound; and it ends the connection for a message that it cannot
// decode. So a result goes to the call that waits for it as it was sent, and the SDK is given an empty one for it; notifications go to
// their listeners directly; and what is no message is reported and dropped.
type exchange struct {
	c *Client

	mu    sync.Mutex
	calls map[int64]*pending // by the id of the request; under mu
	junk  string             // the first line that was no message, masked and cut; under mu
}

// maxJunk bounds what is told of a line that is no message, in bytes.
const maxJunk = 200

// noMessage hears a line that is no message.
func (x *exchange) noMessage(line []byte) {
	x.c.undecoded("", "", "a line that is no message", line)
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.junk == "" {
		x.junk = cut(x.c.mask.Part(string(line[:min(len(line), maxMessage)])), maxJunk)
	}
}

// noise is the first line that was no message, as the end of a sentence; "" when there was none.
func (x *exchange) noise() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.junk == "" {
		return ""
	}
	return fmt.Sprintf("; on its output, where only messages of MCP may be, it wrote %q", x.junk)
}

// pending is one call that waits for its result.
type pending struct {
	method string
	name   string // of the tool, prompt or resource, for events
	token  int64  // of its progress; 0 for none

	listener func(Progress) // nil when nobody listens
	raw      json.RawMessage
	answered bool // raw is set; written by the reader before the SDK sees the answer

	mu     sync.Mutex
	ids    []int64 // under mu; of the requests that were sent for it
	status int     // under mu; the HTTP status of an answer that was none
	sign   func()  // under mu; called when the server shows that it works on the call
	broken error   // under mu; why the request did not reach the server over HTTP

	progress *mailbox       // under mu; nil before the first progress
	deaf     bool           // under mu; the listener hears nothing any more
	told     sync.WaitGroup // the goroutine that passes progress on; entered under mu while deaf is not set
}

// pendingKey is the key of the *pending in the context of a request: the SDK hands the context of the caller to the transport.
type pendingKey struct{}

func withPending(ctx context.Context, p *pending) context.Context {
	return context.WithValue(ctx, pendingKey{}, p)
}

func pendingOf(ctx context.Context) *pending {
	p, _ := ctx.Value(pendingKey{}).(*pending)
	return p
}

// showed notes that the server works on the call.
func (p *pending) showed() {
	p.mu.Lock()
	sign := p.sign
	p.mu.Unlock()
	if sign != nil {
		sign()
	}
}

func (p *pending) onSign(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sign = f
}

func (p *pending) sent() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.ids) > 0
}

// failedWith notes how a request failed over HTTP.
func (p *pending) failedWith(status int, broken error) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.status, p.broken = status, broken
}

func (p *pending) failure() (status int, broken error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.status, p.broken
}

// sending notes a request that is about to be sent, so that its result finds its call.
func (x *exchange) sending(ctx context.Context, id jsonrpc.ID, method string) {
	p := pendingOf(ctx)
	n, ok := id.Raw().(int64)
	if p == nil || !ok || p.method != method {
		return
	}
	p.mu.Lock()
	p.ids = append(p.ids, n)
	p.mu.Unlock()
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.calls == nil {
		x.calls = map[int64]*pending{}
	}
	x.calls[n] = p
}

// forget ends the wait of a call.
func (x *exchange) forget(p *pending) {
	p.mu.Lock()
	ids := p.ids
	p.mu.Unlock()
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, id := range ids {
		delete(x.calls, id)
	}
}

func (x *exchange) waiting(id int64) *pending {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.calls[id]
}

// only is the id of the one request in flight; 0 when there are more, or none.
func (x *exchange) only() int64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.calls) != 1 {
		return 0
	}
	for id := range x.calls {
		return id
	}
	return 0
}

// byToken is the call whose progress has a token.
func (x *exchange) byToken(token int64) *pending {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, p := range x.calls {
		if p.token == token {
			return p
		}
	}
	return nil
}

// envelope is a message of JSON-RPC, read with forgiveness: the version may be missing, and an error of any shape is one.
type envelope struct {
	ID     jsontext.Value `json:"id"`
	Method *string        `json:"method"`
	Params jsontext.Value `json:"params"`
	Result jsontext.Value `json:"result"`
	Error  jsontext.Value `json:"error"`
}

// forgiving is how envelopes are read. A program that cuts texts by UTF-16 leaves halves of characters behind (\ud83d).
var forgiving = jsonv2.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// receive reads one message, or a batch of them, and returns what the SDK is to see of it.
func (x *exchange) receive(text []byte) []jsonrpc.Message {
	text = bytes.TrimSpace(text)
	if len(text) == 0 {
		return nil
	}
	if !utf8.Valid(text) {
		text = bytes.ToValidUTF8(text, []byte("\ufffd"))
	}
	if text[0] == '[' {
		return x.receiveBatch(text)
	}
	var e envelope
	if err := jsonv2.Unmarshal(text, &e, forgiving); err != nil {
		x.noMessage(text)
		return nil
	}
	if m := x.message(&e, text); m != nil {
		return []jsonrpc.Message{m}
	}
	return nil
}

// maxBatch bounds the messages of a batch (protocol 2025-03-26 only).
const maxBatch = 1000

func (x *exchange) receiveBatch(text []byte) (out []jsonrpc.Message) {
	var parts []json.RawMessage
	if err := json.Unmarshal(text, &parts); err != nil || len(parts) > maxBatch {
		x.noMessage(text)
		return nil
	}
	for _, part := range parts {
		if len(part) > 0 && part[0] == '{' { // no batch within a batch
			out = append(out, x.receive(part)...)
		}
	}
	return out
}

func (x *exchange) message(e *envelope, text []byte) jsonrpc.Message {
	id, ok := idOf(json.RawMessage(e.ID))
	switch {
	case e.Method != nil && !ok:
		return x.notification(*e.Method, json.RawMessage(e.Params))
	case e.Method != nil:
		return &jsonrpc.Request{ID: id, Method: *e.Method, Params: json.RawMessage(e.Params)}
	case ok:
		return x.response(id, e)
	}
	if e.Error != nil && string(e.Error) != "null" { // an answer to what the server could not read
		x.c.log.Warn("an MCP server reports an error of no request", "server", x.c.spec.ID, "error", cut(x.c.mask.Text(string(e.Error)), maxMessage))
		return nil
	}
	x.c.undecoded("", "", "a message with neither method nor id", text)
	return nil
}

// idOf is the id of a message; false when it has none.
func idOf(raw json.RawMessage) (jsonrpc.ID, bool) {
	if len(raw) == 0 || string(raw) == "null" {
		return jsonrpc.ID{}, false
	}
	if n, err := strconv.Atoi(string(raw)); err == nil {
		id, err := jsonrpc.MakeID(float64(n))
		return id, err == nil
	}
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return jsonrpc.ID{}, false
	}
	id, err := jsonrpc.MakeID(v)
	return id, err == nil
}

// response gives a result to the call that waits for it, and an empty one to the SDK.
func (x *exchange) response(id jsonrpc.ID, e *envelope) jsonrpc.Message {
	result := json.RawMessage(e.Result)
	if s, ok := id.Raw().(string); ok { // ours are numbers
		if n, err := strconv.ParseFloat(s, 64); err == nil {
			id, _ = jsonrpc.MakeID(n)
		}
	}
	n, _ := id.Raw().(int64)
	p := x.waiting(n)
	if len(e.Error) > 0 && string(e.Error) != "null" {
		return &jsonrpc.Response{ID: id, Error: errorOf(json.RawMessage(e.Error))}
	}
	if p == nil {
		if len(result) == 0 {
			result = json.RawMessage("{}")
		}
		return &jsonrpc.Response{ID: id, Result: result}
	}
	if inputRequired(result) {
		return &jsonrpc.Response{ID: id, Result: result}
	}
	p.raw, p.answered = result, true
	return &jsonrpc.Response{ID: id, Result: x.empty(p, result)}
}

// inputRequired says whether a result of protocol 2026-07-28 asks for more, which the SDK's client answers by itself.
func inputRequired(raw json.RawMessage) bool {
	if !bytes.Contains(raw, []byte(`"inputRequests"`)) {
		return false
	}
	var r struct {
		Type string `json:"resultType"`
	}
	return json.Unmarshal(raw, &r) == nil && r.Type == "input_required"
}

// empty is a result that the SDK decodes in the place of the real one. Of the handshake it needs the version.
func (x *exchange) empty(p *pending, raw json.RawMessage) json.RawMessage {
	switch p.method {
	case "initialize":
		var hello struct {
			Version string `json:"protocolVersion"`
		}
		_ = json.Unmarshal(raw, &hello)
		out, _ := json.Marshal(map[string]any{"protocolVersion": hello.Version, "capabilities": struct{}{},
			"serverInfo": map[string]any{"name": "", "version": ""}})
		return out
	case "prompts/get":
		return json.RawMessage(`{"messages":[]}`)
	case "resources/read":
		return json.RawMessage(`{"contents":[]}`)
	case "completion/complete":
		return json.RawMessage(`{"completion":{"values":[]}}`)
	case "tools/call":
		return json.RawMessage(`{"content":[]}`)
	}
	return json.RawMessage(`{}`)
}

// errorOf is the error of a response; one that is no object has its text as message.
func errorOf(raw json.RawMessage) *jsonrpc.Error {
	var w struct {
		Code    json.RawMessage `json:"code"`
		Message json.RawMessage `json:"message"`
		Data    json.RawMessage `json:"data"`
	}
	if json.Unmarshal(raw, &w) != nil {
		return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: cut(string(raw), maxMessage)}
	}
	out := &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Data: w.Data}
	var code float64
	if json.Unmarshal(w.Code, &code) == nil {
		out.Code = int64(code)
	}
	if json.Unmarshal(w.Message, &out.Message) != nil {
		out.Message = cut(string(raw), maxMessage)
	}
	return out
}

// tooLarge is the answer in the place of one that is over the limit; nil when it cannot be told whose it is. head and tail are its ends.
func (x *exchange) tooLarge(head, tail []byte, limit int) jsonrpc.Message {
	x.c.undecoded("", "", fmt.Sprintf("a message of more than %d bytes", limit), head)
	n := x.idIn(head, tail)
	if n == 0 {
		return nil
	}
	id, _ := jsonrpc.MakeID(float64(n))
	return &jsonrpc.Response{ID: id, Error: fmt.Errorf("%w: more than %d MiB", errTooLarge, limit>>20)}
}

// idIn finds the id of a response at its ends: the SDKs write it before the result, or as the last member.
func (x *exchange) idIn(head, tail []byte) int64 {
	for _, end := range [][]byte{tail, head} {
		for rest := end; ; {
			_, after, found := bytes.Cut(rest, []byte(`"id":`))
			if !found {
				break
			}
			after = bytes.TrimLeft(after, " ")
			digits := after[:len(after)-len(bytes.TrimLeft(after, "0123456789"))]
			if n, err := strconv.ParseInt(string(digits), 10, 64); err == nil && x.waiting(n) != nil {
				return n
			}
			rest = after
		}
	}
	return x.only()
}
