package wire

import (
	"encoding/json"
	"errors"
	"fmt"
)

// ErrClosed is the cause of the end after Close.
var ErrClosed = errors.New("closed by lspi")

// Codes of error responses that lspi acts on (JSON-RPC 2.0, section 5.1; LSP 3.18, ErrorCodes and LSPErrorCodes).
const (
	CodeInvalidRequest   = -32600
	CodeMethodNotFound   = -32601
	CodeInvalidParams    = -32602
	CodeInternalError    = -32603
	CodeServerCancelled  = -32802
	CodeContentModified  = -32801
	CodeRequestCancelled = -32800
)

// ResponseError is an error response: the server's answer to a Call, or the answer of a Request handler to the
// server.
type ResponseError struct {
	Code    int64
	Message string
	Data    json.RawMessage // nil when there is none
	Method  string          // the called method; empty in a handler's answer
}

func (e *ResponseError) Error() string {
	if e.Method == "" {
		return fmt.Sprintf("%s (code %d)", e.Message, e.Code)
	}
	return fmt.Sprintf("%s: %s (code %d)", e.Method, e.Message, e.Code)
}

// ClosedError says that the connection ended before a call was answered or a message was sent. Its Cause is io.EOF
// when the server closed its output, io.ErrUnexpectedEOF when it did so within a message, ErrClosed after Close, the
// error of a read or a write, or a *ProtocolError.
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

// DecodeError says that the server has answered, but with what cannot be decoded. Only the call that it answered
// fails; the connection goes on.
type DecodeError struct {
	Method string
	Size   int // bytes of the result, or of the whole message when that is not JSON
	Err    error
}

func (e *DecodeError) Error() string {
	return fmt.Sprintf("%s: decoding a response of %d bytes: %v", e.Method, e.Size, e.Err)
}

func (e *DecodeError) Unwrap() error { return e.Err }

// unsentError says that the context of a sender ended before its message entered the queue: the server never gets it,
// so there is nothing to cancel.
type unsentError struct{ cause error }

func (e *unsentError) Error() string { return fmt.Sprintf("not sent: %v", e.cause) }
func (e *unsentError) Unwrap() error { return e.cause }
