package mcpclient

//lint:file-ignore SA1019 roots, sampling and logs are deprecated since 2026-07-28; hosts and servers have them still.

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Call is a call of a tool.
type Call struct {
	Name      string          // what the server calls it, or its exposed name
	Arguments json.RawMessage // an object; nil is {}
	Meta      json.RawMessage // _meta of the host's request, an object or nil; its progressToken is replaced
	Progress  func(Progress)  // called one after the other, never after CallTool returned; nil hears nothing
}

// Result is what a server answered.
type Result[T any] struct {
	Raw       json.RawMessage // the result byte by byte as it was sent, or what stands in for it
	Decoded   *T              // the same as the SDK decodes it; StructuredContent is a json.RawMessage
	Undecoded string          // why another result stands in for the one that was sent; "" when none does
}

// CallTool calls a tool. A result with isError is a result.
func (c *Client) CallTool(ctx context.Context, call Call) (*Result[mcp.CallToolResult], error) {
	name := c.toolName(call.Name)
	p := &pending{method: "tools/call", name: name, listener: call.Progress}
	defer p.deafen()
	args := call.Arguments
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	sent, r, err := ask(ctx, c, p, func(ctx context.Context, sdk *mcp.ClientSession) (*mcp.CallToolResult, error) {
		return sdk.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: args, Meta: c.meta(p, call.Meta)})
	})
	if sent == nil {
		return nil, err
	}
	raw, r, why := decodeTool(sent, r)
	if why == nil {
		return &Result[mcp.CallToolResult]{Raw: raw, Decoded: r}, nil
	}
	c.undecoded(p.method, p.name, why.Error(), sent)
	return &Result[mcp.CallToolResult]{Raw: raw, Decoded: r, Undecoded: c.mask.Text(why.Error())}, nil
}

// checked returns the result of a request other than tools/call, or the error of one that did not decode, or that
// check finds malformed: no other result stands in for it, since no model would read that.
func checked[T any](c *Client, p *pending, raw json.RawMessage, r *T, err error,
	check func(*T) error) (*Result[T], error) {
	if err == nil {
		if why := check(r); why != nil {
			err = c.errorf(BadAnswer, "%s: %v", p.method, why)
		}
	}
	if err == nil {
		return &Result[T]{Raw: raw, Decoded: r}, nil
	}
	if raw != nil {
		c.undecoded(p.method, p.name, err.Error(), raw)
	}
	return nil, err
}

// meta returns the _meta of a request: what the host sent, with a progress token of this client, by which the tap
// finds the call.
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

// toolName returns the server's name of a tool. A name that is not listed is returned as it is: the list may not
// have it yet.
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

// promptName returns the server's name of a prompt, as toolName does for tools.
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
func (c *Client) GetPrompt(ctx context.Context, name string,
	args map[string]string) (*Result[mcp.GetPromptResult], error) {
	p := &pending{method: "prompts/get", name: c.promptName(name)}
	raw, r, err := ask(ctx, c, p, func(ctx context.Context, sdk *mcp.ClientSession) (*mcp.GetPromptResult, error) {
		return sdk.GetPrompt(ctx, &mcp.GetPromptParams{Name: p.name, Arguments: args})
	})
	return checked(c, p, raw, r, err, checkPrompt)
}

// ReadResource reads a resource by its URI.
func (c *Client) ReadResource(ctx context.Context, uri string) (*Result[mcp.ReadResourceResult], error) {
	p := &pending{method: "resources/read", name: uri}
	raw, r, err := ask(ctx, c, p, func(ctx context.Context, sdk *mcp.ClientSession) (*mcp.ReadResourceResult, error) {
		return sdk.ReadResource(ctx, &mcp.ReadResourceParams{URI: p.name})
	})
	return checked(c, p, raw, r, err, checkResource)
}

// Complete asks for completions of an argument.
func (c *Client) Complete(ctx context.Context, params *mcp.CompleteParams) (*Result[mcp.CompleteResult], error) {
	asked := *params
	p := &pending{method: "completion/complete"}
	if ref := params.Ref; ref != nil {
		r := *ref
		if r.Name != "" {
			r.Name = c.promptName(r.Name)
		}
		asked.Ref, p.name = &r, r.Name+r.URI
	}
	raw, r, err := ask(ctx, c, p, func(ctx context.Context, sdk *mcp.ClientSession) (*mcp.CompleteResult, error) {
		return sdk.Complete(ctx, &asked)
	})
	return checked(c, p, raw, r, err, checkCompletion)
}

// Subscribe asks to hear of changes of a resource (Host.ResourceUpdated), now and after a restart of the server.
func (c *Client) Subscribe(ctx context.Context, uri string) error {
	err := c.tellServer(ctx, &pending{method: "resources/subscribe", name: uri},
		func(ctx context.Context, s *connection) error {
			return s.sdk.Subscribe(ctx, &mcp.SubscribeParams{URI: uri})
		})
	if err == nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		if len(c.subscribed) < maxSubscribed {
			c.subscribed[uri] = true
		}
	}
	return err
}

// Unsubscribe ends what Subscribe began.
func (c *Client) Unsubscribe(ctx context.Context, uri string) error {
	c.mu.Lock()
	delete(c.subscribed, uri)
	c.mu.Unlock()
	return c.tellServer(ctx, &pending{method: "resources/unsubscribe", name: uri},
		func(ctx context.Context, s *connection) error {
			return s.sdk.Unsubscribe(ctx, &mcp.UnsubscribeParams{URI: uri})
		})
}

// SetLevel sets the least level of the server's log messages, now and after a restart. A server without logs is not
// asked.
func (c *Client) SetLevel(ctx context.Context, level mcp.LoggingLevel) error {
	c.mu.Lock()
	c.level = level
	c.mu.Unlock()
	return c.tellServer(ctx, &pending{method: "logging/setLevel"}, func(ctx context.Context, s *connection) error {
		if s.info.caps.Logging == nil {
			return nil
		}
		return s.sdk.SetLoggingLevel(ctx, &mcp.SetLoggingLevelParams{Level: level})
	})
}

// RootsChanged tells the server that Host.Roots would answer differently. A server that is not connected asks when
// it is.
func (c *Client) RootsChanged() {
	c.mu.Lock()
	s := c.live
	c.mu.Unlock()
	if s != nil && c.host.Roots != nil {
		// the SDK sends the notification; what it keeps is never listed, see answers
		s.client.AddRoots(&mcp.Root{URI: "file:///"})
	}
}

// turn waits until fewer than Options.InFlight calls run. The function that it returns ends the turn.
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

// ask makes one call, and returns the result as it was sent and as the SDK decodes it. When the result does not
// decode, raw is set beside err; with any other error both results are nil.
func ask[T any](ctx context.Context, c *Client, p *pending,
	send func(context.Context, *mcp.ClientSession) (*T, error)) (raw json.RawMessage, r *T, err error) {
	err = c.tellServer(ctx, p, func(ctx context.Context, s *connection) (err error) {
		r, err = send(ctx, s.sdk)
		return err
	})
	switch sent := p.sent(); {
	case err == nil:
		return p.raw(r), r, nil
	case KindOf(err) == BadAnswer && len(sent) > 0:
		return sent[len(sent)-1], nil, err
	}
	return nil, nil, err
}

// tellServer makes one call over the live connection, or over a new one. A call that may have reached the server is
// never repeated, as it may have had effects, except when the server said that it does not know the session: then it
// did nothing.
func (c *Client) tellServer(ctx context.Context, p *pending, send func(context.Context, *connection) error) error {
	done, busy := c.turn(ctx)
	if busy != nil {
		return busy
	}
	defer done()
	for try := 1; ; try++ {
		s, err := c.started(ctx)
		if err != nil {
			return err
		}
		failed := c.over(ctx, s, p, send)
		if failed == nil {
			return nil
		}
		if again := failed.Kind == Died && (!p.begun() || s.forgotten()); !again || try == 2 {
			return failed
		}
	}
}

// startWait is less than hosts wait for a call, most of them 60 s: a host that gives up first does not hear why.
const startWait = 50 * time.Second

// StartWait is how long a call waits for a server that starts: 50 s, or CallTimeout where that is less, or more
// than its default, as for a host that waits longer. The start goes on.
func (c *Client) StartWait() time.Duration {
	if c.spec.CallTimeout > defaultCall {
		return c.spec.CallTimeout
	}
	return min(c.spec.CallTimeout, startWait)
}

// started returns the connection for a call. It waits no longer than StartWait for a start, since three tries that
// hang take three minutes.
func (c *Client) started(ctx context.Context) (*connection, error) {
	c.mu.Lock()
	live := c.live
	c.mu.Unlock()
	if live != nil {
		return live, nil
	}
	waiting, cancel := context.WithTimeout(ctx, c.StartWait())
	defer cancel()
	s, err := c.connection(waiting)
	if err != nil && ctx.Err() == nil && waiting.Err() != nil {
		return nil, c.errorf(StartFailed, "the server has not started within %v; its start goes on", c.StartWait())
	}
	return s, err
}

// over makes one call over a connection. The call ends when ctx or the client does, when CallTimeout is over, which
// progress begins anew, or after ten times CallTimeout, so that progress without end does not keep it.
func (c *Client) over(ctx context.Context, s *connection, p *pending,
	send func(context.Context, *connection) error) *Error {
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
	defer s.tap.forget(p)
	if err := send(call, s); err != nil {
		return c.whyFailed(ctx, call, s, p, err)
	}
	return nil
}

// whyFailed turns the SDK's error of a call into ours.
func (c *Client) whyFailed(ctx, call context.Context, s *connection, p *pending, err error) *Error {
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
	}
	if w := answeredWith(err); w != nil {
		switch w.Code { // of errors that stand in for an answer
		case codeUnreadable:
			return c.errorf(BadAnswer, "%s: %s", p.method, outside(w.Message)) // a server may send these codes, too
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

// undiagnosed returns the error of a call that failed while its connection lives on.
func (c *Client) undiagnosed(p *pending, status int, err error) *Error {
	if status != 0 {
		e := c.errorf(Refused, "%s: HTTP %d", p.method, status)
		e.Code = status
		return e
	}
	sent := p.sent()
	switch {
	case len(sent) == 0:
		return c.errorf(Died, "%s: the answer ended before its end: %v", p.method, err)
	case !isObject(sent[len(sent)-1]):
		return c.errorf(BadAnswer, "%s: the result is no object", p.method)
	}
	return c.errorf(BadAnswer, "%s: the result does not decode: %v", p.method, err)
}

// during returns the death of a connection as the error of one call that was in flight.
func (e *Error) during(p *pending) *Error {
	d := *e
	d.Message = p.method + ": " + e.Message
	return &d
}
