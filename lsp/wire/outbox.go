package wire

import (
	"context"
	"io"
	"strconv"
	"sync"
)

// message is one framed message: the header, and from body on its JSON.
type message struct {
	bytes []byte
	body  int
}

// headerRoom is the longest header that frame writes.
const headerRoom = len("Content-Length: \r\n\r\n") + 20

// frame builds a framed message in one allocation: write appends the body behind room for the header, which is then put
// directly before it.
func frame(write func([]byte) []byte) message {
	buf := write(make([]byte, headerRoom, headerRoom+256))
	n := len(buf) - headerRoom
	header := append(make([]byte, 0, headerRoom), "Content-Length: "...)
	header = append(strconv.AppendInt(header, int64(n), 10), "\r\n\r\n"...)
	start := headerRoom - len(header)
	copy(buf[start:], header)
	return message{bytes: buf[start:], body: len(header)}
}

// outbox is the queue before the writing goroutine. It exists because a write to a server that does not read blocks for
// good: senders wait here, where their context counts, and only the writer waits there.
type outbox struct {
	limit int
	trace func(Direction, []byte)

	turn  chan struct{} // held by the sender that waits for room; others queue behind it in order
	ready chan struct{} // capacity 1: there is something to write, or nothing will come any more
	room  chan struct{} // capacity 1: something was written
	ended chan struct{} // closed when no sender may enter any more
	done  chan struct{} // closed when the writer has ended

	mu      sync.Mutex
	queue   []message // under mu
	bytes   int       // under mu; of queue and of what is being written
	err     error     // under mu; set once, with ended closed
	aborted bool      // under mu; the writer must not go on
}

func newOutbox(o Options) *outbox {
	return &outbox{
		limit: o.QueueBytes,
		trace: o.Trace,
		turn:  make(chan struct{}, 1),
		ready: make(chan struct{}, 1),
		room:  make(chan struct{}, 1),
		ended: make(chan struct{}),
		done:  make(chan struct{}),
	}
}

// put queues a message, waiting for room. An error means that it was not queued: a *ClosedError, or an *unsentError
// when ctx ended first.
func (o *outbox) put(ctx context.Context, l message) error {
	select {
	case o.turn <- struct{}{}:
	case <-ctx.Done():
		return &unsentError{context.Cause(ctx)}
	case <-o.ended:
		return &ClosedError{Cause: o.failure()}
	}
	defer func() { <-o.turn }()
	for {
		if queued, err := o.add(l, false); queued || err != nil {
			return err
		}
		select {
		case <-o.room:
		case <-ctx.Done():
			return &unsentError{context.Cause(ctx)}
		case <-o.ended:
		}
	}
}

// try queues a message if there is room at once and nobody waits for it.
func (o *outbox) try(l message) bool {
	select {
	case o.turn <- struct{}{}:
		defer func() { <-o.turn }()
		queued, _ := o.add(l, false)
		return queued
	default:
		return false
	}
}

// force queues a message past the bound.
func (o *outbox) force(l message) { o.add(l, true) }

func (o *outbox) add(l message, force bool) (queued bool, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return false, &ClosedError{Cause: o.err}
	}
	if !force && o.bytes > 0 && o.bytes+len(l.bytes) > o.limit {
		return false, nil
	}
	o.queue = append(o.queue, l)
	o.bytes += len(l.bytes)
	signal(o.ready)
	return true, nil
}

// shut refuses new messages, with cause; what is queued is still written.
func (o *outbox) shut(cause error) { o.stop(cause, false) }

// abort refuses new messages and drops what is queued. A write under way ends with its stream.
func (o *outbox) abort(cause error) { o.stop(cause, true) }

func (o *outbox) stop(cause error, abort bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil {
		o.err = cause
		close(o.ended)
	}
	if abort {
		o.aborted, o.queue = true, nil
	}
	signal(o.ready)
}

// failure is why no message can be sent any more; nil while one can.
func (o *outbox) failure() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// write is the writing goroutine. It returns the error of the stream, or nil when it was told to end.
func (o *outbox) write(w io.Writer) error {
	defer close(o.done)
	for {
		batch, more := o.take()
		for i, l := range batch {
			batch[i] = message{}
			if o.trace != nil {
				o.trace(Sent, l.bytes[l.body:])
			}
			if _, err := w.Write(l.bytes); err != nil {
				o.abort(err)
				return err
			}
			if o.written(len(l.bytes)) {
				return nil
			}
		}
		if !more {
			return nil
		}
		if len(batch) == 0 {
			<-o.ready
		}
	}
}

// take hands over what is queued; more is false when nothing will be queued behind it.
func (o *outbox) take() (batch []message, more bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	batch, o.queue = o.queue, nil
	return batch, o.err == nil
}

func (o *outbox) written(n int) (aborted bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.bytes -= n
	signal(o.room)
	return o.aborted
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
