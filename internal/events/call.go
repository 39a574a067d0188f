package events

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"time"

	"lspi/internal/source"
)

// Request is what a host asks.
type Request struct {
	ID        json.RawMessage // by which the host knows it (JSON-RPC); nil when that is not known
	Host      string
	Method    string // such as tools/call
	Tool      string // the name of the tool, prompt or resource
	Arguments json.RawMessage
}

// Call is one request of a host while it is answered. A nil Call records nothing. Its methods may be called
// concurrently, also after End: what a request has begun may outlive it.
type Call struct {
	to      *Recorder
	request Request // without its secrets, but for the arguments
	number  int64
	began   time.Time
	secrets []string // of the arguments
	asked   atomic.Int64
	read    int64 // [source.FilesRead] when it began
	// failed is the last reply of an MCP server with an error. What the host is told adds words of lspi alone; what it is
	// told of a language server may have names and texts of the workspace besides.
	failed atomic.Pointer[Reply]
}

type callKey struct{}

// From is the request of a host that ctx belongs to; nil when there is none, or nobody records.
func From(ctx context.Context) *Call {
	c, _ := ctx.Value(callKey{}).(*Call)
	return c
}

// Begin records what a host asks. The context is for all that is done about it.
func (r *Recorder) Begin(ctx context.Context, q Request) (context.Context, *Call) {
	if r == nil {
		return ctx, nil
	}
	t := r.target.Load()
	if t == nil {
		return ctx, nil
	}
	secrets := secretsIn(q.Arguments)
	q = mask{known: t.Mask, secrets: secrets}.clean(q)
	c := &Call{to: r, request: q, number: r.requests.Add(1), began: time.Now(), secrets: secrets,
		read: source.FilesRead()}
	l := c.line(HostRequest, c.began)
	l.Bytes, l.arguments = len(q.Arguments), func() []byte { return q.Arguments }
	r.put(l, c.secrets)
	return context.WithValue(ctx, callKey{}, c), c
}

// line is one about the request; since is what its ms count from.
func (c *Call) line(event Kind, since time.Time) *line {
	return &line{Event: event, Request: c.number, ID: c.request.ID, Host: c.request.Host, Tool: c.request.Tool,
		Method: c.request.Method, MS: millis(time.Since(since))}
}

// Answer is what a host is answered.
type Answer struct {
	Error   string        // the kind of the error; "" for none
	Code    int           // of a JSON-RPC error
	Denied  bool          // the session may not call the tool
	Preset  string        // that leaves it out
	Message string        // of the error; written at debug alone
	Bytes   int           // of its content
	Result  func() []byte // the whole of it, as JSON; asked for at debug alone; nil has none
}

// End records what the host is answered.
func (c *Call) End(a Answer) {
	if c == nil {
		return
	}
	if a.Denied {
		l := c.line(ToolDenied, c.began)
		l.Error, l.Preset, l.Message = a.Error, a.Preset, a.Message
		c.to.put(l, c.secrets)
	}
	l := c.line(HostResponse, c.began)
	if a.Error != "" {
		l.Event = HostError
	}
	l.Error, l.Code, l.Message, l.Bytes, l.result = a.Error, a.Code, a.Message, a.Bytes, a.Result
	l.Asked, l.Reads = c.asked.Load(), source.FilesRead()-c.read
	if r := c.failed.Load(); r != nil && strings.Contains(a.Message, r.Message) {
		l.outside = r.Outside
	}
	c.to.put(l, c.secrets)
}

// DecodeFailed records something that a server, or the host, said and that does not keep to its protocol.
func (c *Call) DecodeFailed(u Undecoded) {
	if c != nil {
		c.to.put(u.line(*c.line(DecodeFailed, c.began)), c.secrets)
	}
}

// Question is what a server is asked for the request of a host.
type Question struct {
	Provider string // LSP or MCP
	Server   string // its id
	Method   string
	Name     string // of the tool, prompt or resource of an MCP server, as the server calls it
	Params   json.RawMessage
}

// Asked is a question that was recorded. A nil Asked records nothing.
type Asked struct {
	of       *Call
	question Question
	number   int64
	began    time.Time
}

// Ask records that a server is asked. The caller calls End of what it gives.
func (c *Call) Ask(q Question) *Asked {
	if c == nil {
		return nil
	}
	a := &Asked{of: c, question: q, number: c.asked.Add(1), began: time.Now()}
	l := a.line(ServerRequest)
	l.MS, l.Bytes, l.arguments = millis(a.began.Sub(c.began)), len(q.Params), func() []byte { return q.Params }
	c.to.put(l, c.secrets)
	return a
}

func (a *Asked) line(event Kind) *line {
	l := a.of.line(event, a.began)
	l.Provider, l.Server, l.Method, l.Name, l.Call = a.question.Provider, a.question.Server, a.question.Method,
		a.question.Name, a.number
	return l
}

// Reply is what became of a question.
type Reply struct {
	Error   string // the kind of the error; "" for none
	Code    int    // of a JSON-RPC error
	Message string // of the error; written at debug alone
	// Outside are the parts of Message and Undecoded that lspi did not write, in which secrets are masked; nil when
	// all of it may be.
	Outside   []string
	Undecoded string // why the answer could not be decoded, without what it says; "" when it could, or there is none
	Bytes     int    // of the answer
	Result    []byte // the answer; written at debug alone
}

// End records what became of the question.
func (a *Asked) End(r Reply) {
	if a == nil {
		return
	}
	if r.Undecoded != "" {
		a.of.DecodeFailed(Undecoded{Provider: a.question.Provider, Server: a.question.Server,
			Method: a.question.Method, Name: a.question.Name,
			Reason: r.Undecoded, Raw: r.Result, Outside: r.Outside})
	}
	l := a.line(ServerResponse)
	if r.Error != "" {
		l.Event = ServerError
		if a.question.Provider == MCP && r.Message != "" {
			a.of.failed.Store(&Reply{Message: r.Message, Outside: r.Outside})
		}
	}
	l.Error, l.Code, l.Message, l.Bytes, l.result = r.Error, r.Code, r.Message, r.Bytes, func() []byte {
		return r.Result
	}
	l.outside = r.Outside
	a.of.to.put(l, a.of.secrets)
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
