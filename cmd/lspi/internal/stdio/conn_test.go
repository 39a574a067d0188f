package stdio

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"lspi/internal/jsonline"
	"lspi/internal/testkit"
)

// kept is a stdout that keeps what is written.
type kept struct {
	mu sync.Mutex
	bytes.Buffer
}

func (k *kept) Write(b []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.Buffer.Write(b)
}

func (k *kept) String() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.Buffer.String()
}

func (*kept) Close() error { return nil }

const ping = `{"jsonrpc":"2.0","id":7,"method":"ping"}`

// readAll is what the SDK reads of an input, and what is answered by then.
func readAll(t *testing.T, in string, limit int) (methods []string, answers string, ended error) {
	t.Helper()
	out := &kept{}
	c := NewConn(strings.NewReader(in), out, func(cause error) { ended = cause }, slog.New(slog.DiscardHandler))
	c.maxLine = limit
	conn, err := c.Connect(t.Context())
	testkit.Must(t, err)
	defer conn.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second) // for an end that is not noticed
	defer cancel()
	for {
		m, err := conn.Read(ctx)
		if err != nil {
			return methods, out.String(), ended
		}
		r := m.(*jsonrpc.Request)
		methods = append(methods, r.Method)
		if r.IsCall() {
			testkit.Must(t, conn.Write(t.Context(), &jsonrpc.Response{ID: r.ID, Result: []byte("{}")}))
		}
	}
}

// The end of the input is noticed when the last line, which lacks its end, holds a message, or several.
func TestLastLine(t *testing.T) {
	for _, in := range []string{ping, "[" + ping + "," + strings.Replace(ping, "7", "8", 1) + "]", ping[:9], ""} {
		methods, answers, ended := readAll(t, ping+"\n"+in, 1000)
		if n := 1 + strings.Count(in, "method"); len(methods) != n || !errors.Is(ended, ErrHostLeft) {
			t.Errorf("%q: %q, %s, %v", in, methods, answers, ended)
		}
	}
}

// A host that sends nothing but garbage does not fill the log, and each line of it is answered all the same.
func TestGarbageIsLoggedSomeTimes(t *testing.T) {
	var logged bytes.Buffer
	c := NewConn(strings.NewReader(strings.Repeat("garbage\n[1,2]\n", 40)+ping+"\n"), &kept{}, func(error) {},
		slog.New(slog.NewJSONHandler(&logged, nil)))
	_, err := c.Connect(t.Context())
	testkit.Must(t, err)
	defer c.Close()
	_, err = c.next(t.Context())
	testkit.Must(t, err)
	testkit.Equal(t, c.wrong, 120)
	testkit.Equal(t, strings.Count(logged.String(), "\n"), maxRefusalsLogged+1)
	testkit.Equal(t, strings.Count(logged.String(), "not logged in this session"), 1)
}

// Who passes on for a host waits for every answer: in a batch the one to a cancelled request says that it is that.
func TestCancelledInABatch(t *testing.T) {
	out := &kept{}
	conn := NewConn(strings.NewReader("["+ping+","+
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`+",[]]\n"), out, func(error) {},
		slog.New(slog.DiscardHandler))
	_, err := conn.Connect(t.Context())
	testkit.Must(t, err)
	defer conn.Close()
	m, err := conn.next(t.Context())
	testkit.Must(t, err)
	testkit.Must(t, conn.Write(t.Context(), &jsonrpc.Response{ID: m.(*jsonrpc.Request).ID, Error: context.Canceled}))
	testkit.Equal(t, out.String(),
		`[{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request: a message is a JSON object, not an array"}},`+
			`{"jsonrpc":"2.0","id":7,"error":{"code":-32800,"message":"the host has cancelled this request"}}]`+"\n")
	for err == nil { // what was read and not taken is owed, too: the notification, and the end
		_, err = conn.next(t.Context())
	}
	testkit.Equal(t, fmt.Sprint(len(conn.pending.open), len(conn.pending.gone), conn.pending.owed), "0 0 0")
}

// What the host has cancelled gets no answer, in a batch either; what was answered before, and what nobody asked,
// is not disturbed by that.
func TestQuietWhenCancelled(t *testing.T) {
	cancelled := func(id string) string {
		return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`
	}
	other := strings.Replace(ping, "7", `"8"`, 1)
	for _, c := range []struct{ in, want string }{
		{ping + "\n" + cancelled("7") + "\n" + other, `{"jsonrpc":"2.0","id":"8","result":{}}` + "\n"},
		{ping + "\n" + cancelled(`"7"`) + "\n" + cancelled("9") + "\n" + cancelled("null"),
			`{"jsonrpc":"2.0","id":7,"result":{}}` + "\n"},
		{"[" + ping + "," + cancelled("7") + "," + other + "]", `[{"jsonrpc":"2.0","id":"8","result":{}}]` + "\n"},
		{"[" + ping + "," + cancelled("7") + "]", ""},
	} {
		out := &kept{}
		conn := NewConn(strings.NewReader(c.in+"\n"), out, func(error) {}, slog.New(slog.DiscardHandler))
		conn.QuietWhenCancelled()
		_, err := conn.Connect(t.Context())
		testkit.Must(t, err)
		var calls []jsonrpc.ID
		for len(conn.queue) > 0 || conn.noMore == nil { // all is read before anything is answered, as by the SDK
			m, err := conn.next(t.Context())
			if err != nil {
				break
			}
			if r := m.(*jsonrpc.Request); r.IsCall() {
				calls = append(calls, r.ID)
			}
		}
		for _, id := range calls {
			testkit.Must(t, conn.Write(t.Context(), &jsonrpc.Response{ID: id, Result: []byte("{}")}))
		}
		conn.Drain()
		testkit.Equal(t, out.String(), c.want, c.in)
		testkit.Equal(t, fmt.Sprint(len(conn.pending.open), len(conn.pending.gone), conn.pending.owed), "0 0 0", c.in)
		conn.Close()
	}
}

// A line beyond the limit is answered and skipped, wherever it ends.
func TestLongLine(t *testing.T) {
	for _, length := range []int{101, 64 << 10, 64<<10 + 1, 300_000} {
		long := strings.Repeat("x", length)
		methods, answers, ended := readAll(t, ping+"\n"+long+"\r\n"+ping+"\n"+long, 100)
		if len(methods) != 2 || strings.Count(answers, "limit of 100 bytes") != 2 || !errors.Is(ended, ErrHostLeft) {
			t.Errorf("%d bytes: %q, %s, %v", length, methods, answers, ended)
		}
	}
	if methods, answers, _ := readAll(t, ping+"\n", len(ping)+1); len(methods) != 1 ||
		strings.Contains(answers, "limit") {
		t.Errorf("at the limit: %q, %s", methods, answers)
	}
}

// What is too long is answered by its id when it is a request; a response and a notification never are.
func TestLongLineIsAnsweredByItsID(t *testing.T) {
	long := strings.Repeat("x", 200)
	for _, c := range []struct{ in, id string }{
		{`{"jsonrpc":"2.0","id":12,"method":"tools/call","params":{"id":3,"x":"` + long + `"}}`, `"id":12,`},
		{`{"params":{"id":3,"x":["` + long + `"]},"method":"tools/call","id":"a\",\"b" , "jsonrpc":"2.0"}`,
			`"id":"a\",\"b",`},
		{`{"params":{"x":"\"},\"id\":4` + long + `"},"method":"tools/call","id" : 5}`, `"id":5,`},
		{`{"id":1.5,"method":"m","x":"` + long + `"}`, `"id":1.5,`},
		{`{"id":` + long + `,"method":"m"}`, `"id":null,`},
		{`{"id":{"a":1},"method":"m","x":"` + long + `"}`, `"id":null,`},
		{`[{"id":1,"method":"m"},"` + long + `"]`, `"id":null,`},
		{`{"id":1,"method":"m","params":"` + long, `"id":1,`},
		{long, `"id":null,`},
		{`{"id":1,"result":"` + long + `"}`, ""},
		{`{"method":"notifications/progress","params":"` + long + `"}`, ""},
	} {
		methods, answers, _ := readAll(t, ping+"\n"+c.in+"\n"+ping+"\n", 100)
		if len(methods) != 2 || (c.id == "") != !strings.Contains(answers, "limit of 100 bytes") ||
			!strings.Contains(answers, c.id) || c.id != "" && !strings.Contains(answers, "-32600") {
			t.Errorf("%.60s: %q, %s", c.in, methods, answers)
		}
	}
}

// The id of a request that is not answered yet is not used for another one's refusal.
func TestLongLineWithAnIDInUse(t *testing.T) {
	out := &kept{}
	in := ping + "\n" + `{"id":7,"method":"ping","params":"` + strings.Repeat("x", 200) + `"}` + "\n" +
		ping[:len(ping)-len(`7,"method":"ping"}`)] + `8,"method":"ping"}` + "\n"
	c := NewConn(strings.NewReader(in), out, func(error) {}, slog.New(slog.DiscardHandler))
	c.maxLine = 100
	conn, _ := c.Connect(t.Context())
	defer conn.Close()
	for range 2 {
		if _, err := conn.Read(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	deadline := time.Now().Add(5 * time.Second)
	for !strings.Contains(out.String(), "limit") && time.Now().Before(deadline) {
		runtime.Gosched()
	}
	testkit.Holds(t, out.String(), `"id":null`, out)
}

func TestLongBatch(t *testing.T) {
	batch := func(n int) string { return "[" + strings.Repeat("1,", n-1) + "1]\n" }
	if _, answers, _ := readAll(t, batch(maxBatch+1), jsonline.MaxLine); strings.Count(answers, "-32600") != 1 {
		t.Errorf("answers: %.300s", answers)
	}
	if _, answers, _ := readAll(t, batch(maxBatch), jsonline.MaxLine); strings.Count(answers, "-32600") != maxBatch ||
		strings.Count(answers, "\n") != 1 {
		t.Errorf("answers: %.300s", answers)
	}
}

// What a decoder quotes of a message does not come back without bound, nor does an id.
func TestRefusalIsShort(t *testing.T) {
	for _, in := range []string{
		`{"jsonrpc":2,"id":1,"params":"` + strings.Repeat("x", 10_000) + `"}`,
		`{"jsonrpc":"1.0","id":"` + strings.Repeat("x", 10_000) + `"}`,
		`{"jsonrpc":"2.0","id":` + strings.Repeat("[", 2_000) + strings.Repeat("]", 2_000) + `,"method":"ping"}`,
		strings.Repeat("[", 100_000),
	} {
		methods, answers, _ := readAll(t, in, jsonline.MaxLine)
		if len(methods) > 0 || len(answers) < 50 || len(answers) > 500 {
			t.Errorf("%.40s: %q, %.600s", in, methods, answers)
		}
	}
}

// A connection that is closed ends a read that waits.
func TestCloseEndsRead(t *testing.T) {
	in, w := io.Pipe()
	defer w.Close()
	c := NewConn(in, &kept{}, func(error) {}, slog.New(slog.DiscardHandler))
	conn, _ := c.Connect(t.Context())
	failed := make(chan error)
	go func() {
		_, err := conn.Read(context.Background())
		failed <- err
	}()
	testkit.Must(t, errors.Join(conn.Close(), conn.Close()))
	if err := <-failed; !errors.Is(err, io.EOF) {
		t.Error(err)
	}
}
