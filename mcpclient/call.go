package mcpclient

//lint:file-ignore SA1019 roots, sampling and log messages are deprecated since 2026-07-28, and what the hosts and servers of today have.

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/mcpclient/repair"
)

// Call is a call of a tool.
type Call struct {
	Name      string          // what the server calls it, or its exposed name
	Arguments json.RawMessage // an object, with local paths; nil is {}
	Meta      json.RawMessage // _meta of the host's request, an object or nil; its progressToken is replaced
	Progress  func(Progress)  // called one after the other, never after CallTool returned; nil hears nothing
}

// Result is what a server answered, with local paths.
type Result[T any] struct {
	Raw      json.RawMessage // the result byte by byte as it was sent, apart from paths and repairs
	Decoded  *T              // the same as the SDK decodes it; StructuredContent is a json.RawMessage
	Repaired string          // what was mended; "" for nothing
}

// CallTool calls a tool. A result with isError is a result.
func (c *Client) CallTool(ctx context.Context, call Call) (*Result[mcp.CallToolResult], error) {
	name := c.toolName(call.Name)
	p := &pending{method: "tools/call", name: name, listener: call.Progress}
	defer p.deafen()
	args := c.paths.Out(call.Arguments)
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	raw, err := c.ask(ctx, p, func(ctx context.Context, s *session) error {
		_, err := s.sdk.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: args, Meta: c.meta(p, call.Meta)})
		return err
	})
	if err != nil {
		return nil, err
	}
	mended, decoded, what := repair.Tool(c.paths.In(raw))
	return mend(c, p, raw, mended, decoded, what), nil
}

// mend tells of a repair.
func mend[T any](c *Client, p *pending, raw, mended json.RawMessage, decoded *T, what string) *Result[T] {
	if what != "" {
		c.undecoded(p.method, p.name, what, raw)
	}
	return &Result[T]{Raw: mended, Decoded: decoded, Repaired: what}
}

// meta is the _meta of a request: what the host sent, with a token of ours for progress.
func (c *Client) meta(p *pending, host json.RawMessage) mcp.Meta {
	meta := mcp.Meta{}
	if len(host) > 0 {
		var members map[string]json.RawMessage
		_ = json.Unmarshal(host, &members)
		for name, value := range members {
			meta[name] = value
		}
	}
	p.token = c.tokens.Add(1)
	meta["progressToken"] = p.token
	return meta
}

// toolName is the server's name of a tool. A name that is not listed may be one that the list does not have yet.
func (c *Client) toolName(name string) string {
	c.tools.load()
	c.mu.Lock()
	defer c.mu.Unlock()
	exposed := ""
	for _, t := range c.tools.known() {
		if t.Name == name {
			return name
		}
		if t.Exposed == name {
			exposed = t.Name
		}
	}
	if exposed != "" {
		return exposed
	}
	return name
}

func (c *Client) promptName(name string) string {
	c.prompts.load()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.prompts.known() {
		if p.Exposed == name {
			return p.Name
		}
	}
	return name
}

// GetPrompt gets a prompt; name is the server's or the exposed one.
func (c *Client) GetPrompt(ctx context.Context, name string, args map[string]string) (*Result[mcp.GetPromptResult], error) {
	p := &pending{method: "prompts/get", name: c.promptName(name)}
	raw, err := c.ask(ctx, p, func(ctx context.Context, s *session) error {
		_, err := s.sdk.GetPrompt(ctx, &mcp.GetPromptParams{Name: p.name, Arguments: c.outward(args)})
		return err
	})
	if err != nil {
		return nil, err
	}
	mended, decoded, what := repair.Prompt(c.paths.In(raw))
	return mend(c, p, raw, mended, decoded, what), nil
}

func (c *Client) outward(args map[string]string) map[string]string {
	if args == nil {
		return nil
	}
	out := make(map[string]string, len(args))
	for name, value := range args {
		out[name] = c.paths.ToRemote(value)
	}
	return out
}

// ReadResource reads a resource by its local URI.
func (c *Client) ReadResource(ctx context.Context, uri string) (*Result[mcp.ReadResourceResult], error) {
	p := &pending{method: "resources/read", name: c.paths.ToRemote(uri)}
	raw, err := c.ask(ctx, p, func(ctx context.Context, s *session) error {
		_, err := s.sdk.ReadResource(ctx, &mcp.ReadResourceParams{URI: p.name})
		return err
	})
	if err != nil {
		return nil, err
	}
	mended, decoded, what := repair.Resource(c.paths.In(raw), uri)
	return mend(c, p, raw, mended, decoded, what), nil
}

// Complete asks for completions of an argument.
func (c *Client) Complete(ctx context.Context, params *mcp.CompleteParams) (*Result[mcp.CompleteResult], error) {
	asked := *params
	p := &pending{method: "completion/complete"}
	if ref := params.Ref; ref != nil {
		r := *ref
		r.URI = c.paths.ToRemote(r.URI)
		if r.Name != "" {
			r.Name = c.promptName(r.Name)
		}
		asked.Ref, p.name = &r, r.Name+r.URI
	}
	asked.Argument.Value = c.paths.ToRemote(asked.Argument.Value)
	raw, err := c.ask(ctx, p, func(ctx context.Context, s *session) error {
		_, err := s.sdk.Complete(ctx, &asked)
		return err
	})
	if err != nil {
		return nil, err
	}
	mended, decoded, what := repair.Completion(c.paths.In(raw))
	return mend(c, p, raw, mended, decoded, what), nil
}

// Subscribe asks to hear of changes of a resource (Host.ResourceUpdated), now and after a restart of the server.
func (c *Client) Subscribe(ctx context.Context, uri string) error {
	remote := c.paths.ToRemote(uri)
	_, err := c.ask(ctx, &pending{method: "resources/subscribe", name: remote}, func(ctx context.Context, s *session) error {
		return s.sdk.Subscribe(ctx, &mcp.SubscribeParams{URI: remote})
	})
	if err == nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		if len(c.subscribed) < maxSubscribed {
			c.subscribed[remote] = true
		}
	}
	return err
}

// Unsubscribe ends what Subscribe began.
func (c *Client) Unsubscribe(ctx context.Context, uri string) error {
	remote := c.paths.ToRemote(uri)
	c.mu.Lock()
	delete(c.subscribed, remote)
	c.mu.Unlock()
	_, err := c.ask(ctx, &pending{method: "resources/unsubscribe", name: remote}, func(ctx context.Context, s *session) error {
		return s.sdk.Unsubscribe(ctx, &mcp.UnsubscribeParams{URI: remote})
	})
	return err
}

// SetLevel sets the least level of the server's log messages, now and after a restart. A server without logs is not asked.
func (c *Client) SetLevel(ctx context.Context, level mcp.LoggingLevel) error {
	c.mu.Lock()
	c.level = level
	c.mu.Unlock()
	_, err := c.ask(ctx, &pending{method: "logging/setLevel"}, func(ctx context.Context, s *session) error {
		if !s.info.has("logging") {
			return nil
		}
		return s.sdk.SetLoggingLevel(ctx, &mcp.SetLoggingLevelParams{Level: level})
	})
	return err
}

// RootsChanged tells the server that Host.Roots would answer differently. A server that is not connected asks when it is.
func (c *Client) RootsChanged() {
	c.mu.Lock()
	s := c.live
	c.mu.Unlock()
	if s != nil && c.host.Roots != nil {
		s.client.AddRoots(&mcp.Root{URI: "file:///"}) // the SDK sends the notification; what it keeps is never listed, see answers
	}
}

// turn waits for the turn of a call, and returns how to end it.
func (c *Client) turn(ctx context.Context) (func(), *Error) {
	done := func() { <-c.slots }
	select {
	case c.slots <- struct{}{}:
		return done, nil
	default:
	}
	if c.waiting.Add(1) > int64(c.opts.Waiting) {
		c.waiting.Add(-1)
		return nil, c.errorf(Busy, "%d calls are in flight and %d wait", c.opts.InFlight, c.opts.Waiting)
	}
	defer c.waiting.Add(-1)
	timer := time.NewTimer(c.spec.CallTimeout)
	defer timer.Stop()
	select {
	case c.slots <- struct{}{}:
		return done, nil
	case <-timer.C:
		return nil, c.errorf(Busy, "%d calls were in flight for %v", c.opts.InFlight, c.spec.CallTimeout)
	case <-ctx.Done():
		return nil, c.cancelled(ctx, "waiting for other calls")
	case <-c.life.Done():
		return nil, c.errorf(Closed, "the client was closed")
	}
}

// ask makes one call over the connection there is, or a new one, and returns the result as it was sent. A call that reached the server is never
// repeated, except when the server said that it does not know the session and therefore did nothing.
func (c *Client) ask(ctx context.Context, p *pending, send func(context.Context, *session) error) (json.RawMessage, error) {
	done, busy := c.turn(ctx)
	if busy != nil {
		return nil, busy
	}
	defer done()
	for try := 1; ; try++ {
		s, err := c.started(ctx)
		if err != nil {
			return nil, err
		}
		raw, failed := c.over(ctx, s, p, send)
		if failed == nil {
			return raw, nil
		}
		if again := failed.Kind == Died && (!p.sent() || s.expired); !again || try == 2 {
			return nil, failed
		}
	}
}

// startWait is less than hosts wait for a call, most of them 60 s: a host that gives up first does not hear why.
const startWait = 50 * time.Second

// StartWait is how long a call waits for a server that starts: 50 s, or CallTimeout where that is less, or more than its default, as for a host
// that waits longer. The start goes on.
func (c *Client) StartWait() time.Duration {
	if c.spec.CallTimeout > defaultCall {
		return c.spec.CallTimeout
	}
	return min(c.spec.CallTimeout, startWait)
}

// started is the connection for a call, which does not wait for the end of a start: three tries that hang take three minutes.
func (c *Client) started(ctx context.Context) (*session, error) {
	c.mu.Lock()
	live := c.live
	c.mu.Unlock()
	if live != nil {
		return live, nil
	}
	waiting, cancel := context.WithTimeout(ctx, c.StartWait())
	defer cancel()
	s, err := c.session(waiting)
	if err != nil && ctx.Err() == nil && waiting.Err() != nil {
		return nil, c.errorf(StartFailed, "the server has not started within %v; its start goes on", c.StartWait())
	}
	return s, err
}

// over makes one call over a connection.
func (c *Client) over(ctx context.Context, s *session, p *pending, send func(context.Context, *session) error) (json.RawMessage, *Error) {
	call, cancel := context.WithCancelCause(withPending(ctx, p))
	defer cancel(nil)
	stop := context.AfterFunc(c.life, func() { cancel(errClosed) })
	defer stop()
	limit := c.spec.CallTimeout
	timer := time.AfterFunc(limit, func() { cancel(errTimeout) })
	defer timer.Stop()
	latest := time.Now().Add(10 * limit)
	p.onSign(func() {
		if left := time.Until(latest); left > 0 && timer.Stop() {
			timer.Reset(min(limit, left))
		}
	})
	defer s.x.forget(p)
	err := send(call, s)
	if err == nil {
		return p.raw, nil
	}
	return nil, c.whyFailed(ctx, call, s, p, err)
}

// whyFailed turns the SDK's error of a call into ours.
func (c *Client) whyFailed(ctx, call context.Context, s *session, p *pending, err error) *Error {
	status, broken := p.failure()
	switch {
	case ctx.Err() != nil:
		return c.cancelled(ctx, p.method)
	case c.life.Err() != nil:
		return c.errorf(Closed, "the client was closed during the call")
	case context.Cause(call) == errTimeout:
		e := c.errorf(TimedOut, "%s: no answer in %v", p.method, c.spec.CallTimeout)
		e.Stderr = s.tail()
		return e
	case status == 401 || status == 403:
		s.end(err)
		e := c.errorf(Unauthorized, "HTTP %d: the server wants other credentials (headers, token_env)", status)
		e.Code = status
		return e
	case errors.Is(err, errTooLarge):
		return c.errorf(BadAnswer, "%s: %v: more than %d MiB", p.method, errTooLarge, c.opts.MaxMessage>>20)
	}
	if w := answeredWith(err); w != nil {
		switch w.Code { // of errors that stand in for an answer, see tripper.mend; a server may send these codes, too
		case codeTooLarge, codeUnreadable:
			return c.errorf(BadAnswer, "%s: %s", p.method, outside(w.Message))
		case codeLost:
			return c.errorf(Died, "%s: %s", p.method, outside(w.Message))
		}
		return c.refusal(err)
	}
	if errors.Is(err, mcp.ErrSessionMissing) || broken != nil {
		s.end(err)
	}
	select {
	case <-s.lost:
	default:
		if !connectionLost(err) {
			return c.undiagnosed(p, status, err)
		}
		s.end(err)
	}
	select {
	case <-s.gone:
	case <-ctx.Done():
		return c.cancelled(ctx, p.method)
	}
	return s.death.during(p)
}

// undiagnosed is the error of a call that failed while its connection lives on.
func (c *Client) undiagnosed(p *pending, status int, err error) *Error {
	if status != 0 {
		e := c.errorf(Refused, "%s: HTTP %d", p.method, status)
		e.Code = status
		return e
	}
	if !p.answered {
		return c.errorf(Died, "%s: the answer ended before its end: %v", p.method, err)
	}
	return c.errorf(BadAnswer, "%s: %v", p.method, err)
}

// during is the error for one of the calls that were in flight.
func (e *Error) during(p *pending) *Error {
	d := *e
	d.Message = p.method + ": " + e.Message
	return &d
}
