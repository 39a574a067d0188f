package stdio

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/internal/jsonline"
)

// ErrHostLeft is the reason to end that is no failure. Its words stand in the answers of the calls that were under
// way: whoever pipes requests into lspi has to hear what to do otherwise.
var ErrHostLeft = errors.New("the host closed its end of stdin before the answer; keep it open until the answers have come")

// DrainLimit is how long a host may take to read the answers that it is still owed when lspi ends.
const DrainLimit = 500 * time.Millisecond

// Conn is the connection with the host. It stands in the place of mcp.IOTransport
// (go-sdk 1.8.0) for two reasons. There a line that is no message ends the session; here it is answered with a JSON-RPC
// error, and the session goes on. And there every answer that is not written when the input ends is dropped, so that
// those who pipe some requests into lspi would see none of their answers; here the SDK hears of the end only when the
// calls in flight have been answered.
type Conn struct {
	out     io.WriteCloser
	ended   context.CancelCauseFunc // hears why there is nothing more to read or to write
	log     *slog.Logger
	maxLine int // bytes of a line of the host

	in     io.Reader      // read by listen
	lines  chan inputLine // from listen
	closed chan struct{}
	close  func() error      // closes out and closed, once
	queue  []jsonrpc.Message // what was read and not given out yet; Read's own
	noMore error             // why nothing comes behind the queue, once that is known; Read's own
	wrong  int               // what was no message so far; Read's own

	// Answers to what is no message, for the goroutine that writes them: Read writes nothing itself, or it would
	// never see the end of the input of a host that reads nothing any more.
	refused chan []byte

	// Held while a line is written, which has to be whole. Who waits for it has a line to write, too.
	writing sync.Mutex

	pending pending
	quiet   bool // answers to cancelled requests are not written
	nameKey string
	name    func(id, tool string, arguments json.RawMessage) string // nil names no call
}

// inputLine is a line of the host, or why there is none.
type inputLine struct {
	text []byte
	err  error
}

// NewConn makes a connection that nothing is read from before Connect. ended is called with the reason when there
// is nothing more to read or to write, perhaps several times.
func NewConn(in io.Reader, out io.WriteCloser, ended context.CancelCauseFunc, log *slog.Logger) *Conn {
	c := &Conn{out: out, ended: ended, log: log, maxLine: jsonline.MaxLine,
		in: in, lines: make(chan inputLine), closed: make(chan struct{}),
		refused: make(chan []byte, 100), pending: newPending()}
	c.close = sync.OnceValue(func() error {
		close(c.closed)
		return out.Close()
	})
	return c
}

// Connect is part of mcp.Transport. A read that waits in stdin outlives the connection: closing stdin could wait
// for it, and the process ends anyway.
func (c *Conn) Connect(context.Context) (mcp.Connection, error) {
	go c.listen()
	go c.writeRefused()
	return c, nil
}

// SessionID is part of mcp.Connection.
func (c *Conn) SessionID() string { return "" }

// Close is part of mcp.Connection.
func (c *Conn) Close() error { return c.close() }

// listen reads lines until there are no more, one ahead of Read.
func (c *Conn) listen() {
	in := jsonline.NewReader(c.in, c.maxLine)
	for {
		l := nextLine(in, c.maxLine)
		c.pending.add() // until it is taken: then a request in it is counted
		select {
		case c.lines <- l:
		case <-c.closed:
			c.pending.written()
			return
		}
		if tooLong := (*lineTooLong)(nil); l.err != nil && !errors.As(l.err, &tooLong) {
			return
		}
	}
}

// Read is part of mcp.Connection. It is called from one goroutine.
func (c *Conn) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.next(ctx)
	if err != nil {
		c.ended(endOfInput(err))
		c.Drain()
	}
	return m, err
}

// next is the next message; what is none is answered on the way.
func (c *Conn) next(ctx context.Context) (jsonrpc.Message, error) {
	for {
		if len(c.queue) > 0 {
			m := c.queue[0]
			c.queue = c.queue[1:]
			return m, nil
		}
		if c.noMore != nil {
			return nil, c.noMore
		}
		select {
		case l := <-c.lines:
			c.noMore = c.take(l) // the last line may lack its end, and hold a message
			c.pending.written()
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-c.closed:
			return nil, io.EOF
		}
	}
}

// take queues the messages of a line. Its error is that of reading, when this was the last line.
func (c *Conn) take(l inputLine) error {
	if tooLong := (*lineTooLong)(nil); errors.As(l.err, &tooLong) {
		wrong := tooLong.refusal()
		if c.pending.inUse(wrong.id) {
			wrong.id = nil // or it would be taken for the answer to the first one
		}
		c.refuse(wrong)
		return nil
	}
	text := bytes.TrimSpace(l.text)
	switch {
	case len(text) == 0:
	case text[0] == '[':
		c.takeBatch(text)
	default:
		m, wrong := decodeMessage(text)
		if wrong == nil {
			wrong = c.pending.admit(m, nil)
		}
		if wrong != nil {
			c.refuse(wrong)
			break
		}
		c.noteCancel(m)
		c.named(m)
		c.queue = append(c.queue, m)
	}
	return l.err
}

// QuietWhenCancelled has no answer written to a request that the host has cancelled (MCP 2025-11-25, Cancellation:
// "not send a response"), which go-sdk 1.8.0 answers with an error. Those who pass on for a host do that
// themselves. It has to be called before Connect.
func (c *Conn) QuietWhenCancelled() { c.quiet = true }

// noteCancel notes which request a notification cancels.
func (c *Conn) noteCancel(m jsonrpc.Message) {
	r, ok := m.(*jsonrpc.Request)
	if !ok || r.IsCall() || r.Method != "notifications/cancelled" {
		return
	}
	var params struct {
		ID any `json:"requestId"`
	}
	if json.Unmarshal(r.Params, &params) != nil {
		return
	}
	if id, err := jsonrpc.MakeID(params.ID); err == nil {
		c.pending.cancel(id)
	}
}

// endOfInput is why there is nothing more to read.
func endOfInput(err error) error {
	if errors.Is(err, io.EOF) {
		return ErrHostLeft
	}
	return fmt.Errorf("reading from the host: %w", err)
}

// refuse tells the host of a line that is no message. A response is never answered, nor what has no id at all: two that
// do not understand each other would go on for good.
func (c *Conn) refuse(wrong *refusal) {
	c.logRefusal(wrong)
	if !wrong.silent {
		c.writeLater(wrong.answer())
	}
}

// maxRefusalsLogged is how many of a session stand in the log, where several sessions may have theirs: a host that
// sends one line that is no message may send nothing else.
const maxRefusalsLogged = 10

func (c *Conn) logRefusal(wrong *refusal) {
	switch c.wrong++; {
	case c.wrong <= maxRefusalsLogged:
		c.log.Warn("the host sent what is no message", "error", wrong.Error())
	case c.wrong == maxRefusalsLogged+1:
		c.log.Warn("the host sent what is no message more often; from now on it is not logged in this session")
	}
}

// writeLater gives a line to writeRefused, or drops it when the host reads nothing.
func (c *Conn) writeLater(line []byte) {
	c.pending.add()
	select {
	case c.refused <- line:
	default:
		c.pending.written()
	}
}

// writeRefused ends with the connection, or with the process when the host reads nothing.
func (c *Conn) writeRefused() {
	for {
		select {
		case line := <-c.refused:
			_ = c.writeLine(line)
			c.pending.written()
		case <-c.closed:
			return
		}
	}
}

// Write is part of mcp.Connection.
func (c *Conn) Write(ctx context.Context, m jsonrpc.Message) error {
	r, isResponse := m.(*jsonrpc.Response)
	if isResponse {
		r.Error = withCode(r.Error)
		if r.Error != nil && c.pending.isCancelled(r.ID) { // of a batch, whose other answers the host waits for
			r.Error = errCancelled
		}
	}
	line, err := jsonrpc.EncodeMessage(m)
	if isResponse {
		defer c.pending.written()
		line = c.pending.answer(r.ID, line, c.quiet)
	}
	if err == nil {
		err = ctx.Err()
	}
	if err != nil || line == nil {
		return err
	}
	return c.writeLine(line)
}

// errCancelled answers a request that the host has cancelled, with the code that LSP has for it (3.17,
// ErrorCodes.RequestCancelled): neither JSON-RPC nor MCP has one. The SDK (go-sdk 1.8.0) says "context canceled",
// with no code.
var errCancelled = &jsonrpc.Error{Code: -32800, Message: "the host has cancelled this request"}

// withCode gives an error without a code that of an invalid request. The SDK (go-sdk 1.8.0) answers with the code
// 0, which JSON-RPC does not have, where it refuses what a host asked too early, twice, or with unreadable
// parameters.
func withCode(err error) error {
	var coded *jsonrpc.Error
	if err == nil || errors.As(err, &coded) && coded.Code != 0 {
		return err
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: err.Error()}
}

// writeLine writes one line.
func (c *Conn) writeLine(line []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err := c.out.Write(append(line, '\n'))
	if err != nil {
		c.ended(fmt.Errorf("writing to the host: %w", err))
	}
	return err
}

// Open is how many requests of the host have no answer.
func (c *Conn) Open() int {
	c.pending.mu.Lock()
	defer c.pending.mu.Unlock()
	return len(c.pending.open)
}

// WaitForOpen waits until the requests that have no answer now have one, whatever the host asks meanwhile, at the
// latest until ctx ends. It is called once.
func (c *Conn) WaitForOpen(ctx context.Context) { c.pending.waitForOpen(ctx) }

// Wait waits until nothing is owed to the host any more for any line that was read, at the latest until ctx ends.
func (c *Conn) Wait(ctx context.Context) { c.pending.wait(ctx) }

// Drain waits until nothing is owed to the host any more, or it does not read.
func (c *Conn) Drain() {
	ctx, cancel := context.WithTimeout(context.Background(), DrainLimit)
	defer cancel()
	c.pending.wait(ctx)
}
