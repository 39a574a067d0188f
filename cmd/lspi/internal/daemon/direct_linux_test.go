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

// directHost is a host whose pipes the shared process at a place has, and what its own process does when that has ended.
type directHost struct {
	*relayed
	sends  *os.File
	handed *Handed
}

// newDirectHost begins a session. with changes what its process knows of the shared one.
func newDirectHost(t *testing.T, p Place, with ...func(*Remote)) *directHost {
	t.Helper()
	in, sends, err := os.Pipe()
	testkit.Must(t, err)
	reads, out, err := os.Pipe()
	testkit.Must(t, err)
	handed := Hand(in, out)
	if handed == nil {
		t.Fatal("pipes cannot be given")
	}
	h := hello(p)
	h.Direct = true
	c, _, err := Dial(t.Context(), p, h)
	testkit.Must(t, err)
	remote := &Remote{Conn: c, Hello: h}
	if ok, err := handed.Give(remote); !ok {
		t.Fatalf("the host was not taken: %v", err)
	}
	for _, change := range with {
		change(remote)
	}
	host := &directHost{relayedOf(t, in, out, reads, handed), sends, handed}
	t.Cleanup(func() {
		for _, f := range []*os.File{in, sends, reads, out} {
			f.Close()
		}
	})
	return host
}

func (h *directHost) send(line string) {
	h.t.Helper()
	_, err := io.WriteString(h.sends, line+"\n")
	testkit.Must(h.t, err)
}

// played is a shared process that the test plays: it hears what sessions send, and says what they get.
type played struct {
	stream Stream
	lines  *bufio.Reader
	end    chan struct{}
}

// plays runs a server whose sessions a test plays, one after the other.
func plays(t *testing.T, p Place) chan *played {
	t.Helper()
	sessions := make(chan *played)
	serving(t, p, ServerOptions{Serve: func(_ context.Context, s Stream, _ *Session) {
		one := &played{s, bufio.NewReader(s), make(chan struct{})}
		sessions <- one
		<-one.end
	}})
	return sessions
}

// beginDirect begins the session of a host with a shared process that the test plays.
func beginDirect(t *testing.T, with ...func(*Remote)) (*directHost, *played) {
	t.Helper()
	p := place(t)
	sessions := plays(t, p)
	return newDirectHost(t, p, with...), <-sessions
}

func (p *played) hear(t *testing.T) string {
	t.Helper()
	line, err := p.lines.ReadString('\n')
	testkit.Must(t, err)
	return strings.TrimSuffix(line, "\n")
}

func (p *played) say(t *testing.T, line string) {
	t.Helper()
	_, err := io.WriteString(p.stream, line+"\n")
	testkit.Must(t, err)
}

// The shared process has the host; when it ends the host's own process knows what the host waits for, and goes on with the next one: what was
// read and not dealt with is not lost either.
func TestDirectGoesOn(t *testing.T) {
	h, first := beginDirect(t)
	exchange := func(line, answer string) {
		t.Helper()
		h.send(line)
		testkit.Equal(t, first.hear(t), line, "what the shared process is sent")
		if answer != "" {
			first.say(t, answer)
			testkit.Equal(t, h.answer(), answer, "what the host gets")
		}
	}
	exchange(strings.ReplaceAll(initialize, "somebody", "nobody"), `{"jsonrpc":"2.0","id":"a","error":{"code":1,"message":"once more"}}`)
	exchange(initialize, hello1)
	exchange(initialized, "")
	exchange(call(1, "read"), result(1))
	first.stream.AfterAnswer("9", func() { t.Error("of no request") })
	exchange(call(2, "edit"), "")
	exchange(call(3, "read"), "")
	exchange("no message", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}`)
	exchange(`[`+call(4, "read")+`,`+call(5, "read")+`]`, "")
	exchange(call(6, "read"), "")
	exchange(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":6}}`, "")
	exchange(call(7, "read"), "")
	answered := false
	first.stream.AfterAnswer("7", func() { answered = true })
	exchange(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`, "")
	first.say(t, result(7)) // which the host does not get
	first.say(t, `{"jsonrpc":"2.0","id":1,"method":"roots/list"}`)
	testkit.Equal(t, h.answer(), `{"jsonrpc":"2.0","id":1,"method":"roots/list"}`, "behind the answer to what was cancelled")
	if !answered {
		t.Error("nobody heard of the answer")
	}
	for i := range 3000 { // more than the memory has at first
		exchange(call(100+i, "read"), result(100+i))
		if i%3 == 0 {
			exchange(initialize, hello1)
			exchange(initialized, "")
		}
	}
	if m := first.stream.(*direct).host.Memory; len(m.Bytes())+m.Room() > 128<<10 {
		t.Errorf("%d bytes are kept for little", len(m.Bytes())+m.Room())
	}
	testkit.Equal(t, h.handed.offer.Memory.Open.Load(), int64(5), "requests without an answer")
	long := call(8, strings.Repeat("long", 100_000))
	go h.send(long)
	testkit.Equal(t, first.hear(t), long, "a long call")

	second := h.backend()
	h.send(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`)
	_, err := io.WriteString(h.sends, "half ")
	testkit.Must(t, err)
	close(first.end)
	testkit.Equal(t, second.hear(t), initialize, "the handshake")
	second.say(t, hello1)
	testkit.Equal(t, second.hear(t), initialized, "its end")
	testkit.Equal(t, h.answer(), `{"jsonrpc":"2.0","id":2,"result":{"became":2,"host":"somebody","arguments":{"x":2}}}`, "the edit")
	for _, want := range []string{call(3, "read"), call(4, "read"), call(5, "read"), long, `{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`} {
		testkit.Equal(t, second.hear(t), want, "what is asked again, and what comes behind it")
	}
	h.send("a line")
	testkit.Equal(t, second.hear(t), "half a line", "a line of which the shared process had a part")
	second.say(t, result(3))
	testkit.Equal(t, h.answer(), result(3), "an answer")
	h.sends.Close()
	if _, err := second.given.ReadString('\n'); err != io.EOF {
		t.Errorf("the backend does not hear of the end: %v", err)
	}
	second.says.Close()
	testkit.Must(t, <-h.ended)
}

// A host that leaves ends its session and its own process, with the last answers.
func TestDirectHostLeaves(t *testing.T) {
	h, first := beginDirect(t)
	for i := range 2 {
		h.send(call(i, "read"))
		first.hear(t)
	}
	h.sends.Close()
	if _, err := first.lines.ReadString('\n'); err != io.EOF {
		t.Errorf("the shared process does not hear of the end: %v", err)
	}
	first.say(t, result(1))
	testkit.Equal(t, h.answer(), result(1), "the last answer")
	close(first.end) // without the other one, which is not asked again
	testkit.Must(t, <-h.ended)

	h, first = beginDirect(t)
	h.deaf()
	if _, err := io.WriteString(first.stream, result(1)+"\n"); err == nil {
		t.Error("a host that has left was told something")
	}
	close(first.end)
	if err := <-h.ended; err == nil {
		t.Error("it ends as if its host had left in order")
	}
}

// When a host's own process ends its session does, at once: the host sees the end of its pipes.
func TestDirectProcessEnds(t *testing.T) {
	h, first := beginDirect(t)
	h.cancel()
	if _, err := first.lines.ReadString('\n'); err != io.EOF {
		t.Errorf("the shared process does not hear of the end: %v", err)
	}
	if _, err := io.WriteString(first.stream, result(1)+"\n"); err == nil {
		t.Error("somebody was told something")
	}
	close(first.end)
	<-h.ended
}

// A host's own process is told whether the shared one was told to end. Behind the end of the session nobody is told anything.
func TestDirectProcessStops(t *testing.T) {
	for _, stops := range []bool{false, true} {
		h, first := beginDirect(t)
		h.send(call(1, "read"))
		first.hear(t)
		if stops {
			first.stream.Stops()
		}
		second := h.backend()
		close(first.end)
		testkit.Equal(t, second.hear(t), call(1, "read"), "the question")
		testkit.Equal(t, h.handed.remote.Stopped(), stops, "whether it was told to end")
		first.stream.Stops()
	}
}

// A line beyond the limit is not kept, and when the shared process ends within it its rest is thrown away.
func TestDirectLineTooLong(t *testing.T) {
	for _, whole := range []bool{false, true} {
		h, first := beginDirect(t)
		h.send(call(1, "read"))
		first.hear(t)
		long := `{"jsonrpc":"2.0","id":2,"method":"` + strings.Repeat("x", 2*maxLine)
		if whole {
			long += "\"}\n"
		}
		sent := make(chan struct{})
		go func() {
			defer close(sent)
			_, _ = io.WriteString(h.sends, long)
		}()
		_, err := io.CopyN(io.Discard, first.lines, int64(len(long)))
		testkit.Must(t, err)
		<-sent
		second := h.backend()
		close(first.end)
		testkit.Equal(t, second.hear(t), call(1, "read"), "the question")
		if !whole {
			h.send(`"}`)
		}
		h.send(call(3, "read"))
		testkit.Equal(t, second.hear(t), call(3, "read"), "what comes behind the long line")
	}
}

// A host that has a part of an answer when the shared process ends gets the end of the line, and the answer of the next process.
func TestDirectTornLine(t *testing.T) {
	h, first := beginDirect(t)
	h.send(call(1, "read"))
	first.hear(t)
	wrote := make(chan error)
	go func() {
		_, err := io.WriteString(first.stream, `{"jsonrpc":"2.0","id":1,"result":"`+strings.Repeat("x", 1<<20)+"\"}\n")
		wrote <- err
	}()
	begin, err := h.answers.Peek(10)
	testkit.Must(t, err)
	testkit.Equal(t, string(begin), `{"jsonrpc"`, "the begin of the answer")
	second := h.backend()
	close(first.end)
	if <-wrote == nil {
		t.Error("a host that does not read got it all")
	}
	if torn := h.answer(); len(torn) > 1<<20 || !strings.HasPrefix(torn, `{"jsonrpc"`) {
		t.Errorf("%d bytes came: %.20s", len(torn), torn)
	}
	testkit.Equal(t, second.hear(t), call(1, "read"), "the question")
	second.say(t, result(1))
	testkit.Equal(t, h.answer(), result(1), "the answer")
}

// playedByProcess has the shared process of TestDirectKilled run in a process of its own, at the place that it names.
const playedByProcess = "LSPI_TEST_PLAYED"

// playForProcess answers all calls, each some time later, until it is killed.
func playForProcess(t *testing.T, dir string) {
	l, err := Listen(Place{dir, "0123456789abcdef"})
	testkit.Must(t, err)
	s := NewServer(ServerOptions{Idle: time.Hour, Log: slog.New(slog.DiscardHandler), Serve: func(_ context.Context, s Stream, _ *Session) {
		lines := bufio.NewReader(s)
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				return
			}
			for _, h := range headsOf([]byte(line)) {
				if h.isCall() {
					go func() {
						time.Sleep(time.Duration(rand.IntN(2000)) * time.Microsecond)
						fmt.Fprintf(s, `{"jsonrpc":"2.0","id":%s,"result":%q}`+"\n", h.ID, strings.Repeat("y", rand.IntN(6000)))
					}()
				}
			}
		}
	}})
	fmt.Fprintln(os.Stderr, "ready")
	_ = s.Run(t.Context(), l)
}

// Whenever the shared process is killed, each request is answered: once, but for the one whose answer was being written.
func TestDirectKilled(t *testing.T) {
	if dir := os.Getenv(playedByProcess); dir != "" {
		playForProcess(t, dir)
		return
	}
	for range 8 {
		p := place(t)
		cmd := exec.Command(os.Args[0], "-test.run", "^TestDirectKilled$")
		cmd.Env = append(os.Environ(), playedByProcess+"="+p.Dir)
		ready, err := cmd.StderrPipe()
		testkit.Must(t, err)
		testkit.Must(t, cmd.Start())
		_, err = bufio.NewReader(ready).ReadString('\n')
		testkit.Must(t, err)
		h := newDirectHost(t, p)
		next := h.backend()
		go func() {
			for range h.answered { // for as long as the program runs
			}
		}()
		go func() {
			for {
				line, err := next.given.ReadString('\n')
				if err != nil {
					return
				}
				for _, head := range headsOf([]byte(line)) {
					if head.isCall() {
						fmt.Fprintf(next.says, `{"jsonrpc":"2.0","id":%s,"result":{}}`+"\n", head.ID)
					}
				}
			}
		}()
		const many = 120
		var all sync.WaitGroup
		all.Go(func() {
			for i := range many {
				h.send(call(i, []string{"read", "edit", strings.Repeat("long", rand.IntN(10_000))}[i%3]))
			}
		})
		all.Go(func() {
			time.Sleep(time.Duration(rand.IntN(15)) * time.Millisecond)
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		})
		got, twice, torn := map[string]int{}, 0, 0
		for len(got) < many {
			line, err := h.answers.ReadBytes('\n')
			testkit.Must(t, err)
			heads := headsOf(line)
			if !json.Valid(line) || len(heads) != 1 {
				torn++
				continue
			}
			if got[string(heads[0].ID)]++; got[string(heads[0].ID)] > 1 {
				twice++
			}
		}
		all.Wait()
		if twice > 1 || torn > 1 {
			t.Errorf("%d answers came twice, and %d lines are torn", twice, torn)
		}
		h.sends.Close()
		next.says.Close()
		<-h.ended
	}
}
