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
// When params is nil the message has none: strict servers refuse null. The answer is decoded into result, unless that
// is nil: a *json.RawMessage gets the JSON, in memory of its own; anything else is decoded (see codec). A null answer
// leaves result as it is, except that a *json.RawMessage becomes "null".
//
// When ctx ends first, Call returns its cause at once and sends $/cancelRequest to the server (LSP 3.17, Cancellation
// Support), unless the method is one of Options.Uncancellable. Its errors are *ResponseError, *DecodeError (result
// may be filled in part), *ClosedError, or one that wraps the cause of ctx.
func (c *Conn) Call(ctx context.Context, method string, params, result any) error {
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.closing, cancel)() // Close makes every Call return
	defer c.stream.calls.begin()()
	id, err := c.rpc.Call(inner, method, params, result)
	if err == nil {
		return nil
	}
	return c.callError(ctx, inner, id, method, err)
}

// CallRaw is [Conn.Call] that also returns the answer as the server sent it, even if it cannot be decoded; nil when
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
	// As in Call, null leaves result as it is.
	if string(raw) == "null" {
		return raw, nil
	}
	err := codec{c.opt.Log}.Unmarshal(raw, result)
	if decode := (*DecodeError)(nil); errors.As(err, &decode) {
		decode.Method = method
	}
	return raw, err
}

// Encode returns params as they are in a message.
func Encode(params any) (json.RawMessage, error) { return encodePayload(params) }

// callError turns an error of the library into one of this package, and cancels the request at the server when only
// the caller has given up.
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
	case c.isEnd(err):
		return &ClosedError{Method: method, Cause: c.endCause()}
	case ctx.Err() != nil:
		if !errors.As(err, &unsent) && !slices.Contains(c.opt.Uncancellable, method) {
			c.cancelRequest(id)
		}
		return fmt.Errorf("%s: %w", method, context.Cause(ctx))
	// ctx lives, so Close has cancelled inner.
	case inner.Err() != nil:
		return &ClosedError{Method: method, Cause: c.endCause()}
	}
	return fmt.Errorf("%s: %w", method, err)
}

// cancelRequest sends $/cancelRequest past the bound of the queue: it is small, and there is at most one for each
// call, so it needs neither a goroutine nor a deadline of its own.
func (c *Conn) cancelRequest(id jsonrpc2.ID) {
	n, _ := id.Number()
	params := fmt.Appendf(nil, `{"id":%d}`, n)
	c.stream.out.force(frame(func(b []byte) []byte { return jsonrpc2.AppendNotification(b, methodCancel, params) }))
}

// Notify sends a notification. It returns when the message is queued, before it is written; a write that fails closes
// Done. Its errors are *ClosedError, or one that wraps the cause of ctx.
func (c *Conn) Notify(ctx context.Context, method string, params any) error {
	err := c.rpc.Notify(ctx, method, params)
	switch {
	case err == nil:
		return nil
	case c.isEnd(err):
		return &ClosedError{Method: method, Cause: c.endCause()}
	case ctx.Err() != nil:
		return fmt.Errorf("%s: %w", method, context.Cause(ctx))
	}
	return fmt.Errorf("%s: %w", method, err)
}

// isEnd reports whether err is the end of the connection: that of the stream, or the library's refusal of new work.
func (c *Conn) isEnd(err error) bool {
	var closed *ClosedError
	return errors.As(err, &closed) || errors.Is(err, jsonrpc2.ErrClientClosing) ||
		errors.Is(err, jsonrpc2.ErrServerClosing)
}

// endCause returns why the connection has ended or is about to. A failed write ends it a little later (brokenTime),
// so the failure is known before Err is.
func (c *Conn) endCause() error {
	if err := c.Err(); err != nil {
		return err
	}
	if err := c.stream.out.failure(); err != nil {
		return err
	}
	return ErrClosed
}
