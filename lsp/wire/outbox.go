package wire

import (
	"context"
	"io"
	"strconv"
	"sync"
)

// message is one framed message: its header, and from the index body on its JSON.
type message struct {
	bytes []byte
	body  int
}

// headerRoom is the length of the longest header that frame writes.
const headerRoom = len("Content-Length: \r\n\r\n") + 20

// frame builds a framed message in one allocation: write appends the body behind room for the header, which is then
// placed directly before it.
func frame(write func([]byte) []byte) message {
	buf := write(make([]byte, headerRoom, headerRoom+256))
	n := len(buf) - headerRoom
	header := append(make([]byte, 0, headerRoom), "Content-Length: "...)
	header = append(strconv.AppendInt(header, int64(n), 10), "\r\n\r\n"...)
	start := headerRoom - len(header)
	copy(buf[start:], header)
	return message{bytes: buf[start:], body: len(header)}
}

// outbox is the queue before the writing goroutine. A write to a server that does not read blocks for ever, and no
// context can end it. So senders wait here, where their context counts, and only the writer blocks in the write.
type outbox struct {
	limit int
	trace func(Direction, []byte)

	turn  chan struct{} // held by the sender that waits for room; the others wait for turn, in order
	ready chan struct{} // capacity 1: there is something to write, or the outbox has ended
	room  chan struct{} // capacity 1: something was written
	ended chan struct{} // closed when no message is accepted any more
	done  chan struct{} // closed when the writer has ended

	mu      sync.Mutex
	queue   []message // guarded by mu
	bytes   int       // of queue and of what is being written; guarded by mu
	err     error     // why no message is accepted; set once, when ended is closed; guarded by mu
	aborted bool      // the writer must not go on; guarded by mu
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

// put queues a message and blocks until there is room. With an error the message is not queued: a *ClosedError, or an
// *unsentError when ctx ended first.
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

// try queues a message if there is room now and no sender waits for it.
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

// drain accepts no more messages; those that are queued are still written.
func (o *outbox) drain(cause error) { o.stop(cause, false) }

// abort accepts no more messages and drops those that are queued. A write in progress ends when its stream is closed.
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

// failure returns why no message is accepted any more; nil while messages are.
func (o *outbox) failure() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// writeLoop is the writing goroutine. It returns the error of the stream, or nil when drain or abort ended it.
func (o *outbox) writeLoop(w io.Writer) error {
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
			// abort came during the write: what is left of the batch must not be written.
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

// take returns the queued messages and empties the queue; more is false when no others will follow.
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
