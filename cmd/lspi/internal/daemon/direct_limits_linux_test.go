package daemon

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"lspi/internal/testkit"
)

// What the shared process has read behind a line beyond the limit, and not dealt with, is not thrown away with that line.
func TestDirectBehindLongLine(t *testing.T) {
	h, first := beginDirect(t)
	h.send(call(1, "read"))
	first.hear(t)
	const long = 2*maxLine + 100_000
	go io.WriteString(h.sends, strings.Repeat("x", long))
	_, err := io.CopyN(io.Discard, first.lines, long)
	testkit.Must(t, err)
	h.send(strings.Repeat("x", 5000) + "\n" + call(2, "read"))
	_, err = first.stream.Read(make([]byte, 10)) // all of it is in the memory now
	testkit.Must(t, err)
	second := h.backend()
	close(first.end)
	testkit.Equal(t, second.hear(t), call(1, "read"), "the question")
	h.send(call(3, "read"))
	h.send(call(4, "read"))
	testkit.Equal(t, second.hear(t), call(2, "read"), "what comes behind the long line")
	testkit.Equal(t, second.hear(t), call(3, "read"), "what comes then")
}

// A process that is killed right behind the mark that ends a line leaves lines all the same.
func TestDirectMarkAndNoted(t *testing.T) {
	h, first := beginDirect(t)
	d := first.stream.(*direct)
	h.send(initialized)
	m := d.host.Memory
	_, err := m.Fill(d.host.In)
	testkit.Must(t, err)
	d.mu.Lock()
	d.note(len(m.Bytes()))
	d.mu.Unlock()
	noted, behind, err := m.Rest()
	testkit.Must(t, err)
	testkit.Equal(t, len(noted), len(initialized)+1, "bytes that are dealt with")
	testkit.Equal(t, string(behind), "", "what is behind them")
	close(first.end)
}

// The host may use an id again as soon as it has the answer: the next request is known, too.
func TestDirectIDUsedAgain(t *testing.T) {
	h, first := beginDirect(t)
	d := first.stream.(*direct)
	h.send(call(1, "read"))
	for range 500 {
		first.hear(t)
		said := make(chan struct{})
		go func() {
			defer close(said)
			first.say(t, result(1))
		}()
		testkit.Equal(t, h.answer(), result(1), "the answer")
		h.send(call(1, "read"))
		_, err := first.lines.Peek(1) // it was read
		testkit.Must(t, err)
		<-said
		d.mu.Lock()
		open := d.open["1"] != nil
		d.mu.Unlock()
		if !open || d.host.Memory.Open.Load() != 1 {
			t.Fatalf("the second request with the same id is not known: %d are open", d.host.Memory.Open.Load())
		}
	}
	close(first.end)
}

// An answer may write the id of its request in another way.
func TestIDsWrittenOtherwise(t *testing.T) {
	h, first := beginDirect(t)
	for given, answered := range map[string]string{`"a\/b"`: `"a/b"`, `"<\u0061>"`: `"<a>"`, `"é"`: `"\u00e9"`, `1.0`: `1`, `-0`: `0`, `1e2`: `100`, `"1"`: `"1"`} {
		h.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"ping"}`, given))
		first.hear(t)
		first.say(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{}}`, answered))
		h.answer()
		if n := first.stream.(*direct).host.Memory.Open.Load(); n != 0 {
			t.Errorf("%s is open when %s was answered", given, answered)
		}
	}
	for _, id := range []string{`"a\/b"`, "2.0"} {
		h.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"ping"}`, id))
		first.hear(t)
		h.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s}}`, id))
		first.hear(t)
	}
	for _, id := range []string{"true", "{}", "[1]", "null", `"` + strings.Repeat("x", maxID) + `"`} { // which is refused without its id
		h.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"ping"}`, id))
		first.hear(t)
	}
	second := h.backend()
	h.send(call(3, "read"))
	first.hear(t)
	h.send(call(3, "read")) // refused likewise
	first.hear(t)
	h.send(strings.Replace(call(5, "edit"), `"id":5`, `"id":5.0`, 1))
	first.hear(t)
	close(first.end)
	testkit.Equal(t, second.hear(t), call(3, "read"), "what is not answered and not cancelled")
	testkit.Equal(t, h.answer(), `{"jsonrpc":"2.0","id":5,"result":{"became":5,"host":"","arguments":{"x":5}}}`, "the edit, by the id that its journal has")
	h.send(`{"jsonrpc":"2.0","id":"a\/b","method":"ping"}`)
	second.hear(t)
	second.say(t, `{"jsonrpc":"2.0","id":"a/b","result":{}}`)
	h.answer()
	second.say(t, result(3))
	h.answer()
	second.die()
	third := h.backend()
	h.send(call(4, "read"))
	testkit.Equal(t, third.hear(t), call(4, "read"), "what is not answered")
}

// A host on sockets that is killed with answers unread has left.
func TestDirectSocketHostDies(t *testing.T) {
	p := place(t)
	sessions := plays(t, p)
	pair := func() (one, two *os.File) {
		fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		testkit.Must(t, err)
		return os.NewFile(uintptr(fds[0]), "one"), os.NewFile(uintptr(fds[1]), "two")
	}
	own, hosts := pair() // one socket in both directions
	defer own.Close()
	handed := Hand(own, own)
	hi := hello(p)
	hi.Direct = true
	c, _, err := Dial(t.Context(), p, hi)
	testkit.Must(t, err)
	if ok, err := handed.Give(&Remote{Conn: c, Hello: hi}); !ok {
		t.Fatalf("the host was not taken: %v", err)
	}
	h := relayedOf(t, own, own, io.NopCloser(strings.NewReader("")), handed)
	first := <-sessions
	_, err = io.WriteString(hosts, call(1, "read")+"\n"+call(2, "read")+"\n")
	testkit.Must(t, err)
	first.hear(t)
	first.hear(t)
	first.say(t, result(1))
	hosts.Close()
	_, err = first.lines.ReadString('\n')
	if err == nil {
		t.Error("the shared process does not hear of the end")
	}
	close(first.end)
	select {
	case err := <-h.ended:
		testkit.Must(t, err)
	case <-time.After(5 * time.Second):
		t.Error("the host's process goes on without its host")
	}
}

// A long message does not cost its memory for as long as the host is there.
func TestDirectShrinks(t *testing.T) {
	h, first := beginDirect(t)
	long := call(1, strings.Repeat("long", 2<<20))
	go h.send(long)
	first.hear(t)
	first.say(t, result(1))
	h.answer()
	for i := range 10 {
		h.send(call(2+i, "read"))
		first.hear(t)
		first.say(t, result(2+i))
		h.answer()
	}
	m := first.stream.(*direct).host.Memory
	if n := len(m.Bytes()) + m.Room(); n > 1<<20 {
		t.Errorf("the session has %d bytes", n)
	}
	close(first.end)
}

// Of the cancellations of one request one is kept.
func TestDirectCancelledOften(t *testing.T) {
	h, first := beginDirect(t)
	h.send(call(1, "read"))
	first.hear(t)
	needed := 0
	for i := range 3 {
		h.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
		first.hear(t)
		if i == 0 {
			needed = first.stream.(*direct).needed
		}
	}
	testkit.Equal(t, first.stream.(*direct).needed, needed, "bytes that are kept")
	close(first.end)
}

// Many requests without an answer are copied seldom.
func TestDirectManyOpen(t *testing.T) {
	h, first := beginDirect(t)
	const many = 5000
	go func() {
		for i := range many {
			fmt.Fprintln(h.sends, call(i, strings.Repeat("tool", 250)))
		}
	}()
	m := first.stream.(*direct).host.Memory
	moves, size := 0, 0
	for range many {
		first.hear(t)
		if now := len(m.Bytes()) + m.Room(); now != size {
			moves, size = moves+1, now
		}
	}
	if moves > 15 {
		t.Errorf("they were copied %d times", moves)
	}
	close(first.end)
}

// A process that hangs is killed, and its host is left alone until it has really ended.
func TestDirectEndsWhatHangs(t *testing.T) {
	for _, heard := range []bool{true, false} { // before it hangs
		t.Run(fmt.Sprintf("heard %v", heard), func(t *testing.T) {
			t.Parallel()
			endsWhatHangs(t, heard)
		})
	}
}

func endsWhatHangs(t *testing.T, heard bool) {
	deaf := place(t)
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: deaf.Socket(), Net: "unix"}) // which answers no ping
	testkit.Must(t, err)
	defer l.Close()
	process := exec.Command("sleep", "1000")
	testkit.Must(t, process.Start())
	defer process.Process.Kill()
	h, first := beginDirect(t, func(r *Remote) { r.Place, r.Peer = deaf, process.Process.Pid })
	h.send(call(1, "read"))
	if heard {
		first.hear(t)
	}
	_ = process.Wait() // it was killed; what it does before it has ended is still to be reckoned with
	if !heard {
		testkit.Equal(t, first.hear(t), call(1, "read"), "what nobody had read")
	}
	time.Sleep(50 * time.Millisecond)
	second := h.backend()
	h.send(call(2, "read"))
	testkit.Equal(t, first.hear(t), call(2, "read"), "what the process hears that has not ended")
	close(first.end)
	testkit.Equal(t, second.hear(t), call(1, "read"), "the first question")
	testkit.Equal(t, second.hear(t), call(2, "read"), "the second question")
}

// The process of a host that reads nothing ends when it has to, also with a part of a line that the shared process left.
func TestDirectDeafHost(t *testing.T) {
	h, first := beginDirect(t)
	h.send(call(1, "read"))
	first.hear(t)
	testkit.Must(t, first.stream.SetWriteDeadline(time.Now().Add(50*time.Millisecond)))
	if _, err := io.WriteString(first.stream, strings.Repeat("x", 1<<20)+"\n"); err == nil {
		t.Error("a host that does not read was told something long")
	}
	close(first.end)
	time.Sleep(300 * time.Millisecond)
	h.cancel()
	select {
	case <-h.ended:
	case <-time.After(5 * time.Second):
		t.Error("it does not end")
	}
}
