package wire

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"go.lsp.dev/jsonrpc2"
)

// brokenTime is how long the server is still read after a write to it has failed. What it wrote before it died is in
// the pipe, and the end of its output follows at once, unless a child process keeps the pipe open.
const brokenTime = time.Second

// stream is the library's Stream: it reads leniently, and a write to it never blocks on the server.
//
// It implements the three methods of jsonrpc2.Stream only. The library has faster paths for streams that return raw
// frames, but these decode strictly, on the reading goroutine.
type stream struct {
	rwc      io.ReadWriteCloser
	log      *slog.Logger
	trace    func(Direction, []byte)
	paths    *translator        // nil for a server of this machine
	frames   *frames            // used by the reading goroutine alone
	pending  []jsonrpc2.Message // used by the reading goroutine alone; the rest of a batch
	inFlight atomic.Int64       // requests of the server whose answer is not queued yet
	out      *outbox
	calls    unanswered  // ours
	losing   atomic.Bool // an answer may have been lost, see lost

	ctx    context.Context // ends with the stream; its cause is that of the end
	cancel context.CancelCauseFunc

	ending    sync.Once
	rwcClosed chan struct{} // closed when rwc.Close has returned
	// closeErr is the error of rwc.Close; it is written before rwcClosed is closed.
	closeErr error
}

func newStream(rwc io.ReadWriteCloser, o Options) *stream {
	s := &stream{
		rwc:       rwc,
		log:       o.Log,
		trace:     o.Trace,
		frames:    newFrames(rwc, o.MaxMessage, o.Log),
		out:       newOutbox(o),
		rwcClosed: make(chan struct{}),
	}
	if len(o.Paths) > 0 {
		s.paths = &translator{o.Paths}
	}
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	s.frames.stall, s.frames.lost = newStall(&s.calls, s.end), s.lost
	go func() {
		// Not ended at once: see brokenTime.
		if err := s.out.writeLoop(rwc); err != nil {
			broken := time.AfterFunc(brokenTime, func() { s.end(err) })
			context.AfterFunc(s.ctx, func() { broken.Stop() })
		}
	}()
	return s
}

// end ends the stream, unless it has ended, with a cause. It closes rwc in a goroutine of its own: the library calls
// end with a lock held, and closing may take time.
func (s *stream) end(cause error) {
	s.ending.Do(func() {
		s.cancel(cause)
		s.out.abort(cause)
		go func() {
			s.closeErr = s.rwc.Close()
			close(s.rwcClosed)
		}()
	})
}

// Close implements jsonrpc2.Stream. The library calls it when it is idle after the end of the stream or a failed
// write.
func (s *stream) Close() error {
	cause := s.out.failure()
	if cause == nil {
		cause = ErrClosed
	}
	s.end(cause)
	return nil
}

// Read implements jsonrpc2.Stream. It returns the next message that can be used; it logs and skips all others. Its
// error ends the connection.
func (s *stream) Read(context.Context) (jsonrpc2.Message, int64, error) {
	for {
		if s.ctx.Err() != nil {
			return nil, 0, &ClosedError{Cause: context.Cause(s.ctx)}
		}
		if len(s.pending) > 0 {
			m := s.pending[0]
			s.pending = s.pending[1:]
			if s.admit(m) {
				return m, 0, nil
			}
			continue
		}
		s.pending = nil
		b, err := s.frames.next()
		if err != nil {
			s.end(err)
			return nil, 0, &ClosedError{Cause: context.Cause(s.ctx)}
		}
		if s.trace != nil && !b.partial {
			s.trace(Received, b.bytes)
		}
		if s.paths != nil && !b.partial {
			b.bytes = s.paths.received(b.bytes)
		}
		s.pending = s.decode(b)
	}
}

// admit counts a request of the server, or refuses it when too many are in flight. The refusal is dropped when the
// queue has no room: if the reading goroutine waited for the writer while the server waits for its output to be read,
// both would wait for ever.
func (s *stream) admit(m jsonrpc2.Message) bool {
	call, ok := m.(*jsonrpc2.Call)
	if !ok {
		return true
	}
	if s.inFlight.Add(1) <= maxServerRequests {
		return true
	}
	s.inFlight.Add(-1)
	s.log.Warn("refused a request of the server: too many in flight", "method", call.Method())
	s.refuse(call.ID(), jsonrpc2.Errorf(CodeInternalError, "more than %d requests in flight", maxServerRequests))
	return false
}

// refuse answers a request of the server with an error, if the queue has room.
func (s *stream) refuse(id jsonrpc2.ID, e *jsonrpc2.Error) {
	s.out.try(s.frame(func(b []byte) []byte { return jsonrpc2.AppendResponse(b, id, nil, e) }))
}

// Write implements jsonrpc2.Stream: it queues m. The library writes the answer to a request of the server with the
// context of that request, and nothing else with such a context: so the end of a request is seen here.
func (s *stream) Write(ctx context.Context, m jsonrpc2.Message) (int64, error) {
	// DetachContext returns another context only for one that belongs to a request of the server.
	if jsonrpc2.DetachContext(ctx) != ctx {
		defer s.inFlight.Add(-1)
	}
	l := s.frame(func(b []byte) []byte { return jsonrpc2.AppendMessage(b, m) })
	if err := s.out.put(ctx, l); err != nil {
		return 0, err
	}
	return int64(len(l.bytes)), nil
}

// frame is [frame] of a message with the paths that the server knows.
func (s *stream) frame(write func([]byte) []byte) message {
	if s.paths == nil {
		return frame(write)
	}
	return frame(func(b []byte) []byte { return append(b, s.paths.sent(write(nil))...) })
}
