package httpdoor

import (
	"bytes"
	"errors"
	"io"
	"math/bits"
	"net"
	"net/http"
	"os"
	"sync"
	"time"
)

// What one request, or all clients together, may take.
const (
	maxConnections = 512
	maxHeader      = 16 << 10 // bytes
	maxBody        = 4 << 20  // bytes; the SDK's own limit
	maxRequests    = 128      // with a body, at a time
	headerLimit    = 5 * time.Second
	bodyLimit      = 10 * time.Second // for the whole body
	writeLimit     = 30 * time.Second // for the client to read what one write sends
	idleLimit      = 2 * time.Minute  // for a connection without a request
)

// limited is a listener with at most maxConnections open connections; further ones wait in the system's queue.
type limited struct {
	net.Listener
	slots chan struct{}
	done  chan struct{} // closed by Close
	once  sync.Once
}

func newLimited(l net.Listener) *limited {
	return &limited{Listener: l, slots: make(chan struct{}, maxConnections), done: make(chan struct{})}
}

// Accept waits for a free slot before it accepts, so that further connections wait in the system's queue.
func (l *limited) Accept() (net.Conn, error) {
	select {
	case l.slots <- struct{}{}:
	case <-l.done:
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.slots
		return nil, err
	}
	return &limitedConn{Conn: c, free: sync.OnceFunc(func() { <-l.slots })}, nil
}

func (l *limited) Close() error {
	l.once.Do(func() { close(l.done) })
	return l.Listener.Close()
}

type limitedConn struct {
	net.Conn
	free func()
}

func (c *limitedConn) Close() error {
	defer c.free()
	return c.Conn.Close()
}

// body reads the whole body, in bounded size and time, and replaces r.Body by what it read. Then it lifts the time
// limit, so that a long answer is not cut off.
func (d *Door) body(w http.ResponseWriter, r *http.Request) *refusal {
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return &refusal{status: http.StatusRequestEntityTooLarge, reason: "large_body",
			text: "the body is larger than 4 MiB"}
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &refusal{status: http.StatusRequestTimeout, reason: "slow_body",
			text: "the body did not come within 10 seconds"}
	case err != nil:
		return &refusal{status: http.StatusBadRequest, reason: "broken_body", text: "the body is cut off or malformed"}
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	r.Body = io.NopCloser(bytes.NewReader(raw))
	return nil
}

// patient is a writer for an answer that may take long as a whole, while each write has writeLimit to be read.
type patient struct{ http.ResponseWriter }

// Unwrap is for http.ResponseController.
func (p patient) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// WriteHeader is part of http.ResponseWriter.
func (p patient) WriteHeader(status int) {
	p.extend()
	p.ResponseWriter.WriteHeader(status)
}

func (p patient) Write(b []byte) (int, error) {
	p.extend()
	return p.ResponseWriter.Write(b)
}

// extend sets the write deadline to writeLimit from now; otherwise that of an earlier write or request would hold.
func (p patient) extend() {
	_ = http.NewResponseController(p.ResponseWriter).SetWriteDeadline(time.Now().Add(writeLimit))
}

// refusals counts refused requests by reason.
type refusals struct {
	mu    sync.Mutex
	count map[string]int64 // guarded by mu
}

// add counts one refusal. worth reports whether to log it: the first, second, fourth, eighth and so on, so that nobody
// can fill the log from outside.
func (r *refusals) add(reason string) (n int64, worth bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.count == nil {
		r.count = map[string]int64{}
	}
	r.count[reason]++
	n = r.count[reason]
	return n, bits.OnesCount64(uint64(n)) == 1
}
