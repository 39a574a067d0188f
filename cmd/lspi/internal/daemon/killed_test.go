//go:build linux || darwin

package daemon

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"lspi/internal/testkit"
)

// playedByProcess names the place at which TestRelayKilled, run again in a process of its own, plays the shared
// process.
const playedByProcess = "LSPI_TEST_PLAYED"

// playForProcess answers all calls, each some time later, until it is killed.
func playForProcess(t *testing.T, dir string) {
	l, err := Listen(Place{dir, "0123456789abcdef"})
	testkit.Must(t, err)
	s := NewServer(ServerOptions{Idle: time.Hour, Log: slog.New(slog.DiscardHandler),
		Serve: func(_ context.Context, c *Conn, _ *Session) {
			lines := bufio.NewReader(c)
			for {
				line, err := lines.ReadString('\n')
				if err != nil {
					return
				}
				for _, h := range headsOf([]byte(line)) {
					if h.isCall() {
						go func() {
							time.Sleep(time.Duration(rand.IntN(2000)) * time.Microsecond)
							fmt.Fprintf(c, `{"jsonrpc":"2.0","id":%s,"result":%q}`+"\n", h.ID,
								strings.Repeat("y", rand.IntN(6000)))
						}()
					}
				}
			}
		}})
	fmt.Fprintln(os.Stderr, "ready")
	_ = s.Run(t.Context(), l)
}

// answerAll answers all calls at once.
func (b *pipeBackend) answerAll() {
	for {
		line, err := b.given.ReadString('\n')
		if err != nil {
			return
		}
		for _, head := range headsOf([]byte(line)) {
			if head.isCall() {
				fmt.Fprintf(b.says, `{"jsonrpc":"2.0","id":%s,"result":{}}`+"\n", head.ID)
			}
		}
	}
}

// Whenever the shared process is killed, each request is answered once, in whole lines.
func TestRelayKilled(t *testing.T) {
	if dir := os.Getenv(playedByProcess); dir != "" {
		playForProcess(t, dir)
		return
	}
	for range 8 {
		p := place(t)
		cmd := exec.Command(os.Args[0], "-test.run", "^TestRelayKilled$")
		cmd.Env = append(os.Environ(), playedByProcess+"="+p.Dir)
		ready, err := cmd.StderrPipe()
		testkit.Must(t, err)
		testkit.Must(t, cmd.Start())
		_, err = bufio.NewReader(ready).ReadString('\n')
		testkit.Must(t, err)
		c, _, err := Dial(t.Context(), p, hello(p))
		testkit.Must(t, err)
		r := newRelayed(t)
		r.backends <- &Remote{Conn: c, Hello: hello(p)}
		next := r.backend()
		go next.answerAll()
		go func() {
			for range r.answered { // for as long as the program runs
			}
		}()
		const many = 120
		var all sync.WaitGroup
		all.Go(func() {
			for i := range many {
				r.send(call(i, []string{"read", "edit", strings.Repeat("long", rand.IntN(10_000))}[i%3]))
			}
		})
		all.Go(func() {
			time.Sleep(time.Duration(rand.IntN(15)) * time.Millisecond)
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		})
		got := map[string]bool{}
		for len(got) < many {
			line, err := r.answers.ReadBytes('\n')
			testkit.Must(t, err)
			heads := headsOf(line)
			if !json.Valid(line) || len(heads) != 1 {
				t.Fatalf("no answer: %s", line)
			}
			if id := string(heads[0].ID); got[id] {
				t.Errorf("the answer to %s comes twice", id)
			} else {
				got[id] = true
			}
		}
		all.Wait()
		testkit.Must(t, r.host.Close())
		next.says.Close()
		testkit.Must(t, <-r.ended)
	}
}

// A session whose host reads nothing holds nobody up who keeps something for it, and all that was kept comes behind
// the answer under way.
func TestKeepWaitsNotForGood(t *testing.T) {
	p := place(t)
	sessions, end := make(chan *Conn), make(chan struct{})
	serving(t, p, ServerOptions{Serve: func(_ context.Context, c *Conn, _ *Session) {
		sessions <- c
		<-end
	}})
	defer close(end)
	c, _, err := Dial(t.Context(), p, hello(p))
	testkit.Must(t, err)
	defer c.Close()
	first := <-sessions
	long := make(chan struct{})
	go func() {
		defer close(long)
		_, _ = io.WriteString(first, `{"jsonrpc":"2.0","id":1,"result":"`+strings.Repeat("x", 4<<20)+"\"}\n")
	}()
	_, err = c.in.Peek(10)
	testkit.Must(t, err)
	for i := range 2 {
		first.Keep(func() json.RawMessage { return json.RawMessage(fmt.Sprint(i)) })
	}
	lines := bufio.NewReaderSize(c, 8<<20)
	line, err := lines.ReadString('\n')
	testkit.Must(t, err)
	testkit.Equal(t, len(line), 4<<20+len(`{"jsonrpc":"2.0","id":1,"result":""}`)+1, "length of the answer")
	<-long
	kept := map[string]bool{}
	for range 2 {
		line, err := lines.ReadString('\n')
		testkit.Must(t, err)
		what, ok := keptIn([]byte(line))
		if !ok {
			t.Errorf("%s", line)
		}
		kept[string(what)] = true
	}
	if !kept["0"] || !kept["1"] {
		t.Errorf("kept: %v", kept)
	}
}
