package wire

import (
	"encoding/json"
	"errors"
	"fmt"
)

// ErrClosed is the cause of the end of a connection on which Close was called.
var ErrClosed = errors.New("closed by lspi")

// Codes of error responses that have a meaning to lspi (JSON-RPC 2.0, section 5.1; LSP 3.18, ErrorCodes and
// LSPErrorCodes).
const (
	CodeInvalidRequest   = -32600
	CodeMethodNotFound   = -32601
	CodeInvalidParams    = -32602
	CodeInternalError    = -32603
	CodeServerCancelled  = -32802
	CodeContentModified  = -32801
	CodeRequestCancelled = -32800
)

// ResponseError is an error response: what the server answered to a Call, or what a Request handler answers to the
// server.
type ResponseError struct {
	Code    int64
	Message string
	Data    json.RawMessage // nil if there is none
	Method  string          // the method that was called; empty in a handler's answer
}

func (e *ResponseError) Error() string {
	if e.Method == "" {
		return fmt.Sprintf("%s (code %d)", e.Message, e.Code)
	}
	return fmt.Sprintf("%s: %s (code %d)", e.Method, e.Message, e.Code)
}

// ClosedError says that the connection ended before a call was answered or a message was sent. Cause is io.EOF when the
// server closed its output, io.ErrUnexpectedEOF when that was in the middle of a message, ErrClosed after Close, the
// error of a read or write, or a *ProtocolError.
type ClosedError struct {
	Method string
	Cause  error
}

func (e *ClosedError) Error() string {
	if e.Method == "" {
		return fmt.Sprintf("connection ended: %v", e.Cause)
	}
	return fmt.Sprintf("%s: connection ended: %v", e.Method, e.Cause)
}

func (e *ClosedError) Unwrap() error { return e.Cause }

// DecodeError says that the server did answer, but with something that could not be understood. Only the call that it
// answered is lost.
type DecodeError struct {
	Method string
	Size   int // bytes of the result, or of the whole message if that was no JSON
	Err    error
}

func (e *DecodeError) Error() string {
	return fmt.Sprintf("%s: decoding a response of %d bytes: %v", e.Method, e.Size, e.Err)
}

func (e *DecodeError) Unwrap() error { return e.Err }

// unsentError marks a message that was given up before it entered the queue: the server will never hear of it, so there
// is nothing to cancel.
type unsentError struct{ cause error }

func (e *unsentError) Error() string { return fmt.Sprintf("not sent: %v", e.cause) }
func (e *unsentError) Unwrap() error { return e.cause }
