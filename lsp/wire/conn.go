package wire

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"sync"

	"go.lsp.dev/jsonrpc2"
)

// Direction tells Trace who sent a message.
type Direction uint8

const (
	Sent     Direction = iota // by us
	Received                  // by the server
)

func (d Direction) String() string {
	if d == Sent {
		return "sent"
	}
	return "received"
}

// Defaults of Options.
const (
	DefaultMaxMessage = 256 << 20
	DefaultQueueBytes = 16 << 20
)

// maxServerRequests bounds the requests of a server that are being answered at a time. gopls and rust-analyzer have a
// handful in flight at their start; a server beyond this is not well, and is answered with an error.
const maxServerRequests = 128

// Options configures a connection. The zero value works: it refuses every request and drops every notification.
type Options struct {
	// Request answers a request of the server, in its own goroutine. ctx ends with the connection or by the server's
	// $/cancelRequest. A *ResponseError is answered as it is, any other error as an internal error. nil: every request
	// is answered with CodeMethodNotFound.
	Request func(ctx context.Context, method string, params json.RawMessage) (any, error)

	// Notification is called inline and in the order of arrival, before any later response is delivered: it must not
	// block, nor call Call or Close. params is valid during the call only. nil: dropped.
	Notification func(method string, params json.RawMessage)

	Log *slog.Logger // nil: none

	// Trace sees the body of every message; it may be called from two goroutines at once, and the bytes are valid
	// during the call only. nil: none.
	Trace func(Direction, []byte)

	// Uncancellable are the methods for which $/cancelRequest is not sent when a caller gives up: its answer is
	// dropped.
	Uncancellable []string

	// MaxMessage is the largest body accepted, in bytes. A larger one is skipped without buffering it, and the call
	// that it answers fails with a *DecodeError if its id comes early in the message, as all known servers write
	// it; else the connection ends when that call waits for some more seconds. 0: DefaultMaxMessage.
	MaxMessage int

	// QueueBytes bounds what waits to be written. A sender beyond it waits until there is room or its context ends; a
	// single larger message may enter an empty queue. 0: DefaultQueueBytes.
	QueueBytes int
}

// Conn is a connection to a language server. See the package comment for its life.
type Conn struct {
	rpc    jsonrpc2.Conn
	stream *stream
	opt    Options

	root    context.Context // parent of the request handlers; ends with the stream
	closing context.Context // ends when Close wants every Call back
	release context.CancelCauseFunc

	serving serving      // requests of the server in flight
	closed  func() error // close, once
}

// New starts a connection over rwc, which it owns from now on: closing rwc must make pending reads and writes return.
func New(rwc io.ReadWriteCloser, o Options) *Conn {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.MaxMessage <= 0 {
		o.MaxMessage = DefaultMaxMessage
	}
	if o.QueueBytes <= 0 {
		o.QueueBytes = DefaultQueueBytes
	}
	c := &Conn{opt: o, stream: newStream(rwc, o)}
	c.root, c.closed = c.stream.ctx, sync.OnceValue(c.close)
	c.closing, c.release = context.WithCancelCause(context.Background())
	c.serving.cancels = make(map[jsonrpc2.ID]context.CancelCauseFunc)
	c.rpc = jsonrpc2.NewConn(c.stream, jsonrpc2.WithCodec(codec{o.Log}))
	// The library stops reading when this context ends, but looks at it between messages only; the stream itself ends
	// the loop, so it gets one that does not end.
	c.rpc.Go(context.Background(), c.handle)
	return c
}

// Done is closed when the connection has ended: nothing will arrive any more, nothing can be sent. Handlers of requests
// may still be on their way out; Close waits for them.
func (c *Conn) Done() <-chan struct{} { return c.stream.ctx.Done() }

// Err is nil until Done is closed, and then the cause: see ClosedError.Cause.
func (c *Conn) Err() error {
	if c.stream.ctx.Err() == nil {
		return nil
	}
	return context.Cause(c.stream.ctx)
}
