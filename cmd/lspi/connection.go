package main

import (
	"bufio"
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
)

// drainLimit is how long a host may take to read the answers that it is still owed when lspi ends.
const drainLimit = 500 * time.Millisecond

// hostConn is the connection with the host: lines of JSON on stdin and stdout. It stands in the place of mcp.IOTransport
// (go-sdk 1.8.0) for two reasons. There a line that is no message ends the session; here it is answered with a JSON-RPC
// error, and the session goes on. And there every answer that is not written when the input ends is dropped, so that
// those who pipe some requests into lspi would see none of their answers; here the SDK hears of the end only when the
// calls in flight have been answered.
type hostConn struct {
	out     io.WriteCloser
	ended   context.CancelCauseFunc // hears why there is nothing more to read or to write
	log     *slog.Logger
	maxLine int

	in     *bufio.Reader // read by listen
	lines  chan hostLine // from listen
	closed chan struct{}
	close  func() error      // closes out and closed, once
	queue  []jsonrpc.Message // the rest of a batch; Read's own

	// Answers to what is no message, for the goroutine that writes them: Read writes nothing itself, or it would never see
	// the end of the input of a host that reads nothing any more.
	refused chan []byte

	// Held while a line is written, which has to be whole. Who waits for it has a line to write, too.
	writing sync.Mutex

	mu       sync.Mutex
	open     map[jsonrpc.ID]*batch // requests without an answer, with the batch that they came in or nil; guarded by mu
	owed     int                   // answers that are not written yet, guarded by mu
	answered chan struct{}         // closed and replaced when nothing is owed any more, guarded by mu
}

// hostLine is a line of the host, or why there is none.
type hostLine struct {
	text []byte
	err  error
}

func newHostConn(in io.Reader, out io.WriteCloser, ended context.CancelCauseFunc, log *slog.Logger) *hostConn {
	c := &hostConn{out: out, ended: ended, log: log, maxLine: maxLine,
		in: bufio.NewReaderSize(in, 64<<10), lines: make(chan hostLine), closed: make(chan struct{}), refused: make(chan []byte, 100),
		open: map[jsonrpc.ID]*batch{}, answered: make(chan struct{})}
	c.close = sync.OnceValue(func() error {
		close(c.closed)
		return out.Close()
	})
	return c
}

// Connect is part of mcp.Transport. A read that waits in stdin outlives the connection: closing stdin could wait for it,
// and the process ends anyway.
func (c *hostConn) Connect(context.Context) (mcp.Connection, error) {
	go c.listen()
	go c.writeRefused()
	return c, nil
}

// SessionID is part of mcp.Connection.
func (c *hostConn) SessionID() string { return "" }

// Close is part of mcp.Connection.
func (c *hostConn) Close() error { return c.close() }

// listen reads lines until there are no more, one ahead of Read.
func (c *hostConn) listen() {
	for {
		var l hostLine
		l.text, l.err = readLine(c.in, c.maxLine)
		select {
		case c.lines <- l:
		case <-c.closed:
			return
		}
		if tooLong := (*lineTooLong)(nil); l.err != nil && !errors.As(l.err, &tooLong) {
			return
		}
	}
}

// Read is part of mcp.Connection. It is called from one goroutine.
func (c *hostConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.next(ctx)
	if err != nil {
		c.ended(endOfInput(err))
		c.drain()
	}
	return m, err
}

// next is the next message; what is none is answered on the way.
func (c *hostConn) next(ctx context.Context) (jsonrpc.Message, error) {
	var last error
	for {
		if len(c.queue) > 0 {
			m := c.queue[0]
			c.queue = c.queue[1:]
			return m, nil
		}
		if last != nil {
			return nil, last
		}
		select {
		case l := <-c.lines:
			// The last line may lack its end.
			if last = c.take(l); last != nil {
				c.lines = nil
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-c.closed:
			return nil, io.EOF
		}
	}
}

// take queues the messages of a line. Its error is that of reading, when this was the last line.
func (c *hostConn) take(l hostLine) error {
	if tooLong := (*lineTooLong)(nil); errors.As(l.err, &tooLong) {
		wrong := tooLong.refusal()
		if c.inUse(wrong.id) {
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
			wrong = c.admit(m, nil)
		}
		if wrong != nil {
			c.refuse(wrong)
			break
		}
		c.queue = append(c.queue, m)
	}
	return l.err
}

// endOfInput is why there is nothing more to read.
func endOfInput(err error) error {
	if errors.Is(err, io.EOF) {
		return errHostLeft
	}
	return fmt.Errorf("reading from the host: %w", err)
}

// refuse tells the host of a line that is no message. A response is never answered, nor what has no id at all: two that
// do not understand each other would go on for good.
func (c *hostConn) refuse(wrong *refusal) {
	c.log.Warn("the host sent what is no message", "error", wrong.Error())
	if !wrong.silent {
		c.writeLater(wrong.answer())
	}
}

// writeLater gives a line to writeRefused, or drops it when the host reads nothing.
func (c *hostConn) writeLater(line []byte) {
	c.mu.Lock()
	c.owed++
	c.mu.Unlock()
	select {
	case c.refused <- line:
	default:
		c.settled()
	}
}

// writeRefused ends with the connection, or with the process when the host reads nothing.
func (c *hostConn) writeRefused() {
	for {
		select {
		case line := <-c.refused:
			_ = c.write(line)
			c.settled()
		case <-c.closed:
			return
		}
	}
}

// Write is part of mcp.Connection.
func (c *hostConn) Write(ctx context.Context, m jsonrpc.Message) error {
	r, isResponse := m.(*jsonrpc.Response)
	if isResponse {
		r.Error = withCode(r.Error)
	}
	line, err := jsonrpc.EncodeMessage(m)
	if isResponse {
		defer c.settled()
		line = c.answer(r.ID, line)
	}
	if err == nil {
		err = ctx.Err()
	}
	if err != nil || line == nil {
		return err
	}
	return c.write(line)
}

// withCode gives an error without a code that of an invalid request. The SDK (go-sdk 1.8.0) answers with the code 0, which
// JSON-RPC does not have, where it refuses what a host asked too early, twice, or with unreadable parameters.
func withCode(err error) error {
	var coded *jsonrpc.Error
	if err == nil || errors.As(err, &coded) && coded.Code != 0 {
		return err
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: err.Error()}
}

// write writes one line.
func (c *hostConn) write(line []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err := c.out.Write(append(line, '\n'))
	if err != nil {
		c.ended(fmt.Errorf("writing to the host: %w", err))
	}
	return err
}

// admit counts a request as owed. One whose id is still in use is refused: the SDK would never answer it.
func (c *hostConn) admit(m jsonrpc.Message, b *batch) *refusal {
	r, ok := m.(*jsonrpc.Request)
	if !ok || !r.IsCall() {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, twice := c.open[r.ID]; twice {
		// Without the id, or it would be taken for the answer to the first one.
		return invalidRequest(nil, "the id %.100q is that of a request that is not answered yet", fmt.Sprint(r.ID.Raw()))
	}
	c.open[r.ID] = b
	c.owed++
	if b != nil {
		b.open++
	}
	return nil
}

// inUse reports whether a request with that id, as it stands in a message, is not answered yet.
func (c *hostConn) inUse(raw json.RawMessage) bool {
	var given any
	if json.Unmarshal(raw, &given) != nil {
		return false
	}
	id, err := jsonrpc.MakeID(given)
	if err != nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	_, open := c.open[id]
	return open
}

// answer takes a request off those without an answer, before the host can hear of it and use its id again. What is left
// to write now is the answer, or those of its whole batch, or nothing.
func (c *hostConn) answer(id jsonrpc.ID, line []byte) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	b := c.open[id]
	delete(c.open, id)
	if b == nil {
		return line
	}
	return b.add(line)
}

// settled takes one off those that are owed, when it is written.
func (c *hostConn) settled() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.owed--
	if c.owed == 0 {
		close(c.answered)
		c.answered = make(chan struct{})
	}
}

// drain waits until nothing is owed to the host any more, or it does not read.
func (c *hostConn) drain() {
	limit := time.NewTimer(drainLimit)
	defer limit.Stop()
	for {
		c.mu.Lock()
		owed, answered := c.owed, c.answered
		c.mu.Unlock()
		if owed == 0 {
			return
		}
		select {
		case <-answered:
		case <-limit.C:
			return
		}
	}
}
