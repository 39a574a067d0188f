package wire

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"sync"

	"go.lsp.dev/jsonrpc2"

	"lspi/internal/source"
)

// Direction says which side sent a message.
type Direction uint8

const (
	Sent     Direction = iota // by lspi
	Received                  // by the server
)

func (d Direction) String() string {
	if d == Sent {
		return "sent"
	}
	return "received"
}

// Defaults of Options, in bytes.
const (
	DefaultMaxMessage = 256 << 20
	DefaultQueueBytes = 16 << 20
)

// maxServerRequests bounds the requests of a server that are being answered at a time. gopls and rust-analyzer have a
// handful in flight at their start. A server with more than this is in a loop or broken, and gets errors.
const maxServerRequests = 128

// Options configures a connection. The zero value refuses every request and drops every notification of the server.
type Options struct {
	// Request answers a request of the server, in a goroutine of its own. ctx ends with the connection, or when the
	// server sends $/cancelRequest. A *ResponseError is sent as it is, any other error as an internal error. nil
	// answers every request with CodeMethodNotFound.
	Request func(ctx context.Context, method string, params json.RawMessage) (any, error)

	// Notification handles a notification of the server. The reading goroutine calls it, in the order of arrival,
	// before it delivers any later response; so it must not block, nor use Call or Close. params is valid during the
	// call only. nil drops notifications.
	Notification func(method string, params json.RawMessage)

	Log *slog.Logger // nil discards

	// Trace gets the body of every message. Two goroutines may call it at the same time, one for each direction; the
	// bytes are valid during the call only. nil traces nothing.
	Trace func(Direction, []byte)

	// Uncancellable are methods for which no $/cancelRequest is sent when the context of a Call ends; the answer is
	// dropped when it comes.
	Uncancellable []string

	// Paths translate the paths in messages where the server runs on another machine; nil where it does not.
	Paths source.PathPairs

	// MaxMessage is the largest accepted body, in bytes. A larger one is skipped without buffering it, and the call
	// that it answers fails with a *DecodeError if its id comes early in the message, as all known servers write it;
	// otherwise the connection ends when that call has waited for some more seconds. 0 means DefaultMaxMessage.
	MaxMessage int

	// QueueBytes bounds what waits to be written, in bytes. A sender beyond it blocks until there is room or its
	// context ends. A single larger message may enter an empty queue. 0 means DefaultQueueBytes.
	QueueBytes int
}

// Conn is a connection to a language server. See the package comment for its life.
type Conn struct {
	rpc    jsonrpc2.Conn
	stream *stream
	opt    Options

	root    context.Context // parent of the contexts of request handlers; ends with the stream
	closing context.Context // ends in Close, which makes every Call return
	release context.CancelCauseFunc

	serving serving      // requests of the server in flight
	closed  func() error // shutDown, at most once
}

// New starts a connection over rwc, which it owns from now on. Closing rwc must make pending reads and writes return.
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
	c.root, c.closed = c.stream.ctx, sync.OnceValue(c.shutDown)
	c.closing, c.release = context.WithCancelCause(context.Background())
	c.serving.cancels = make(map[jsonrpc2.ID]context.CancelCauseFunc)
	c.rpc = jsonrpc2.NewConn(c.stream, jsonrpc2.WithCodec(codec{o.Log}))
	// The library stops reading when this context ends, but it looks at it between messages only. The end of the stream
	// ends its loop at once, so it gets a context that does not end.
	c.rpc.Go(context.Background(), c.handle)
	return c
}

// Done is closed when the connection has ended: nothing more arrives, and nothing can be sent. Request handlers may
// still be returning; Close waits for them.
func (c *Conn) Done() <-chan struct{} { return c.stream.ctx.Done() }

// Foreign is the beginning of what the server has written, when no message of LSP was in it so far; else "".
func (c *Conn) Foreign() string {
	if text := c.stream.frames.foreign.Load(); text != nil {
		return *text
	}
	return ""
}

// Err returns nil until Done is closed, and then the cause of the end, as in ClosedError.Cause.
func (c *Conn) Err() error {
	if c.stream.ctx.Err() == nil {
		return nil
	}
	return context.Cause(c.stream.ctx)
}
