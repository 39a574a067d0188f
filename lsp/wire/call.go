package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"go.lsp.dev/jsonrpc2"
)

const methodCancel = "$/cancelRequest"

// Call sends a request and waits for its answer.
//
// A nil params is left out of the message: strict servers refuse null. The answer is decoded into result, unless
// that is nil: a *json.RawMessage gets a copy of its own; anything else is decoded (see codec). A null answer
// leaves result as it is, except that a *json.RawMessage becomes "null".
//
// When ctx ends first, Call returns its cause at once and the server is told by $/cancelRequest, unless the method
// is one of Options.Uncancellable. Errors: *ResponseError, *DecodeError (result may then be filled in part),
// *ClosedError, or one that wraps the cause of ctx.
func (c *Conn) Call(ctx context.Context, method string, params, result any) error {
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.closing, cancel)()
	defer c.stream.calls.begin()()
	id, err := c.rpc.Call(inner, method, params, result)
	if err == nil {
		return nil
	}
	return c.callError(ctx, inner, id, method, err)
}

// CallRaw is [Conn.Call], which also gives the answer as it was sent, whether or not it can be decoded; nil when
// there was none.
func (c *Conn) CallRaw(ctx context.Context, method string, params, result any) (json.RawMessage, error) {
	var raw json.RawMessage
	if err := c.Call(ctx, method, params, &raw); err != nil || result == nil {
		return raw, err
	}
	if out, ok := result.(*json.RawMessage); ok {
		*out = raw
		return raw, nil
	}
	if string(raw) == "null" {
		return raw, nil
	}
	err := codec{c.opt.Log}.Unmarshal(raw, result)
	if decode := (*DecodeError)(nil); errors.As(err, &decode) {
		decode.Method = method
	}
	return raw, err
}

// Encode is what params are in a message.
func Encode(params any) (json.RawMessage, error) { return encode(params) }

// callError turns what the library returned into this package's errors, and cancels the request at the server where
// nobody waits for it any more.
func (c *Conn) callError(ctx, inner context.Context, id jsonrpc2.ID, method string, err error) error {
	var response *ResponseError
	var decode *DecodeError
	var unsent *unsentError
	switch {
	case errors.As(err, &response):
		response.Method = method
		return response
	case errors.As(err, &decode):
		decode.Method = method
		return decode
	case c.ended(err):
		return &ClosedError{Method: method, Cause: c.cause()}
	case ctx.Err() != nil:
		if !errors.As(err, &unsent) && !slices.Contains(c.opt.Uncancellable, method) {
			c.cancelRequest(id)
		}
		return fmt.Errorf("%s: %w", method, context.Cause(ctx))
	case inner.Err() != nil:
		return &ClosedError{Method: method, Cause: c.cause()}
	}
	return fmt.Errorf("%s: %w", method, err)
}

// cancelRequest enters the queue past its bound: it is small, and there is at most one per call, so it needs neither a
// goroutine nor a time limit of its own.
func (c *Conn) cancelRequest(id jsonrpc2.ID) {
	n, _ := id.Number()
	params := fmt.Appendf(nil, `{"id":%d}`, n)
	c.stream.out.force(frame(func(b []byte) []byte { return jsonrpc2.AppendNotification(b, methodCancel, params) }))
}

// Notify sends a notification. It returns when the message is queued: writing goes on without it, and a connection that
// breaks is told by Done. Errors: *ClosedError, or one that wraps the cause of ctx.
func (c *Conn) Notify(ctx context.Context, method string, params any) error {
	err := c.rpc.Notify(ctx, method, params)
	switch {
	case err == nil:
		return nil
	case c.ended(err):
		return &ClosedError{Method: method, Cause: c.cause()}
	case ctx.Err() != nil:
		return fmt.Errorf("%s: %w", method, context.Cause(ctx))
	}
	return fmt.Errorf("%s: %w", method, err)
}

// ended reports whether err came from the end of the connection, be it the stream's own or the library's refusal of new
// work.
func (c *Conn) ended(err error) bool {
	var closed *ClosedError
	return errors.As(err, &closed) || errors.Is(err, jsonrpc2.ErrClientClosing) ||
		errors.Is(err, jsonrpc2.ErrServerClosing)
}

// cause is why the connection ended or is about to.
func (c *Conn) cause() error {
	if err := c.Err(); err != nil {
		return err
	}
	if err := c.stream.out.failure(); err != nil {
		return err
	}
	return ErrClosed
}
