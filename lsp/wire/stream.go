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

// brokenTime is how long the server may still be heard after a write to it has failed: what it said before it died
// is in the pipe, and the end of its output follows at once unless a child of it holds that open.
const brokenTime = time.Second

// stream is the library's Stream: lenient to read from, never blocked to write to.
//
// It implements the three methods of jsonrpc2.Stream only. The library has faster paths for streams that hand out raw
// frames, but those decode strictly, on the reading goroutine.
type stream struct {
	rwc      io.ReadWriteCloser
	log      *slog.Logger
	trace    func(Direction, []byte)
	frames   *frames            // reading goroutine only
	pending  []jsonrpc2.Message // reading goroutine only; the rest of a batch
	inFlight atomic.Int64       // requests of the server that were handed on and whose answer is not yet queued
	out      *outbox
	calls    unanswered  // of ours
	losing   atomic.Bool // an answer may have been lost, see lost

	ctx    context.Context // ends with the stream, with its cause
	cancel context.CancelCauseFunc

	ending  sync.Once
	shut    chan struct{} // closed when rwc.Close has returned
	shutErr error         // what it returned; written before shut is closed
}

func newStream(rwc io.ReadWriteCloser, o Options) *stream {
	s := &stream{
		rwc:    rwc,
		log:    o.Log,
		trace:  o.Trace,
		frames: newFrames(rwc, o.MaxMessage, o.Log),
		out:    newOutbox(o),
		shut:   make(chan struct{}),
	}
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	s.frames.stall, s.frames.lost = newStall(&s.calls, s.end), s.lost
	go func() {
		if err := s.out.write(rwc); err != nil {
			broken := time.AfterFunc(brokenTime, func() { s.end(err) })
			context.AfterFunc(s.ctx, func() { broken.Stop() })
		}
	}()
	return s
}

// end makes cause the end of the stream, if it has none yet, and closes rwc in a goroutine of its own: the library
// calls this with its lock held, and a close may take its time.
func (s *stream) end(cause error) {
	s.ending.Do(func() {
		s.cancel(cause)
		s.out.abort(cause)
		go func() {
			s.shutErr = s.rwc.Close()
			close(s.shut)
		}()
	})
}

// Close implements jsonrpc2.Stream. The library calls it when it is idle after the end of the stream or a failed write.
func (s *stream) Close() error {
	cause := s.out.failure()
	if cause == nil {
		cause = ErrClosed
	}
	s.end(cause)
	return nil
}

// Read implements jsonrpc2.Stream: the next message that can be used. What cannot be is logged and costs itself only.
// An error ends the connection.
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
		s.pending = s.decode(b)
	}
}

// admit counts a request of the server, or refuses it when too many are in flight. The refusal is dropped when there is
// no room for it: the reading goroutine never waits for a writer, or two full pipes would be a deadlock.
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

func (s *stream) refuse(id jsonrpc2.ID, e *jsonrpc2.Error) {
	s.out.try(frame(func(b []byte) []byte { return jsonrpc2.AppendResponse(b, id, nil, e) }))
}

// Write implements jsonrpc2.Stream: it queues m. The library writes the answer to a request of the server under that
// request's own context, and nothing else is written under one: that is how the end of a request is known here.
func (s *stream) Write(ctx context.Context, m jsonrpc2.Message) (int64, error) {
	if jsonrpc2.DetachContext(ctx) != ctx {
		defer s.inFlight.Add(-1)
	}
	l := frame(func(b []byte) []byte { return jsonrpc2.AppendMessage(b, m) })
	if err := s.out.put(ctx, l); err != nil {
		return 0, err
	}
	return int64(len(l.bytes)), nil
}
