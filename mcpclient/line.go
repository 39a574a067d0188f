package mcpclient

import (
	"bufio"
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// errTooLarge is why an answer is not read; errGone is why nothing more comes.
var (
	errTooLarge = errors.New("the answer is too large")
	errGone     = errors.New("the connection ended")
)

// lines is a connection of one message a line, in the place of mcp.IOTransport (go-sdk 1.8.0), which ends with a line that is no message, and
// whose Write blocks for good when the server does not read. It is made for one connection.
type lines struct {
	x     *exchange
	rw    io.ReadWriteCloser
	in    *bufio.Reader
	limit int // bytes of a line

	queue []jsonrpc.Message // read and not given out yet; Read's own
	out   chan []byte

	asked chan struct{} // holds a token for each request of the server that is not answered

	drained chan struct{} // closed when all that the server wrote is read
	ended   sync.Once     // closes drained
	closed  chan struct{}
	once    sync.Once
	lost    func(error) // hears the end of the stream, once
	done    sync.WaitGroup
}

// outgoing bounds the messages that wait for a server to read.
const outgoing = 64

func newLines(x *exchange, rw io.ReadWriteCloser, limit int, lost func(error)) *lines {
	l := &lines{x: x, rw: rw, in: bufio.NewReaderSize(rw, 64<<10), limit: limit, lost: lost,
		out: make(chan []byte, outgoing), asked: make(chan struct{}, maxAsked), drained: make(chan struct{}), closed: make(chan struct{})}
	l.done.Go(l.write)
	return l
}

// Connect makes it a transport.
func (l *lines) Connect(context.Context) (mcp.Connection, error) { return l, nil }

func (l *lines) SessionID() string { return "" }

// Close ends the stream. The goroutine that writes ends when the stream does.
func (l *lines) Close() error {
	l.end(errGone)
	return nil
}

func (l *lines) end(err error) {
	l.once.Do(func() {
		close(l.closed)
		_ = l.rw.Close()
		l.lost(err)
	})
}

// drainTime is how long the end of what a server has written is waited for when the server is gone: only a process that left its group can still
// hold the other end open.
const drainTime = 200 * time.Millisecond

// drain waits until all that the server wrote is read, which counts although the server is gone.
func (l *lines) drain() {
	limit := time.NewTimer(drainTime)
	defer limit.Stop()
	select {
	case <-l.drained:
	case <-limit.C:
	case <-l.closed:
	}
}

// Read gives the next message that is the SDK's business.
func (l *lines) Read(context.Context) (jsonrpc.Message, error) {
	for len(l.queue) == 0 {
		line, whole, err := l.line()
		if whole {
			l.queue = l.x.receive(line)
		} else if line != nil {
			if m := l.x.tooLarge(line[:headBytes], line[headBytes:], l.limit); m != nil {
				l.queue = []jsonrpc.Message{m}
			}
		}
		if err != nil && len(l.queue) == 0 {
			l.ended.Do(func() { close(l.drained) })
			l.end(err)
			return nil, io.EOF
		}
	}
	m := l.queue[0]
	l.queue = l.queue[1:]
	if r, ok := m.(*jsonrpc.Request); ok && r.IsCall() {
		select {
		case l.asked <- struct{}{}:
		case <-l.closed:
			return nil, io.EOF
		}
	}
	return m, nil
}

// headBytes and tailBytes are what is kept of a line over the limit.
const (
	headBytes = 4 << 10
	tailBytes = 1 << 10
)

// line reads one line. One that is over the limit is read to its end without being kept: then whole is false, and the line is its first
// headBytes and its last tailBytes.
func (l *lines) line() (line []byte, whole bool, err error) {
	for {
		part, err := l.in.ReadSlice('\n')
		if len(line)+len(part) > l.limit {
			line, err := l.skip(append(line[:min(len(line), headBytes)], part[:min(len(part), max(0, headBytes-len(line)))]...), part, err)
			return line, false, err
		}
		if err == nil && line == nil {
			return part, true, nil // of the reader's buffer; receive copies what it keeps
		}
		line = append(line, part...)
		if err != bufio.ErrBufferFull {
			return line, err == nil || len(line) > 0, err
		}
	}
}

func (l *lines) skip(head, part []byte, err error) ([]byte, error) {
	tail := keepEnd(nil, part)
	for err == bufio.ErrBufferFull {
		part, err = l.in.ReadSlice('\n')
		tail = keepEnd(tail, part)
	}
	head = append(head, make([]byte, headBytes-len(head))...)
	return append(head, tail...), err
}

func keepEnd(tail, part []byte) []byte {
	tail = append(tail, part...)
	return tail[max(0, len(tail)-tailBytes):]
}

// Write queues a message; it waits while the server does not read, no longer than ctx.
func (l *lines) Write(ctx context.Context, m jsonrpc.Message) error {
	text, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	switch m := m.(type) {
	case *jsonrpc.Request:
		if m.IsCall() {
			l.x.sending(ctx, m.ID, m.Method)
		}
	case *jsonrpc.Response:
		select {
		case <-l.asked:
		default:
		}
	}
	select {
	case <-l.closed:
		return errGone
	default:
	}
	select {
	case l.out <- append(text, '\n'):
		return nil
	case <-l.closed:
		return errGone
	case <-ctx.Done():
		return ctx.Err()
	}
}

// write writes what is queued until the stream ends.
func (l *lines) write() {
	for {
		select {
		case text := <-l.out:
			if _, err := l.rw.Write(text); err != nil {
				l.drain() // it may have answered before it stopped to read
				l.end(err)
				return
			}
		case <-l.closed:
			return
		}
	}
}
