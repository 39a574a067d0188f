package wire

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/textproto"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"

	"lspi/internal/testkit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// duplex is one end of two pipes. Writes block until the other end reads.
type duplex struct {
	io.Reader
	io.Writer
	close func() error
}

func (d duplex) Close() error { return d.close() }

// peer plays the server by hand: it reads exact messages and writes exact bytes.
type peer struct {
	t   *testing.T
	in  *bufio.Reader
	out *io.PipeWriter
	hup func() // what the kernel does when the server dies
}

// start returns a connection and its peer. Call it in a synctest bubble, which fails when a goroutine is left.
func start(t *testing.T, o Options) (*Conn, *peer) {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	c := New(duplex{outR, inW, func() error { inW.Close(); outR.Close(); return nil }}, o)
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return c, &peer{t: t, in: bufio.NewReader(inR), out: outW, hup: func() {
		outW.Close()
		inR.CloseWithError(io.ErrClosedPipe)
	}}
}

func (p *peer) read() (string, error) {
	header, err := textproto.NewReader(p.in).ReadMIMEHeader()
	if err != nil {
		return "", err
	}
	n, err := strconv.Atoi(header.Get("Content-Length"))
	if err != nil || len(header) != 1 {
		return "", fmt.Errorf("header %v: %w", header, err)
	}
	b := make([]byte, n)
	_, err = io.ReadFull(p.in, b)
	return string(b), err
}

// expect reads the next message and compares it byte for byte.
func (p *peer) expect(want string) {
	p.t.Helper()
	got, err := p.read()
	if err != nil || got != want {
		p.t.Errorf("the server got\n\t%s (%v)\nwant\n\t%s", got, err, want)
	}
}

// raw writes bytes as they are.
func (p *peer) raw(s string) {
	p.t.Helper()
	if _, err := io.WriteString(p.out, s); err != nil {
		p.t.Errorf("the server could not write %.40q: %v", s, err)
	}
}

// send writes framed messages.
func (p *peer) send(bodies ...string) {
	p.t.Helper()
	for _, b := range bodies {
		p.raw(framed(b))
	}
}

func framed(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }

// calling runs a Call and returns how to wait for what it returned.
func calling(ctx context.Context, c *Conn, method string, params any) func() (string, error) {
	var result json.RawMessage
	done := make(chan error, 1)
	go func() { done <- c.Call(ctx, method, params, &result) }()
	return func() (string, error) { err := <-done; return string(result), err }
}

// notes collects notifications.
type notes struct {
	mu  sync.Mutex
	got []string
}

func (n *notes) take(method string, params json.RawMessage) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.got = append(n.got, strings.TrimSpace(method+" "+string(params)))
}

// check waits until the connection has nothing left to do.
func (n *notes) check(t *testing.T, want ...string) {
	t.Helper()
	synctest.Wait()
	n.mu.Lock()
	defer n.mu.Unlock()
	testkit.Diff(t, n.got, want)
	n.got = nil
}

// logTo returns a logger and what was written to it.
func logTo() (*slog.Logger, func() string) {
	var mu sync.Mutex
	var buf bytes.Buffer
	w := writerFunc(func(b []byte) (int, error) { mu.Lock(); defer mu.Unlock(); return buf.Write(b) })
	read := func() string { mu.Lock(); defer mu.Unlock(); return buf.String() }
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelDebug})), read
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

func wantErr[E error](t *testing.T, err error) E {
	t.Helper()
	var e E
	if !errors.As(err, &e) {
		t.Fatalf("error %T %v, want a %T", err, err, e)
	}
	return e
}
