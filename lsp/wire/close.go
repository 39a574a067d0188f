package wire

import (
	"errors"
	"io"
	"os"
	"time"
)

const (
	// flushTime is how long Close waits for the queue to be written: long enough for an "exit", short for a server that
	// has stopped reading.
	flushTime = 250 * time.Millisecond
	// joinTime is how long Close waits for goroutines after it has closed the stream. They end in microseconds, unless
	// a handler ignores its context, or closing the stream does not end its reads.
	joinTime = 2 * time.Second
)

// errStuck says that Close has stopped waiting for a goroutine.
var errStuck = errors.New("closing the connection: a handler or a read has not ended")

// Close ends the connection. It writes what is queued as far as that takes flushTime at most, makes every outstanding
// Call return a *ClosedError, closes the stream and waits for the goroutines. It blocks for a bounded time, and may
// be called again and from several goroutines, which get the same result: the error of closing the stream, or
// errStuck.
func (c *Conn) Close() error { return c.closed() }

func (c *Conn) shutDown() error {
	c.stream.out.drain(ErrClosed)
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
	for _, done := range []<-chan struct{}{c.stream.rwcClosed, c.stream.out.done, c.rpc.Done()} {
		select {
		case <-done:
		case <-join.C:
			return errStuck
		}
	}
	if err := c.stream.closeErr; !errors.Is(err, os.ErrClosed) && !errors.Is(err, io.ErrClosedPipe) {
		return err
	}
	return nil // the owner of the process has closed its stdin before
}
