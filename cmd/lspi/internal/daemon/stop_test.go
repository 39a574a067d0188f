//go:build linux || darwin

package daemon

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"os"
	"slices"
	"testing"
	"time"

	"lspi/internal/testkit"
)

// A process that ends and still has a session can be asked about itself, has given its place free, and leaves no socket. Where systemd has made
// the socket it stays.
func TestAskedWhileItEnds(t *testing.T) {
	for name, inherited := range map[string]bool{"own": false, "systemd's": true} {
		t.Run(name, func(t *testing.T) {
			p := place(t)
			l, err := Listen(p)
			testkit.Must(t, err)
			if inherited {
				l.file = nil
			}
			left := make(chan struct{})
			s := NewServer(ServerOptions{Idle: time.Hour, Serve: func(context.Context, *Conn, *Session) { <-left },
				Command: func(_ context.Context, h *Hello, _ func(any)) (any, bool) { return h.Command, true }})
			ended := make(chan error, 1)
			go func() { ended <- s.Run(t.Context(), l) }()
			c, _, err := Dial(t.Context(), p, hello(p))
			testkit.Must(t, err)
			defer c.Close()
			testkit.Must(t, Ask(t.Context(), p, Hello{Command: CommandStop}, nil))
			if inherited {
				defer os.Remove(p.Socket()) // as systemd does with it some time
			}
			ending := func() []Place {
				return slices.DeleteFunc(Places(p.Dir), func(other Place) bool { return other == p })
			}
			testkit.Wait(t, "another socket", func() bool { return len(ending()) == 1 })
			var answer string
			testkit.Must(t, Ask(t.Context(), ending()[0], Hello{Command: "status"}, &answer))
			testkit.Equal(t, answer, "status", "answer to a command")
			if _, _, err := Dial(t.Context(), ending()[0], hello(p)); !None(err) {
				t.Errorf("it takes a host: %v", err)
			}
			testkit.Wait(t, "a free place", func() bool {
				next, err := Listen(p)
				if err == nil {
					next.Close()
				}
				return err == nil
			})
			close(left)
			<-ended
			testkit.Must(t, Ask(t.Context(), ending()[0], Hello{Command: "status"}, &answer))
			s.Close()
			testkit.Equal(t, len(ending()), 0, "sockets that are left")
		})
	}
}

// The socket of a process that was killed while it ended is taken away by the next one; that of one which lives is not.
func TestSocketsOfEndingProcesses(t *testing.T) {
	p := place(t)
	dead, alive := Place{p.Dir, p.Name + ending + "1"}, Place{p.Dir, p.Name + ending + "2"}
	for _, one := range []Place{dead, alive} {
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: one.Socket(), Net: "unix"})
		testkit.Must(t, err)
		l.SetUnlinkOnClose(false)
		if one == dead {
			l.Close()
		}
		defer l.Close()
	}
	l, err := Listen(p)
	testkit.Must(t, err)
	defer l.Close()
	testkit.Equal(t, slices.Contains(Places(p.Dir), dead), false, "the socket that nobody listens at is there")
	testkit.Equal(t, slices.Contains(Places(p.Dir), alive), true, "the other one is there")
}

// A socket can be connected to from the moment that it has its name: a refused connection counts as a dead process.
func TestNamedSocketListens(t *testing.T) {
	p := place(t)
	for range 300 {
		found := make(chan error, 1)
		go func() {
			for {
				if len(Places(p.Dir)) > 0 {
					break
				}
			}
			found <- p.reach(func(path string) error {
				c, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: path, Net: "unix"})
				if err == nil {
					c.Close()
				}
				return err
			})
		}()
		l, err := Listen(p)
		testkit.Must(t, err)
		testkit.Must(t, <-found)
		l.Close()
	}
}

// A relay is told whether its process was told to end; the host hears nothing of that.
func TestRelayHearsThatTheProcessStops(t *testing.T) {
	for _, stops := range []bool{false, true} {
		p := place(t)
		serving(t, p, ServerOptions{Serve: func(_ context.Context, s *Conn, _ *Session) {
			line, err := bufio.NewReader(s).ReadString('\n')
			if err == nil {
				_, _ = io.WriteString(s, line)
			}
			if stops {
				s.Stops()
			}
			s.Close()
		}})
		c, _, err := Dial(t.Context(), p, hello(p))
		testkit.Must(t, err)
		remote := &Remote{Conn: c, Hello: hello(p)}
		in, host := io.Pipe()
		answers, out := io.Pipe()
		again := make(chan bool, 1)
		relay := NewRelay(RelayOptions{Out: out, Quiet: func() {}, Changes: func(string, json.RawMessage) bool { return false }, Next: func(ctx context.Context, n int, _ json.RawMessage) (Backend, error) {
			if n == 0 {
				return remote, nil
			}
			again <- remote.Stopped()
			<-ctx.Done()
			return nil, ctx.Err()
		}})
		ctx, cancel := context.WithCancel(t.Context())
		go relay.Run(ctx, in)
		question := call(1, "read") + "\n" // which stays open, so that the next process is needed
		_, err = io.WriteString(host, question)
		testkit.Must(t, err)
		lines := bufio.NewReader(answers)
		line, err := lines.ReadString('\n')
		testkit.Must(t, err)
		testkit.Equal(t, line, question, "what comes back")
		testkit.Equal(t, <-again, stops, "whether it was told to end")
		go cancel()
		out.Close()
		if rest, _ := lines.ReadString('\n'); rest != "" {
			t.Errorf("the host is sent %q", rest)
		}
	}
}

// A call that changes files, and that a stopped process has not read, is made by the next process. One that it has read is not made twice.
func TestRelayAsksWhatWasNotRead(t *testing.T) {
	p := place(t)
	read, stop := make(chan struct{}), make(chan struct{})
	serving(t, p, ServerOptions{Serve: func(_ context.Context, s *Conn, _ *Session) {
		lines := make([]byte, len(call(1, "edit"))+1)
		_, _ = io.ReadFull(s, lines)
		close(read)
		<-stop
		s.Stops()
		if n, err := s.Read(lines); n > 0 || err == nil {
			t.Errorf("it reads behind its end: %q", lines[:n])
		}
		s.Close()
	}})
	c, _, err := Dial(t.Context(), p, hello(p))
	testkit.Must(t, err)
	backends := make(chan Backend, 2)
	second := newPipeBackend()
	backends <- &Remote{Conn: c, Hello: hello(p)}
	backends <- second
	in, host := io.Pipe()
	answers, out := io.Pipe()
	relay := NewRelay(RelayOptions{Out: out, Quiet: func() {}, Answered: func(string) {}, Changes: func(string, json.RawMessage) bool { return true },
		Became: func(context.Context, Call) json.RawMessage { return json.RawMessage(`{"became":true}`) },
		Next:   func(context.Context, int, json.RawMessage) (Backend, error) { return <-backends, nil }})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go relay.Run(ctx, in)
	for i := range 2 {
		_, err = io.WriteString(host, call(i+1, "edit")+"\n")
		testkit.Must(t, err)
		<-read
	}
	testkit.Wait(t, "the second call under way", func() bool {
		relay.mu.Lock()
		defer relay.mu.Unlock()
		return relay.sent == int64(len(call(1, "edit"))+len(call(2, "edit"))+2)
	})
	close(stop)
	line, err := bufio.NewReader(answers).ReadString('\n')
	testkit.Must(t, err)
	testkit.Equal(t, line, `{"jsonrpc":"2.0","id":1,"result":{"became":true}}`+"\n", "answer to the call that was read")
	testkit.Equal(t, second.hear(t), call(2, "edit"), "what the next process is asked")
}
