package daemon

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"lspi/internal/testkit"
)

// A session is served until its host leaves; a process that is retired ends with its last session, and one that is
// stopped at once.
func TestEndOfServer(t *testing.T) {
	p := place(t)
	s, ended := serving(t, p, ServerOptions{})
	c, w, err := Dial(t.Context(), p, hello(p))
	testkit.Must(t, err)
	if !w.OK || w.PID != os.Getpid() || c.Peer != os.Getpid() {
		t.Errorf("%+v, peer %d", w, c.Peer)
	}
	_, err = c.Write([]byte("line\n"))
	testkit.Must(t, err)
	back := make([]byte, 5)
	_, err = io.ReadFull(c, back)
	testkit.Must(t, err)
	testkit.Equal(t, string(back), "line\n", "what comes back")
	testkit.Equal(t, s.served(), 1, "sessions")
	testkit.Must(t, Ask(t.Context(), p, Hello{Command: CommandRetire}, nil))
	select {
	case err := <-ended:
		t.Fatalf("it ends with a session: %v", err)
	default:
	}
	if _, err := c.Write([]byte("line\n")); err != nil {
		t.Error(err)
	}
	c.Close()
	if err := <-ended; !errors.Is(err, ErrRetired) {
		t.Error(err)
	}

	_, ended = serving(t, p, ServerOptions{})
	_, _, err = Dial(t.Context(), p, hello(p))
	testkit.Must(t, err)
	testkit.Must(t, Ask(t.Context(), p, Hello{Command: CommandStop}, nil))
	if err := <-ended; !errors.Is(err, ErrStopped) {
		t.Error(err)
	}
	if _, _, err := Dial(t.Context(), p, hello(p)); !None(err) {
		t.Errorf("it can be reached behind its end: %v", err)
	}
}

// A process of a build that was replaced takes the hosts that this build still has, and ends with the last one.
func TestOutdated(t *testing.T) {
	p := place(t)
	l, err := Listen(p)
	testkit.Must(t, err)
	left := make(chan struct{})
	s := NewServer(ServerOptions{Idle: time.Hour, Log: slog.New(slog.DiscardHandler),
		Serve: func(context.Context, *Conn, *Session) {
			<-left
		}})
	s.Outdated()
	ended := make(chan error, 1)
	go func() { ended <- s.Run(t.Context(), l) }()
	for range 2 {
		c, _, err := Dial(t.Context(), p, hello(p))
		testkit.Must(t, err)
		defer c.Close()
	}
	if !s.Retired() {
		t.Error("it does not say that it ends with its last session")
	}
	left <- struct{}{}
	select {
	case err := <-ended:
		t.Fatalf("it ends with a session: %v", err)
	default:
	}
	left <- struct{}{}
	if err := <-ended; !errors.Is(err, ErrRetired) {
		t.Error(err)
	}
}

// Without a session it ends after its idle time, and never with one.
func TestIdleEnd(t *testing.T) {
	p := place(t)
	_, ended := serving(t, p, ServerOptions{Idle: 50 * time.Millisecond})
	c, _, err := Dial(t.Context(), p, hello(p))
	if err == nil { // else it was idle already
		select {
		case err := <-ended:
			t.Fatalf("it ends with a session: %v", err)
		case <-time.After(200 * time.Millisecond):
		}
		c.Close()
	}
	if err := <-ended; !errors.Is(err, ErrIdle) {
		t.Error(err)
	}
}

// A process that is to stay ends neither without a session nor for a newer lspi, and takes sessions all the same.
func TestStay(t *testing.T) {
	p := place(t)
	s, ended := serving(t, p, ServerOptions{Stay: true, Idle: time.Nanosecond})
	for range 2 {
		c, _, err := Dial(t.Context(), p, hello(p))
		testkit.Must(t, err)
		testkit.Must(t, Ask(t.Context(), p, Hello{Command: CommandRetire}, nil))
		c.Close()
		testkit.Must(t, testkit.Eventually(10*time.Second, func() bool { return s.served() == 0 }))
	}
	if s.Retired() {
		t.Error("it says that it ends with its last session")
	}
	testkit.Must(t, Ask(t.Context(), p, Hello{Command: CommandStop}, nil))
	if err := <-ended; !errors.Is(err, ErrStopped) {
		t.Error(err)
	}
}

// Another build, or a process in a sandbox, is not served.
func TestOtherIdentity(t *testing.T) {
	p := place(t)
	serving(t, p, ServerOptions{})
	h := hello(p)
	h.Place = "fedcba9876543210"
	_, _, err := Dial(t.Context(), p, h)
	if refused := (*RefusedError)(nil); !errors.As(err, &refused) {
		t.Errorf("%v", err)
	}
}

// A process that listens and says nothing is not waited for.
func TestSilentServer(t *testing.T) {
	p := place(t)
	l, err := Listen(p)
	testkit.Must(t, err)
	defer l.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, _, err := Dial(ctx, p, hello(p)); !Silent(err) {
		t.Errorf("%v", err)
	}
}

// Garbage and half a line harm nobody.
func TestGarbageAtTheSocket(t *testing.T) {
	p := place(t)
	serving(t, p, ServerOptions{})
	var all sync.WaitGroup
	for _, text := range []string{"\n", "{}\n", "[1]\n", "{\"kind\":\"nothing\"}\n", "GET / HTTP/1.1\r\n\r\n",
		"\x00\xff\n", "{\"kind\":"} {
		all.Go(func() {
			l, err := connectRaw(p)
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = io.WriteString(l, text)
			_ = l.CloseWrite()
			_, _ = io.Copy(io.Discard, l)
			l.Close()
		})
	}
	all.Wait()
	c, _, err := Dial(t.Context(), p, hello(p))
	testkit.Must(t, err)
	c.Close()
}

// An environment comes as it is, also when nothing is in it: the session does not get that of the shared process.
func TestEnvironmentOfTheHello(t *testing.T) {
	p := place(t)
	got := make(chan []string, 1)
	serving(t, p, ServerOptions{Serve: func(_ context.Context, _ *Conn, s *Session) { got <- s.Hello.Environ }})
	for _, environ := range [][]string{{}, {"A=b", "A=<ü>\n\u2028", "=C:=x", "B"}} {
		h := hello(p)
		h.Environ = environ
		c, _, err := Dial(t.Context(), p, h)
		testkit.Must(t, err)
		if have := <-got; have == nil || !slices.Equal(have, environ) {
			t.Errorf("%q came as %q", environ, have)
		}
		c.Close()
	}
}

// served is how many hosts are served.
func (s *Server) served() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.sessions)
}
