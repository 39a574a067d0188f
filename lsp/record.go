package lsp

import (
	"context"
	"encoding/json"
	"errors"

	"lspi/contract"
	"lspi/internal/events"
	"lspi/lsp/wire"
)

// Send sends one request to a server, and records it where somebody records what is done for the request of a host
// (package events). It waits for the answer as [wire.Conn.Call] does; its errors are those of package wire.
func Send(ctx context.Context, conn *wire.Conn, serverID, method string, params, result any) error {
	call := events.From(ctx)
	if call == nil {
		return conn.Call(ctx, method, params, result)
	}
	var sent json.RawMessage
	if params != nil {
		if raw, err := wire.Encode(params); err == nil { // else Call says why
			sent, params = raw, raw
		}
	}
	asked := call.Ask(events.Question{Provider: events.LSP, Server: serverID, Method: method, Params: sent})
	answer, err := conn.CallRaw(ctx, method, params, result)
	asked.End(replyOf(ctx, answer, err))
	return err
}

// The kinds of errors that only events have: for callers they are a part of [contract.KindRequestFailed].
const (
	refused     = "refused"
	undecodable = "undecodable"
)

// replyOf is what became of a request.
func replyOf(ctx context.Context, answer json.RawMessage, err error) events.Reply {
	r := events.Reply{Bytes: len(answer), Result: answer}
	if err == nil {
		return r
	}
	r.Message = err.Error()
	var response *wire.ResponseError
	var decode *wire.DecodeError
	var closed *wire.ClosedError
	switch {
	case errors.As(err, &response):
		r.Error, r.Code, r.Outside = refused, int(response.Code), []string{response.Message}
	case errors.As(err, &decode):
		r.Error, r.Bytes, r.Undecoded = undecodable, decode.Size, decode.Err.Error()
	case errors.As(err, &closed), errors.Is(err, errEnded):
		r.Error = string(contract.KindServerCrashed)
	case errors.Is(ctx.Err(), context.DeadlineExceeded), errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		r.Error = string(contract.KindRequestTimeout)
	case ctx.Err() != nil:
		r.Error = string(contract.KindCancelled)
	default:
		r.Error = string(contract.KindRequestFailed)
	}
	return r
}

// Undecodable is the error for an answer that is not what the specification says. The answer itself goes to the
// log: it may be megabytes.
func (c *Connection) Undecodable(ctx context.Context, method string, raw json.RawMessage, err error) error {
	c.log.Debug("undecodable answer", "method", method, "raw", Cut(string(raw), 2000))
	events.From(ctx).DecodeFailed(events.Undecoded{Provider: events.LSP, Server: c.spec.ID, Method: method,
		Reason: err.Error(), Raw: raw})
	return contract.Errorf(contract.KindRequestFailed, contract.Facts{"server_id": c.spec.ID, "method": method},
		"reading the answer of %s to %s: %w", c.spec.ID, method, err)
}
