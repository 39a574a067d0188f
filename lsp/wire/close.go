package wire

import (
	"errors"
	"io"
	"os"
	"time"
)

const (
	// flushTime is how long Close lets the queue drain: enough for an "exit" to leave, short when the server does not
	// read.
	flushTime = 250 * time.Millisecond
	// joinTime is how long Close waits for goroutines after the stream was closed. They end in microseconds unless a
	// handler ignores its context or the stream's Close does not end its reads.
	joinTime = 2 * time.Second
)

// errStuck says that Close gave up waiting.
var errStuck = errors.New("closing the connection: a handler or a read has not ended")

// Close ends the connection: what is queued is written if that is quickly done, every outstanding Call returns a
// *ClosedError, the stream is closed and the goroutines are joined. It is bounded, may be called many times and from
// several goroutines, and returns the error of closing the stream, or one that says that something did not end.
func (c *Conn) Close() error { return c.closed() }

func (c *Conn) close() error {
	c.stream.out.shut(ErrClosed)
	flush := time.NewTimer(flushTime)
	defer flush.Stop()
	select {
	case <-c.stream.out.done:
	case <-c.stream.ctx.Done():
	case <-flush.C:
	}
	c.stream.end(ErrClosed)
	c.release(ErrClosed)
	join := time.NewTimer(joinTime)
	defer join.Stop()
	for _, done := range []<-chan struct{}{c.stream.shut, c.stream.out.done, c.rpc.Done()} {
		select {
		case <-done:
		case <-join.C:
			return errStuck
		}
	}
	if err := c.stream.shutErr; !errors.Is(err, os.ErrClosed) && !errors.Is(err, io.ErrClosedPipe) {
		return err
	}
	return nil // whoever started the server has closed its stdin before
}
