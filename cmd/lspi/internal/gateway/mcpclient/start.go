package mcpclient

import (
	"context"
	"time"
)

// The back-off of a server that fails to start, or dies before it has been ready for a minute: the next start waits
// 500 ms, then twice as long each time, at most 8 s. After three failures it is not started for a minute.
const (
	firstDelay = 500 * time.Millisecond
	maxDelay   = 8 * time.Second
	maxTries   = 3
	holdTime   = time.Minute
	stableTime = time.Minute
)

// failures are the failed starts and the early deaths of a server, one after the other.
type failures struct {
	n    int
	at   time.Time // of the last
	last *Error    // nil when there was none, ever
}

func (f *failures) add(err *Error, now time.Time) { f.n, f.at, f.last = f.n+1, now, err }

// delay returns how long the next start waits.
func (f *failures) delay(now time.Time) time.Duration {
	if f.n == 0 {
		return 0
	}
	return max(0, f.at.Add(min(firstDelay<<(f.n-1), maxDelay)).Sub(now))
}

// held returns how long the server is not started at all; after that time it has all its tries again.
func (f *failures) held(now time.Time) time.Duration {
	if f.n < maxTries {
		return 0
	}
	left := f.at.Add(holdTime).Sub(now)
	if left <= 0 {
		f.n = 0
		return 0
	}
	return left
}

// start is one series of tries to start the server. It belongs to the client: whoever waits for it may leave.
type start struct {
	done       chan struct{}
	connection *connection // set before done is closed
	err        *Error      // set before done is closed
}

// connection returns the connection that calls go over; it makes one when there is none. Its error says why there is
// none.
func (c *Client) connection(ctx context.Context) (*connection, error) {
	c.mu.Lock()
	if c.live != nil {
		defer c.mu.Unlock()
		return c.live, nil
	}
	st := c.starting
	if st == nil {
		if wait := c.failures.held(time.Now()); wait > 0 && !c.closed {
			defer c.mu.Unlock()
			return nil, c.failures.last.retryIn(wait)
		}
		st = &start{done: make(chan struct{})}
		if !c.spawn(func() { c.run(st) }) {
			defer c.mu.Unlock()
			return nil, c.errorf(Closed, "the client is closed")
		}
		c.starting = st
	}
	c.mu.Unlock()
	select {
	case <-st.done:
		if st.err != nil {
			return nil, st.err
		}
		return st.connection, nil
	case <-ctx.Done():
		return nil, c.cancelled(ctx, "waiting for the server to start")
	case <-c.life.Done():
		return nil, c.errorf(Closed, "the client was closed while the server started")
	}
}

func (e *Error) retryIn(wait time.Duration) *Error {
	held := *e
	held.RetryIn = wait
	return &held
}

// run tries to start the server until that succeeds or the tries are used up.
func (c *Client) run(st *start) {
	defer close(st.done)
	for {
		if err := c.backOff(); err != nil {
			c.finish(st, nil, err, false)
			return
		}
		s, err := c.open()
		if c.finish(st, s, err, true) {
			return
		}
	}
}

// backOff waits for the time of the next try.
func (c *Client) backOff() *Error {
	c.mu.Lock()
	delay := c.failures.delay(time.Now())
	c.backingOff = delay > 0
	c.mu.Unlock()
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-c.life.Done():
		return c.errorf(Closed, "the client was closed")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.backingOff = false
	return nil
}

// finish takes over the result of a try, and reports whether it was the last one.
func (c *Client) finish(st *start, s *connection, err *Error, tried bool) (last bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil && c.closed {
		err = c.errorf(Closed, "the client was closed while the server started")
		s.end(errClosed) // its goroutine does the rest, and Close waits for that
	}
	if err != nil {
		if tried && !c.closed {
			c.fail(err, time.Now())
		}
		wait := c.failures.held(time.Now())
		if wait == 0 && !c.closed && tried && err.Kind == StartFailed {
			return false
		}
		if wait > 0 {
			err = err.retryIn(wait)
		}
		st.err, c.starting = err, nil
		return true
	}
	st.connection, c.starting, c.live = s, nil, s
	c.starts++
	if c.failures.last != nil && c.failures.last.Kind == NotFound {
		c.failures.last = nil
	}
	c.info = s.info
	s.readySince = time.Now()
	select {
	case <-s.gone: // at once
		c.buried(s)
	default:
	}
	for _, l := range c.listings() {
		l.renew()
	}
	return true
}

// fail counts a failure. A program that is not there is looked for again at the next call: that costs nothing, and
// it may have been installed meanwhile. A server that refuses the credentials goes on refusing them. c.mu is held.
func (c *Client) fail(err *Error, now time.Time) {
	switch err.Kind {
	case NotFound:
		c.failures.last, c.failures.at = err, now
		return
	case Unauthorized:
		c.failures.n = maxTries - 1
	}
	c.failures.add(err, now)
	c.log.Warn("an MCP server failed", "server", c.spec.ID, "error", err.Message, "failures", c.failures.n)
}

// buried takes a connection out of use that ended by itself. c.mu is held.
func (c *Client) buried(s *connection) {
	if c.live != s {
		return
	}
	c.live = nil
	if c.closed || s.expired {
		return
	}
	now := time.Now()
	if now.Sub(s.readySince) >= stableTime {
		c.failures.n = 0
	}
	c.fail(s.death, now)
}

// Retry gives the server all its tries back, such as when the user says so. A change of its configuration makes a
// new client anyway.
func (c *Client) Retry() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failures.n = 0
}
