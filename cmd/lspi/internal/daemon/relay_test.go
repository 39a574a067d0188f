package daemon

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"lspi/internal/jsonline"
	"lspi/internal/testkit"
)

// pipeBackend is a backend whose other side the test plays.
type pipeBackend struct {
	*io.PipeReader                // what it says
	in             *io.PipeWriter // what it is given
	given          *bufio.Reader
	says           *io.PipeWriter
	hangs          bool
}

func newPipeBackend() *pipeBackend {
	fromHost, in := io.Pipe()
	out, says := io.Pipe()
	return &pipeBackend{PipeReader: out, in: in, given: bufio.NewReader(fromHost), says: says}
}

func (b *pipeBackend) Write(p []byte) (int, error) { return b.in.Write(p) }
func (b *pipeBackend) CloseWrite() error           { return b.in.Close() }
func (b *pipeBackend) Hangs(context.Context) bool  { return b.hangs }
func (b *pipeBackend) End()                        { b.die() }
func (b *pipeBackend) Close() error                { b.in.Close(); return b.PipeReader.Close() }

// die ends it as a kill does.
func (b *pipeBackend) die() {
	b.in.CloseWithError(io.ErrClosedPipe)
	b.says.Close()
}

func (b *pipeBackend) hear(t *testing.T) string {
	t.Helper()
	line, err := b.given.ReadString('\n')
	testkit.Must(t, err)
	return strings.TrimSpace(line)
}

func (b *pipeBackend) say(t *testing.T, line string) {
	t.Helper()
	_, err := io.WriteString(b.says, line+"\n")
	testkit.Must(t, err)
}

// relayed is a relay with its host and backends in the hands of the test.
type relayed struct {
	t        *testing.T
	host     *io.PipeWriter
	answers  *bufio.Reader
	backends chan Backend // that the relay gets next
	ended    chan error
	answered chan string
	kept     chan json.RawMessage // what each backend begins with
}

func newRelayed(t *testing.T) *relayed {
	in, host := io.Pipe()
	answers, out := io.Pipe()
	r := &relayed{t: t, host: host, answers: bufio.NewReader(answers), backends: make(chan Backend, 10),
		ended:    make(chan error, 1),
		answered: make(chan string, 10), kept: make(chan json.RawMessage, 10)}
	relay := NewRelay(RelayOptions{
		Out: out, Quiet: func() {},
		Next: func(ctx context.Context, _ int, kept json.RawMessage) (Backend, error) {
			r.kept <- kept
			select {
			case b := <-r.backends:
				return b, nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		},
		Changes: func(tool string, _ json.RawMessage) bool { return tool == "edit" },
		Became: func(_ context.Context, c Call) json.RawMessage {
			return json.RawMessage(fmt.Sprintf(`{"became":%s,"host":%q,"arguments":%s}`, c.ID, c.Host, c.Arguments))
		},
		Answered: func(id string) { r.answered <- id },
	})
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	go func() { r.ended <- relay.Run(ctx, in) }()
	return r
}

func (r *relayed) backend() *pipeBackend {
	b := newPipeBackend()
	r.backends <- b
	return b
}

func (r *relayed) send(line string) {
	r.t.Helper()
	_, err := io.WriteString(r.host, line+"\n")
	testkit.Must(r.t, err)
}

func (r *relayed) answer() string {
	r.t.Helper()
	line, err := r.answers.ReadString('\n')
	testkit.Must(r.t, err)
	return strings.TrimSpace(line)
}

const (
	initialize  = `{"jsonrpc":"2.0","id":"a","method":"initialize","params":{"clientInfo":{"name":"somebody"}}}`
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	hello1      = `{"jsonrpc":"2.0","id":"a","result":{}}`
)

func call(id int, tool string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":{"x":%d}}}`, id,
		tool, id)
}

func result(id int) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"n":%d}}`, id, id) }

// Messages pass unchanged in both directions, and the host's end is the end.
func TestRelayPassesOn(t *testing.T) {
	r := newRelayed(t)
	b := r.backend()
	for _, line := range []string{initialize, initialized, call(1, "edit"), `no message`, `[` + call(5, "read") + `]`,
		"{\"id\": \"1\\u0031\",\t\"method\":\"x\"}"} {
		r.send(line)
		testkit.Equal(t, b.hear(t), line, "what the backend is given")
	}
	for _, line := range []string{hello1, result(1), `{"jsonrpc":"2.0","id":7,"method":"roots/list"}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{}}`} {
		b.say(t, line)
		testkit.Equal(t, r.answer(), line, "what the host gets")
	}
	testkit.Equal(t, <-r.answered, "1", "the edit that was answered")
	testkit.Must(t, r.host.Close())
	if _, err := b.given.ReadString('\n'); !errors.Is(err, io.EOF) {
		t.Errorf("the backend does not hear of the end: %v", err)
	}
	b.say(t, result(9)) // the last answer
	testkit.Equal(t, r.answer(), result(9), "the last answer")
	b.says.Close()
	testkit.Must(t, <-r.ended)
}

// When a backend dies the next one is shaken hands with, is asked what was only read, and an edit is answered by
// what became of it.
func TestRelayGoesOn(t *testing.T) {
	r := newRelayed(t)
	first := r.backend()
	r.send(initialize)
	first.hear(t)
	first.say(t, hello1)
	testkit.Equal(t, r.answer(), hello1, "the first handshake")
	r.send(initialized)
	first.hear(t)
	for i, tool := range []string{"read", "edit", "read", "read"} {
		r.send(call(i+1, tool))
		first.hear(t)
	}
	first.say(t, result(1))
	testkit.Equal(t, r.answer(), result(1), "an answer")
	r.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":4}}`)
	first.hear(t)
	r.send(call(5, "read"))
	first.hear(t)
	r.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}`)
	first.hear(t)
	first.say(t, result(5))                                        // which the host does not get
	first.say(t, `{"jsonrpc":"2.0","id":1,"method":"roots/list"}`) // the host answers it late
	testkit.Equal(t, r.answer(), `{"jsonrpc":"2.0","id":1,"method":"roots/list"}`,
		"behind the answer to what was cancelled")
	second := r.backend()
	first.die()
	testkit.Equal(t, second.hear(t), initialize, "the second handshake")
	second.say(t, hello1) // which the host does not get again
	testkit.Equal(t, second.hear(t), initialized, "its end")
	testkit.Equal(t, r.answer(),
		`{"jsonrpc":"2.0","id":2,"result":{"became":2,"host":"somebody","arguments":{"x":2}}}`, "the edit")
	testkit.Equal(t, second.hear(t), call(3, "read"), "the read")
	second.say(t, result(3))
	testkit.Equal(t, r.answer(), result(3), "its answer")
	// The host's answer to the first backend's request is not for the second one, whose own has the same number.
	r.send(`{"jsonrpc":"2.0","id":1,"result":{"roots":["old"]}}`)
	second.say(t, `{"jsonrpc":"2.0","id":1,"method":"roots/list"}`)
	var asked struct{ ID string }
	testkit.Must(t, json.Unmarshal([]byte(r.answer()), &asked))
	r.send(`{"jsonrpc":"2.0","id":"` + asked.ID + `","result":{"roots":["new"]}}`)
	var given struct {
		ID     int
		Result struct{ Roots []string }
	}
	testkit.Must(t, json.Unmarshal([]byte(second.hear(t)), &given))
	if given.ID != 1 || len(given.Result.Roots) != 1 || given.Result.Roots[0] != "new" {
		t.Errorf("the second backend is told %+v", given)
	}
}

// An answer may write the id of its request in another way. What is answered, cancelled or refused is not asked again.
func TestIDsWrittenOtherwise(t *testing.T) {
	r := newRelayed(t)
	first := r.backend()
	give := func(b *pipeBackend, line string) {
		r.send(line)
		b.hear(t)
	}
	for given, answered := range map[string]string{`"a\/b"`: `"a/b"`, `"<\u0061>"`: `"<a>"`, `"é"`: `"\u00e9"`,
		`1.0`: `1`, `-0`: `0`, `1e2`: `100`, `"1"`: `"1"`} {
		give(first, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"ping"}`, given))
		first.say(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{}}`, answered))
		r.answer()
	}
	for _, id := range []string{`"a\/b"`, "2.0"} {
		give(first, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"ping"}`, id))
		give(first, fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s}}`, id))
	}
	// which is refused without its id
	for _, id := range []string{"true", "{}", "[1]", "null", `"` + strings.Repeat("x", jsonline.MaxID) + `"`} {
		give(first, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"ping"}`, id))
	}
	give(first, call(3, "read"))
	give(first, call(3, "read")) // refused likewise
	give(first, strings.Replace(call(5, "edit"), `"id":5`, `"id":5.0`, 1))
	second := r.backend()
	first.die()
	testkit.Equal(t, second.hear(t), call(3, "read"), "what is not answered and not cancelled")
	testkit.Equal(t, r.answer(), `{"jsonrpc":"2.0","id":5,"result":{"became":5,"host":"","arguments":{"x":5}}}`,
		"the edit, by the id that its journal has")
	give(second, `{"jsonrpc":"2.0","id":"a\/b","method":"ping"}`)
	second.say(t, `{"jsonrpc":"2.0","id":"a/b","result":{}}`)
	r.answer()
	second.say(t, result(3))
	r.answer()
	second.die()
	third := r.backend()
	r.send(call(4, "read"))
	testkit.Equal(t, third.hear(t), call(4, "read"), "what is not answered")
}

// A process that is killed while it writes an answer leaves a part of the line: the host gets whole lines, and the
// answer of the next process.
func TestRelayTornLine(t *testing.T) {
	long := `{"jsonrpc":"2.0","id":1,"result":"` + strings.Repeat("x", jsonline.MaxLine) // passed on in pieces
	for _, c := range []struct{ part, torn string }{{result(1)[:30], ""}, {strings.TrimSuffix(result(1), "}"), ""},
		{long, long}} {
		r := newRelayed(t)
		first := r.backend()
		r.send(call(1, "read"))
		first.hear(t)
		go func() {
			_, _ = io.WriteString(first.says, c.part)
			first.die()
		}()
		if c.torn != "" && r.answer() != c.torn {
			t.Error("what was passed on already is no line")
		}
		second := r.backend()
		testkit.Equal(t, second.hear(t), call(1, "read"), "the question")
		second.say(t, result(1))
		testkit.Equal(t, r.answer(), result(1), "the answer")
	}
}

// Nothing is started for a host that waits for nothing: the next backend comes with its next message, which is not
// lost.
func TestRelayWaitsForAQuestion(t *testing.T) {
	r := newRelayed(t)
	first := r.backend()
	r.send(call(1, "read"))
	first.hear(t)
	first.say(t, result(1))
	r.answer()
	first.die()
	second := newPipeBackend()
	r.send(call(2, "read"))
	r.backends <- second
	testkit.Equal(t, second.hear(t), call(2, "read"), "the question")
}

// A request that two backends died of is not given to a third one, and the others go on.
func TestRelayGivesUpOnARequest(t *testing.T) {
	r := newRelayed(t)
	b := r.backend()
	r.send(call(1, "read"))
	b.hear(t)
	for range maxAsked - 1 {
		next := r.backend()
		b.die()
		next.hear(t)
		b = next
	}
	next := r.backend()
	b.die()
	var answer struct {
		ID    int
		Error *responseError
	}
	testkit.Must(t, json.Unmarshal([]byte(r.answer()), &answer))
	if answer.ID != 1 || answer.Error == nil {
		t.Errorf("%+v", answer)
	}
	r.send(call(2, "read"))
	testkit.Equal(t, next.hear(t), call(2, "read"), "the next question")
}

// A backend that hangs is ended while a host waits for it.
func TestRelayEndsWhatHangs(t *testing.T) {
	t.Parallel()
	r := newRelayed(t)
	b := newPipeBackend()
	b.hangs = true
	r.backends <- b
	next := r.backend()
	r.send(call(1, "read"))
	b.hear(t)
	testkit.Equal(t, next.hear(t), call(1, "read"), "the question")
}

// Many requests at once with backends that die all the time: each is answered once, by a result or as an edit.
func TestRelayUnderFire(t *testing.T) {
	in, host := io.Pipe()
	out, hostOut := io.Pipe()
	var mu sync.Mutex
	deaths := 0
	relay := NewRelay(RelayOptions{
		Out: hostOut, Quiet: func() {}, Answered: func(string) {},
		Changes: func(tool string, _ json.RawMessage) bool { return tool == "edit" },
		Became:  func(context.Context, Call) json.RawMessage { return json.RawMessage(`{}`) },
		Next: func(context.Context, int, json.RawMessage) (Backend, error) {
			b := newPipeBackend()
			mu.Lock()
			deaths++
			mortal := deaths < 30
			mu.Unlock()
			go func() {
				for n := 0; ; n++ {
					line, err := b.given.ReadString('\n')
					if err != nil {
						b.says.Close()
						return
					}
					if mortal && n == 7 {
						b.die()
						return
					}
					for _, h := range headsOf([]byte(line)) {
						if h.isCall() {
							fmt.Fprintf(b.says, `{"jsonrpc":"2.0","id":%s,"result":{}}`+"\n", h.ID)
						}
					}
				}
			}()
			return b, nil
		},
	})
	ended := make(chan error, 1)
	go func() { ended <- relay.Run(t.Context(), in) }()
	const many = 300
	go func() {
		for i := range many {
			fmt.Fprintln(host, call(i, []string{"read", "edit"}[i%2]))
		}
	}()
	got := map[string]int{}
	answers := bufio.NewReader(out)
	for range many {
		line, err := answers.ReadString('\n')
		testkit.Must(t, err)
		got[string(headsOf([]byte(line))[0].ID)]++
	}
	for i := range many {
		if n := got[fmt.Sprint(i)]; n != 1 {
			t.Errorf("request %d has %d answers", i, n)
		}
	}
	go func() { _, _ = io.Copy(io.Discard, answers) }()
	testkit.Must(t, host.Close())
	select {
	case err := <-ended:
		testkit.Must(t, err)
	case <-time.After(time.Minute):
		t.Error("it does not end")
	}
}

func TestQuickHead(t *testing.T) {
	for line, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"result":{"id":2}}`:     "1",
		`{"jsonrpc":"2.0","id":"a","result":{}}`:         `"a"`,
		`{"jsonrpc":"2.0","id":"a","error":{}}`:          "",
		`{"jsonrpc":"2.0","id":"a,b","result":{}}`:       "",
		`{"jsonrpc":"2.0","id":"a\"","result":{}}`:       "",
		`{"jsonrpc":"2.0","id":1,"method":"roots/list"}`: "",
		`{"jsonrpc":"2.0","method":"x"}`:                 "",
		`{"jsonrpc":"2.0","id":`:                         "",
	} {
		h, ok := quickHead([]byte(line))
		if ok != (want != "") || string(h.ID) != want {
			t.Errorf("%s: %q, %v", line, h.ID, ok)
		}
	}
}
