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

// serving holds the contexts of the server's requests that are being answered, so that its $/cancelRequest can end
// them.
type serving struct {
	mu      sync.Mutex
	cancels map[jsonrpc2.ID]context.CancelCauseFunc // guarded by mu; an id in use twice names the later request
}

// errCancelled is the cause with which the server's $/cancelRequest ends the context of a handler.
var errCancelled = &ResponseError{Code: CodeRequestCancelled, Message: "cancelled by the server"}

// handle is the library's handler. It runs on the reading goroutine until jsonrpc2.Async, which only requests reach.
// It never returns an error for a notification and never panics: either would end the connection.
func (c *Conn) handle(ctx context.Context, req *jsonrpc2.Request) (any, error) {
	if !req.IsCall() {
		c.handleNotification(req)
		return nil, nil
	}
	id := req.ID()
	hctx, cancel := context.WithCancelCause(c.root)
	c.serving.mu.Lock()
	c.serving.cancels[id] = cancel
	c.serving.mu.Unlock()
	// Registered before the reader goes on: a $/cancelRequest that follows at once finds the request.
	jsonrpc2.Async(ctx)
	defer func() {
		c.serving.mu.Lock()
		delete(c.serving.cancels, id)
		c.serving.mu.Unlock()
		cancel(nil)
	}()
	result, err := c.answerRequest(hctx, req)
	if err != nil {
		return nil, wireError(hctx, err)
	}
	return result, nil
}

// answerRequest runs the handler and encodes its result, so that a panic of either is caught here.
func (c *Conn) answerRequest(ctx context.Context, req *jsonrpc2.Request) (result jsonrpc2.RawMessage, err error) {
	defer c.recovered(req, &err)
	if c.opt.Request == nil {
		return nil, &ResponseError{Code: CodeMethodNotFound, Message: "method not found: " + req.Method()}
	}
	v, err := c.opt.Request(ctx, req.Method(), json.RawMessage(req.Params()))
	if err != nil || v == nil {
		return nil, err
	}
	b, err := encodePayload(v)
	if err != nil {
		return nil, fmt.Errorf("encoding the answer to %s: %w", req.Method(), err)
	}
	return b, nil
}

// recovered, deferred around the handler of a message, turns its panic into an error.
func (c *Conn) recovered(req *jsonrpc2.Request, err *error) {
	if p := recover(); p != nil {
		c.opt.Log.Error("a handler panicked", "method", req.Method(), "panic", p, "stack", string(debug.Stack()))
		*err = fmt.Errorf("handler of %s panicked", req.Method())
	}
}

// handleNotification passes a notification to its handler, or cancels a request of the server.
func (c *Conn) handleNotification(req *jsonrpc2.Request) {
	defer c.recovered(req, new(error))
	if req.Method() == methodCancel {
		c.cancelServed(req.Params())
		return
	}
	if c.opt.Notification != nil {
		c.opt.Notification(req.Method(), json.RawMessage(req.Params()))
	}
}

// cancelServed ends the context of the request that the server has cancelled.
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

// wireError returns err as it is sent to the server. An error without a code becomes an internal error: the library
// would send it with code 0.
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
