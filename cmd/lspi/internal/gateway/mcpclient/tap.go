package mcpclient

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// tap sees the messages of one connection on their way to and from the SDK's session. It exists for what the SDK
// does not tell (go-sdk 1.8.0): a result as it was sent, of which its types lose members, their order and digits,
// and all when it does not decode; and progress in its order with the result.
type tap struct {
	c *Client

	mu    sync.Mutex
	calls map[int64]*pending // by the id of the request; under mu
	junk  string             // the first text that was no message, masked and cut; under mu
}

// pending is one call, or one list with all of its pages.
type pending struct {
	method string
	name   string // of the tool, prompt or resource, for events
	token  int64  // of its progress; 0 for none

	listener func(Progress) // nil when nobody listens

	mu      sync.Mutex
	asked   bool              // under mu; a request was sent for it
	results []json.RawMessage // under mu; as they were sent, one for each page of a list
	size    int               // under mu; of results, in bytes
	enough  func()            // under mu; called when the pages of a list are over their bounds
	status  int               // under mu; the HTTP status of an answer that was none
	sign    func()            // under mu; called when the server shows that it works on the call
	broken  error             // under mu; why the request did not reach the server over HTTP

	progress *mailbox       // under mu; nil before the first progress
	deaf     bool           // under mu; the listener hears nothing any more
	told     sync.WaitGroup // the goroutine that passes progress on; entered under mu while deaf is not set
}

// pendingKey is the key of the *pending in the context of a request: the SDK hands the context of the caller to the
// transport.
type pendingKey struct{}

func withPending(ctx context.Context, p *pending) context.Context {
	return context.WithValue(ctx, pendingKey{}, p)
}

func pendingOf(ctx context.Context) *pending {
	p, _ := ctx.Value(pendingKey{}).(*pending)
	return p
}

// note keeps a result.
func (p *pending) note(result json.RawMessage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.results, p.size = append(p.results, result), p.size+len(result)
	if p.enough != nil && (len(p.results) > maxPages || p.size > maxBytes) {
		p.enough()
	}
}

// sent returns the results as they were sent; none when there was no answer, or when the SDK answered from its cache
// (SEP-2549).
func (p *pending) sent() []json.RawMessage {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.results
}

// raw returns the newest result as it was sent, or encodes it where the SDK answered from its cache.
func (p *pending) raw(result any) json.RawMessage {
	if sent := p.sent(); len(sent) > 0 {
		return sent[len(sent)-1]
	}
	return encoded(result)
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

// begun reports whether a request was sent.
func (p *pending) begun() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked
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

// sending sees a message that is about to be sent, so that its result finds its call.
func (t *tap) sending(ctx context.Context, m jsonrpc.Message) {
	r, ok := m.(*jsonrpc.Request)
	p := pendingOf(ctx)
	if !ok || p == nil || p.method != r.Method {
		return
	}
	id, ok := r.ID.Raw().(int64)
	if !ok {
		return
	}
	p.mu.Lock()
	p.asked = true
	p.mu.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.calls == nil {
		t.calls = map[int64]*pending{}
	}
	t.calls[id] = p
}

// forget ends the wait of a call. A call that is made again after its session was forgotten has had an id of that
// session, too, which another call may have in this one: so its ids say nothing.
func (t *tap) forget(p *pending) {
	t.mu.Lock()
	defer t.mu.Unlock()
	maps.DeleteFunc(t.calls, func(_ int64, of *pending) bool { return of == p })
}

// waiting returns the call that waits for the response with an id; nil for none.
func (t *tap) waiting(id jsonrpc.ID) *pending {
	n, _ := id.Raw().(int64)
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.calls[n]
}

// byToken returns the call that a progress token was made for; nil when it has ended.
func (t *tap) byToken(token int64) *pending {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, p := range t.calls {
		if p.token == token {
			return p
		}
	}
	return nil
}

// received sees a message of the server. heard reports that the SDK needs not see it: progress is passed on here, since
// the SDK's handler of it may run after the call has returned.
func (t *tap) received(m jsonrpc.Message) (heard bool) {
	switch m := m.(type) {
	case *jsonrpc.Response:
		if p := t.waiting(m.ID); p != nil && m.Error == nil {
			p.note(m.Result)
		}
	case *jsonrpc.Request:
		if heard = m.Method == "notifications/progress"; heard {
			t.hearProgress(m.Params)
		}
	}
	return heard
}

func (t *tap) hearProgress(params json.RawMessage) {
	var p struct {
		Token    json.RawMessage `json:"progressToken"`
		Progress float64         `json:"progress"`
		Total    float64         `json:"total"`
		Message  string          `json:"message"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	token, err := strconv.ParseInt(strings.Trim(string(p.Token), `"`), 10, 64) // some send it back as a string
	if err != nil {
		return
	}
	if call := t.byToken(token); call != nil {
		call.showed()
		call.hear(Progress{p.Progress, p.Total, p.Message})
	}
}

// maxJunk bounds what is told of a text that is no message, in bytes.
const maxJunk = 200

// noMessage hears a text that is no message, or its beginning.
func (t *tap) noMessage(text []byte, why string) {
	t.c.undecoded("", "", why, text)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.junk == "" {
		t.junk = cut(t.c.mask.Part(string(text[:min(len(text), maxMessage)])), maxJunk)
	}
}

// noise returns the first text that was no message, as the end of a sentence; "" when there was none.
func (t *tap) noise() told {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.junk == "" {
		return ""
	}
	return told(fmt.Sprintf("; on its output, where only messages of MCP may be, it wrote %q", t.junk))
}

// Codes of errors that stand in for an answer that cannot be read. JSON-RPC leaves them to nobody.
const (
	codeUnreadable = -32990
	codeLost       = -32991
)

func unreadable(id jsonrpc.ID, code int64, why string) *jsonrpc.Response {
	return &jsonrpc.Response{ID: id, Error: &jsonrpc.Error{Code: code, Message: why}}
}

// tooLarge says that a message is over the limit of so many bytes.
func tooLarge(limit int) string {
	return fmt.Sprintf("the answer is too large: more than %d MiB", limit>>20)
}

// answered returns the id of the call that an unreadable answer belongs to; an invalid one when that cannot be told.
// The SDKs write the id before the result or as the last member, so that the head or the tail of the answer holds it.
// Without this, an answer over the limit would leave its call waiting until its timeout.
func (t *tap) answered(head, tail []byte) (id jsonrpc.ID) {
	if !bytes.Contains(head, []byte(`"result"`)) && !bytes.Contains(head, []byte(`"error"`)) {
		return id
	}
	for _, end := range [][]byte{tail, head} {
		for rest := end; ; {
			_, after, found := bytes.Cut(rest, []byte(`"id":`))
			if !found {
				break
			}
			after = bytes.TrimLeft(after, ` "`)
			digits := after[:len(after)-len(bytes.TrimLeft(after, "0123456789"))]
			if n, err := strconv.ParseInt(string(digits), 10, 64); err == nil {
				if id, _ := jsonrpc.MakeID(float64(n)); t.waiting(id) != nil {
					return id
				}
			}
			rest = after
		}
	}
	return id
}
