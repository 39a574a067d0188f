package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"

	"go.lsp.dev/jsonrpc2"
)

// serving holds the requests of the server that are being answered, for its $/cancelRequest.
type serving struct {
	mu      sync.Mutex
	cancels map[jsonrpc2.ID]context.CancelCauseFunc // under mu; an id used twice names the later request
}

// errCancelled is the cause of a handler's context after the server's $/cancelRequest.
var errCancelled = &ResponseError{Code: CodeRequestCancelled, Message: "cancelled by the server"}

// handle is the library's handler. It runs on the reading goroutine until a request leaves it by Async; a notification
// never does. It never returns an error for a notification and never panics: either would end the connection.
func (c *Conn) handle(ctx context.Context, req *jsonrpc2.Request) (any, error) {
	if !req.IsCall() {
		c.notification(req)
		return nil, nil
	}
	id := req.ID()
	hctx, cancel := context.WithCancelCause(c.root)
	c.serving.mu.Lock()
	c.serving.cancels[id] = cancel
	c.serving.mu.Unlock()
	jsonrpc2.Async(ctx)
	defer func() {
		c.serving.mu.Lock()
		delete(c.serving.cancels, id)
		c.serving.mu.Unlock()
		cancel(nil)
	}()
	result, err := c.request(hctx, req)
	if err != nil {
		return nil, wireError(hctx, err)
	}
	return result, nil
}

// request runs the handler and encodes its result, so that a panic of either is caught here.
func (c *Conn) request(ctx context.Context, req *jsonrpc2.Request) (result jsonrpc2.RawMessage, err error) {
	defer c.recovered(req, &err)
	if c.opt.Request == nil {
		return nil, &ResponseError{Code: CodeMethodNotFound, Message: "method not found: " + req.Method()}
	}
	v, err := c.opt.Request(ctx, req.Method(), json.RawMessage(req.Params()))
	if err != nil || v == nil {
		return nil, err
	}
	b, err := encode(v)
	if err != nil {
		return nil, fmt.Errorf("encoding the answer to %s: %w", req.Method(), err)
	}
	return b, nil
}

// recovered ends a panic of the handler of a message, which is deferred, with an error.
func (c *Conn) recovered(req *jsonrpc2.Request, err *error) {
	if p := recover(); p != nil {
		c.opt.Log.Error("a handler panicked", "method", req.Method(), "panic", p, "stack", string(debug.Stack()))
		*err = fmt.Errorf("handler of %s panicked", req.Method())
	}
}

func (c *Conn) notification(req *jsonrpc2.Request) {
	defer c.recovered(req, new(error))
	if req.Method() == methodCancel {
		c.cancelServed(req.Params())
		return
	}
	if c.opt.Notification != nil {
		c.opt.Notification(req.Method(), json.RawMessage(req.Params()))
	}
}

// cancelServed ends the context of the request that the server no longer wants answered.
func (c *Conn) cancelServed(params []byte) {
	var p struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	id, ok := parseID(p.ID)
	if !ok {
		return
	}
	c.serving.mu.Lock()
	cancel := c.serving.cancels[id]
	c.serving.mu.Unlock()
	if cancel != nil {
		cancel(errCancelled)
	}
}

// wireError is err as the server gets it. An error without a code is an internal one: the library would send code 0.
func wireError(ctx context.Context, err error) *jsonrpc2.Error {
	var response *ResponseError
	if errors.Is(err, context.Canceled) && context.Cause(ctx) == error(errCancelled) {
		response = errCancelled
	} else if !errors.As(err, &response) {
		return jsonrpc2.NewError(jsonrpc2.InternalError, err.Error())
	}
	e := jsonrpc2.NewError(jsonrpc2.Code(response.Code), response.Message)
	e.Data = jsonrpc2.RawMessage(response.Data)
	return e
}
