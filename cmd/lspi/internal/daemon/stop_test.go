//go:build linux || darwin

package daemon

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"testing"
	"time"

	"lspi/internal/testkit"
)

// A process that ends and still has a session can be asked about itself, has given its place free, and leaves no
// socket. Where systemd has made the socket it stays.
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
			var answer string
			// whose file is there an instant before somebody listens
			testkit.Wait(t, "an answer at another socket", func() bool {
				return len(ending()) == 1 && Ask(t.Context(), ending()[0], Hello{Command: "status"}, &answer) == nil
			})
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
				s.Stops(false)
			}
			s.Close()
		}})
		c, _, err := Dial(t.Context(), p, hello(p))
		testkit.Must(t, err)
		remote := &Remote{Conn: c, Hello: hello(p)}
		in, host := io.Pipe()
		answers, out := io.Pipe()
		again := make(chan bool, 1)
		relay := NewRelay(RelayOptions{Out: out, Quiet: func() {}, Changes: func(string, json.RawMessage) bool {
			return false
		}, Next: func(ctx context.Context, n int, _ json.RawMessage) (Backend, error) {
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

// A stopped process that has answered all that it had read leaves the other calls to the next process, also those
// that change files. Of one that has not, the journal of edits tells what became of them.
func TestRelayAsksWhatWasNotRead(t *testing.T) {
	for _, idle := range []bool{true, false} {
		p := place(t)
		stop := make(chan struct{})
		serving(t, p, ServerOptions{Serve: func(_ context.Context, s *Conn, _ *Session) {
			_, _ = io.ReadFull(s, make([]byte, len(call(1, "edit"))+1))
			<-stop
			if idle {
				_, _ = io.WriteString(s, result(1)+"\n")
			}
			s.Stops(idle)
			s.Close()
		}})
		c, _, err := Dial(t.Context(), p, hello(p))
		testkit.Must(t, err)
		r := newRelayed(t)
		r.backends <- &Remote{Conn: c, Hello: hello(p)}
		r.send(call(1, "edit"))
		r.send(call(2, "edit"))
		r.send("") // which is passed on behind the second call
		close(stop)
		second := r.backend()
		if idle {
			testkit.Equal(t, r.answer(), result(1), "answer to the call that was read")
			testkit.Equal(t, second.hear(t), call(2, "edit"), "what the next process is asked")
			continue
		}
		for id := range 2 {
			testkit.Equal(t, r.answer(),
				fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"became":%[1]d,"host":"","arguments":{"x":%[1]d}}}`,
					id+1), "answer")
		}
	}
}
