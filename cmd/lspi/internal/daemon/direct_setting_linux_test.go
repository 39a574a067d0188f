package daemon

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"lspi/internal/testkit"
)

// What the host has set in the shared process, and what that had the host's own process keep, is there in the next process.
func TestDirectSetsAgain(t *testing.T) {
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
	exchange(initialize, hello1)
	exchange(initialized, "")
	whatIsSet(exchange)
	for i := range 3000 { // the memory is moved, and does not grow
		id := fmt.Sprint(1000 + i)
		params := fmt.Sprintf(`{"uri":"b:%d"}`, i)
		exchange(ask(id, "resources/subscribe", params), done(id))
		exchange(ask(id, "resources/unsubscribe", params), done(id))
		exchange(ask(id, "logging/setLevel", `{"level":"debug"}`), done(id))
	}
	if m := first.stream.(*direct).host.Memory; len(m.Bytes())+m.Room() > 128<<10 {
		t.Errorf("%d bytes are kept for little", len(m.Bytes())+m.Room())
	}
	exchange(call(1, "read"), "")
	level := ask("700", "logging/setLevel", `{"level":"info"}`)
	exchange(level, "")
	for i := range 3 {
		first.stream.Keep(func() json.RawMessage { return json.RawMessage(fmt.Sprintf(`{"n":%d}`, i)) })
	}
	second := h.backend()
	close(first.end)
	testkit.Equal(t, second.hear(t), initialize, "the handshake")
	testkit.Equal(t, string(<-h.kept), `{"n":2}`, "what the next process begins with")
	second.say(t, hello1)
	testkit.Equal(t, second.hear(t), initialized, "its end")
	want := []string{wantSet[0], wantSet[2], wantSet[1]} // the level was set last
	testkit.Equal(t, strings.Join(second.replayed(t, 2, len(want)), "\n"), strings.Join(want, "\n"), "what is set again")
	testkit.Equal(t, second.hear(t), call(1, "read"), "the question")
	testkit.Equal(t, second.hear(t), level, "what the host waits for")
}

// A process that is killed has had kept what it said before.
func TestDirectKeepsOfKilled(t *testing.T) {
	h, first := beginDirect(t)
	h.send(call(1, "read"))
	first.hear(t)
	first.stream.Keep(func() json.RawMessage { return json.RawMessage(`{"n":1}`) })
	d := first.stream.(*direct)
	_, err := io.WriteString(d.conn, `{"lspi_keep":{"n":2`)
	testkit.Must(t, err)
	testkit.Must(t, d.conn.Close()) // as the system does
	second := h.backend()
	testkit.Equal(t, second.hear(t), call(1, "read"), "the question")
	testkit.Equal(t, string(<-h.kept), `{"n":1}`, "what the next process begins with")
	close(first.end)
}

// A session whose host reads nothing holds nobody up who keeps something for it, and the last that was kept counts.
func TestKeepWaitsNotForGood(t *testing.T) {
	p := place(t)
	sessions := plays(t, p)
	c, _, err := Dial(t.Context(), p, hello(p))
	testkit.Must(t, err)
	defer c.Close()
	first := <-sessions
	long := make(chan struct{})
	go func() {
		defer close(long)
		_, _ = io.WriteString(first.stream, `{"jsonrpc":"2.0","id":1,"result":"`+strings.Repeat("x", 4<<20)+"\"}\n")
	}()
	_, err = c.in.Peek(10)
	testkit.Must(t, err)
	for i := range 2 {
		first.stream.Keep(func() json.RawMessage { return json.RawMessage(fmt.Sprint(i)) })
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
	close(first.end)
}
