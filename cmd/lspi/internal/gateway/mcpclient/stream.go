package mcpclient

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/internal/jsonline"
)

// errGone is the cause of an end from this side.
var errGone = errors.New("the connection ended")

// stream is a transport of one message a line, for one connection. mcp.IOTransport (go-sdk 1.8.0) would do but for
// three things by which one bad answer, or one server, costs others: it ends the session at a line that is no
// message, and at one over its limit; its Write blocks for good when the server does not read; and it reads
// requests of the server without a bound.
type stream struct {
	tap   *tap
	rw    io.ReadWriteCloser
	in    *jsonline.Reader
	limit int // bytes of a line

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

func newStream(t *tap, rw io.ReadWriteCloser, limit int, lost func(error)) *stream {
	s := &stream{tap: t, rw: rw, in: jsonline.NewReader(rw, limit), limit: limit, lost: lost,
		out: make(chan []byte, outgoing), asked: make(chan struct{}, maxAsked), drained: make(chan struct{}),
		closed: make(chan struct{})}
	s.done.Go(s.writeQueued)
	return s
}

// Connect makes it a transport.
func (s *stream) Connect(context.Context) (mcp.Connection, error) { return s, nil }

func (s *stream) SessionID() string { return "" }

// Close ends the stream. The goroutine that writes ends when the stream does.
func (s *stream) Close() error {
	s.end(errGone)
	return nil
}

func (s *stream) end(err error) {
	s.once.Do(func() {
		close(s.closed)
		_ = s.rw.Close()
		s.lost(err)
	})
}

// drainTime is how long the end of what a server has written is waited for when the server is gone: only a process
// that left its group can still hold the other end open.
const drainTime = 200 * time.Millisecond

// drain waits until all that the server wrote is read, which counts although the server is gone.
func (s *stream) drain() {
	limit := time.NewTimer(drainTime)
	defer limit.Stop()
	select {
	case <-s.drained:
	case <-limit.C:
	case <-s.closed:
	}
}

// Read returns the next message that the SDK needs to see. It waits while maxAsked requests of the server are
// unanswered, so that a server cannot make the SDK hold requests without a bound.
func (s *stream) Read(context.Context) (jsonrpc.Message, error) {
	for {
		head, tail, err := s.line()
		m := s.message(head, tail)
		if err != nil && m == nil {
			s.ended.Do(func() { close(s.drained) })
			s.end(err)
			return nil, io.EOF
		}
		if m == nil || s.tap.received(m) {
			continue
		}
		if r, ok := m.(*jsonrpc.Request); ok && r.IsCall() {
			select {
			case s.asked <- struct{}{}:
			case <-s.closed:
				return nil, io.EOF
			}
		}
		return m, nil
	}
}

// message returns the message of a line, or an error in the place of an answer that cannot be read; nil for any other
// line. tail is nil unless the line is over the limit.
func (s *stream) message(head, tail []byte) jsonrpc.Message {
	why, shown := "a line that is no message", "the answer is no message of JSON-RPC"
	if tail == nil {
		line := bytes.TrimSpace(head)
		if len(line) == 0 {
			return nil
		}
		if !utf8.Valid(line) {
			line = bytes.ToValidUTF8(line, []byte("\ufffd"))
		}
		if m, err := jsonrpc.DecodeMessage(line); err == nil {
			return m
		}
		head, tail = line, line
	} else {
		why, shown = fmt.Sprintf("a message of more than %d bytes", s.limit), tooLarge(s.limit)
	}
	s.tap.noMessage(head, why)
	if id := s.tap.answered(head, tail); id.IsValid() {
		return unreadable(id, codeUnreadable, shown)
	}
	return nil
}

// headBytes and tailBytes are what is kept of a line over the limit.
const (
	headBytes = 4 << 10
	tailBytes = 1 << 10
)

// line reads one line. One that is over the limit is read to its end without being kept: then head is its
// beginning, and tail its end, which is nil otherwise.
func (s *stream) line() (head, tail []byte, err error) {
	part, whole, err := s.in.Next()
	if whole {
		return bytes.Clone(part), nil, err // the message may go on to use these bytes
	}
	head, tail = bytes.Clone(part[:min(len(part), headBytes)]), bytes.Clone(lastOf(part))
	for err == nil && !jsonline.Ends(part) {
		part, _, err = s.in.Next()
		tail = lastOf(append(tail, part...))
	}
	return head, tail, err
}

func lastOf(b []byte) []byte { return b[max(0, len(b)-tailBytes):] }

// Write queues a message; it waits while the server does not read, no longer than ctx.
func (s *stream) Write(ctx context.Context, m jsonrpc.Message) error {
	text, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	if _, ok := m.(*jsonrpc.Response); ok {
		select {
		case <-s.asked:
		default:
		}
	}
	select {
	case <-s.closed: // the request has not begun, so that it may be made again
		return errGone
	default:
	}
	s.tap.sending(ctx, m)
	select {
	case s.out <- append(text, '\n'):
		return nil
	case <-s.closed:
		return errGone
	case <-ctx.Done():
		return ctx.Err()
	}
}

// writeQueued writes what is queued until the stream ends.
func (s *stream) writeQueued() {
	for {
		select {
		case text := <-s.out:
			if _, err := s.rw.Write(text); err != nil {
				s.drain() // it may have answered before it stopped to read
				s.end(err)
				return
			}
		case <-s.closed:
			return
		}
	}
}
