package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Kind is why a call or a list failed.
type Kind string

// The kinds. Only of NotFound, StartFailed, Unauthorized, Busy and Closed is it sure that the server did not begin
// with the call.
const (
	NotFound     Kind = "not_found"    // the program is not there; looked for again at the next call
	StartFailed  Kind = "start_failed" // it did not start, or the handshake failed; RetryIn says when it is tried again
	Unauthorized Kind = "unauthorized" // HTTP 401 or 403; Code has which
	Busy         Kind = "busy"         // too many calls wait already
	Died         Kind = "died"         // the server or its connection ended during the call, which may have had effects
	TimedOut     Kind = "timed_out"    // no answer in time; the server was told to stop
	// the server answered with an error: Code and Data are its own; an HTTP status when Code > 0
	Refused   Kind = "refused"
	BadAnswer Kind = "bad_answer" // the answer cannot be read, or is too large
	Cancelled Kind = "cancelled"  // the caller's context ended
	Closed    Kind = "closed"     // the client was closed
)

// Error is why a call or a list failed. Its texts hold no secret of the spec.
type Error struct {
	Server  string // the id
	Kind    Kind
	Message string
	Outside []string // the parts of Message that lspi did not write; not nil

	Code    int             // of Refused: the code of JSON-RPC, or an HTTP status
	Data    json.RawMessage // of Refused, as the server sent it, at most 64 KiB
	Stderr  []string        // the last lines that the server wrote there, at most 10
	RetryIn time.Duration   // > 0: the server is not started again before

	cause error // context.Canceled, context.DeadlineExceeded or nil: nothing that has a text of the server
}

func (e *Error) Error() string {
	text := e.Server + ": " + e.Message
	if e.RetryIn > 0 {
		text += fmt.Sprintf("; it is not started again for %v", e.RetryIn.Round(time.Second))
	}
	return text
}

func (e *Error) Unwrap() error { return e.cause }

// KindOf returns the kind of an error of this package; "" for another.
func KindOf(err error) Kind {
	if e := (*Error)(nil); errors.As(err, &e) {
		return e.Kind
	}
	return ""
}

const (
	maxMessage = 2000
	maxData    = 64 << 10
	tailLines  = 10
)

// outside is a text that lspi did not write, such as a command or what a server says.
type outside string

// told is what a server wrote, with its secrets masked already, and perhaps with words of lspi.
type told string

// own are errors whose texts are fixed.
var own = []error{errClosed, errTimeout, errGone, errRedirected, context.Canceled,
	context.DeadlineExceeded, io.EOF}

// errorf makes an error of the server; its text is bounded. Secrets are masked in the arguments that come from
// outside: texts of type outside, and errors that are none of own. The format, other texts and numbers are lspi's
// own words, which a variable such as MODE=server must not make unreadable.
func (c *Client) errorf(kind Kind, format string, args ...any) *Error {
	parts := []string{}
	for i, arg := range args {
		var text string
		switch arg := arg.(type) {
		case error:
			if slices.Contains(own, arg) {
				continue
			}
			text = arg.Error()
		case outside:
			text = string(arg)
		case told:
			if arg != "" {
				parts = append(parts, string(arg))
			}
			continue
		default:
			continue
		}
		text = c.mask.Text(text)
		args[i], parts = text, append(parts, text)
	}
	return &Error{Server: c.spec.ID, Kind: kind, Message: cut(fmt.Sprintf(format, args...), maxMessage), Outside: parts}
}

func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}

// Causes by which contexts of a client end.
var (
	errClosed  = errors.New("the client was closed")
	errTimeout = errors.New("no answer in time")
)

// cancelled returns the error of a caller whose context ended.
func (c *Client) cancelled(ctx context.Context, doing string) *Error {
	e := c.errorf(Cancelled, "%s: %v", doing, context.Cause(ctx))
	e.cause = ctx.Err()
	return e
}

// codeRejected is of an error that the SDK makes itself when a request did not get through (go-sdk 1.8.0,
// jsonrpc2.ErrRejected).
const codeRejected = -32005

// answeredWith returns the JSON-RPC error that the server answered with; nil when err holds none.
func answeredWith(err error) *jsonrpc.Error {
	var w *jsonrpc.Error
	if !errors.As(err, &w) || w.Code == codeRejected && w.Message == "rejected by transport" {
		return nil
	}
	return w
}

// refusal returns the error that the server answered with as one of this package; nil when err holds none.
func (c *Client) refusal(err error) *Error {
	w := answeredWith(err)
	if w == nil {
		return nil
	}
	var message any = "an error without a message"
	if w.Message != "" {
		message = outside(w.Message)
	}
	e := c.errorf(Refused, "the server answered with error %d: %s", w.Code, message)
	e.Code = int(w.Code)
	if len(w.Data) <= maxData {
		e.Data = c.mask.JSON(w.Data)
	}
	return e
}

// connectionLost reports whether a call failed because its connection ended.
func connectionLost(err error) bool {
	return errors.Is(err, mcp.ErrConnectionClosed) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) ||
		errors.Is(err, errGone)
}
