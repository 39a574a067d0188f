//go:build linux || darwin

package share

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
			s := NewServer(ServerOptions{Idle: time.Hour, Serve: func(context.Context, Stream, *Session) { <-left },
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

// A relay is told whether its process was told to end; the host hears nothing of that.
func TestRelayHearsThatTheProcessStops(t *testing.T) {
	for _, stops := range []bool{false, true} {
		p := place(t)
		serving(t, p, ServerOptions{Serve: func(_ context.Context, s Stream, _ *Session) {
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
		relay := NewRelay(RelayOptions{Out: out, Quiet: func() {}, Next: func(ctx context.Context, n int, _ json.RawMessage) (Backend, error) {
			if n == 0 {
				return remote, nil
			}
			again <- remote.Stopped()
			<-ctx.Done()
			return nil, ctx.Err()
		}})
		ctx, cancel := context.WithCancel(t.Context())
		go relay.Run(ctx, in)
		_, err = io.WriteString(host, "line\n")
		testkit.Must(t, err)
		lines := bufio.NewReader(answers)
		line, err := lines.ReadString('\n')
		testkit.Must(t, err)
		testkit.Equal(t, line, "line\n", "what comes back")
		go io.WriteString(host, "another\n") // for which the next process is needed
		testkit.Equal(t, <-again, stops, "whether it was told to end")
		go cancel()
		out.Close()
		if rest, _ := lines.ReadString('\n'); rest != "" {
			t.Errorf("the host is sent %q", rest)
		}
	}
}
