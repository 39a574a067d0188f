package daemon

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"lspi/internal/testkit"
)

func ask(id, method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params)
}

func done(id string) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{}}`, id) }

// replayed are the requests that a backend is sent behind the handshake for what the host has set before; they are
// answered.
func (b *pipeBackend) replayed(t *testing.T, generation, many int) []string {
	t.Helper()
	out, ids := []string{}, []string{}
	for range many {
		line := b.hear(t)
		var m struct {
			ID, Method string
			Params     json.RawMessage
		}
		testkit.Must(t, json.Unmarshal([]byte(line), &m))
		if !strings.HasPrefix(m.ID, reverse(generation)) {
			t.Errorf("%s has an id that a host may have", line)
		}
		out, ids = append(out, m.Method+string(m.Params)), append(ids, m.ID)
	}
	for _, id := range ids {
		b.say(t, done(`"`+id+`"`))
	}
	return out
}

// whatIsSet has a host set many things, by exchange, of which wantSet is in effect at the end.
func whatIsSet(exchange func(line, answer string)) {
	for i, q := range []struct{ method, params string }{
		{"logging/setLevel", `{"level":"error"}`},
		{"resources/subscribe", `{"uri":"a:1"}`},
		{"resources/subscribe", `{"uri":"a:2"}`},
		{"resources/subscribe", `{"uri":"a:3"}`},
		{"logging/setLevel", `{"level":"debug"}`},
		{"resources/unsubscribe", `{"uri":"a:2"}`},
		{"resources/subscribe", `{"uri":"a:4"}`},
		{"resources/subscribe", `{"uri":"a:1"}`},
		{"resources/unsubscribe", `{"uri":"a:5"}`},
		{"resources/subscribe", `{"uri":"a:long` + strings.Repeat("x", maxSetting) + `"}`},
	} {
		id := fmt.Sprint(500 + i)
		exchange(ask(id, q.method, q.params), done(id))
	}
	refusal := func(id string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"no"}}`, id)
	}
	exchange(ask(`"b"`, "logging/setLevel", `{"level":"loud"}`), refusal(`"b"`))
	exchange(ask(`"c"`, "resources/subscribe", `{"uri":"a:6"}`), refusal(`"c"`))
	exchange(ask(`"d"`, "resources/unsubscribe", `{"uri":"a:3"}`), refusal(`"d"`))
	exchange(`[`+ask("600", "resources/unsubscribe", `{"uri":"a:4"}`)+`,`+ask("601", "ping", `{}`)+`]`,
		`[`+done("601")+`,`+done("600")+`]`)
}

var wantSet = []string{`resources/subscribe{"uri":"a:3"}`, `logging/setLevel{"level":"debug"}`,
	`resources/subscribe{"uri":"a:1"}`}

// What the host has set is set in every next backend, behind the handshake and before what it asks, but for what a
// request of the host that has no answer sets anew.
func TestRelaySetsAgain(t *testing.T) {
	r := newRelayed(t)
	b := r.backend()
	exchange := func(line, answer string) {
		t.Helper()
		r.send(line)
		testkit.Equal(t, b.hear(t), line, "what the backend is given")
		b.say(t, answer)
		testkit.Equal(t, r.answer(), answer, "what the host gets")
	}
	exchange(initialize, hello1)
	r.send(initialized)
	b.hear(t)
	whatIsSet(exchange)
	level := ask("700", "logging/setLevel", `{"level":"info"}`)
	r.send(level)
	b.hear(t)
	r.send(call(1, "read"))
	b.hear(t)
	for generation := 2; generation <= 3; generation++ {
		next := r.backend()
		b.die()
		b = next
		testkit.Equal(t, b.hear(t), initialize, "the handshake")
		b.say(t, hello1)
		testkit.Equal(t, b.hear(t), initialized, "its end")
		if generation == 2 {
			want := []string{wantSet[0], wantSet[2]} // and not the level
			testkit.Equal(t, strings.Join(b.replayed(t, generation, len(want)), "\n"), strings.Join(want, "\n"),
				"what is set again")
			testkit.Equal(t, b.hear(t), level, "what the host waits for")
			b.say(t, done("700"))
			testkit.Equal(t, r.answer(), done("700"), "its answer")
			testkit.Equal(t, b.hear(t), call(1, "read"), "the question")
			b.say(t, result(1))
			testkit.Equal(t, r.answer(), result(1), "the answer")
			go r.send(call(2, "read"))
			testkit.Equal(t, b.hear(t), call(2, "read"), "another one")
		}
	}
	want := []string{wantSet[0], wantSet[2], `logging/setLevel{"level":"info"}`}
	testkit.Equal(t, strings.Join(b.replayed(t, 3, len(want)), "\n"), strings.Join(want, "\n"), "what is set again")
	testkit.Equal(t, b.hear(t), call(2, "read"), "the question")
}

// More settings than the bound are not kept, and one that is kept already can still change.
func TestSettingsAreBounded(t *testing.T) {
	s := settings{}
	note := func(of setting) *request {
		q := &request{sets: &of}
		s.answered(q)
		return q
	}
	for i := range 2 * maxSettings {
		note(setting{what: fmt.Sprint(i)})
	}
	testkit.Equal(t, len(s), maxSettings, "settings")
	if later := note(setting{what: "5"}); s["5"] != later {
		t.Error("one that is kept does not change")
	}
	note(setting{what: "6", off: true})
	testkit.Equal(t, len(s), maxSettings-1, "settings behind one that was taken back")
}

// What a backend had this process keep is for the next one, and not for the host.
func TestRelayKeeps(t *testing.T) {
	r := newRelayed(t)
	b := r.backend()
	r.send(initialize)
	b.hear(t)
	for _, line := range []string{`{"lspi_keep":{"n":1}}`, `{"lspi_keep":{"n":2}}`, hello1} {
		b.say(t, line)
	}
	testkit.Equal(t, r.answer(), hello1, "what the host gets")
	testkit.Equal(t, string(<-r.kept), "", "what the first backend begins with")
	for range 2 { // the third one has it, too, though the second one said nothing
		r.send(call(1, "read"))
		b.hear(t)
		next := r.backend()
		b.die()
		testkit.Equal(t, next.hear(t), initialize, "the handshake")
		testkit.Equal(t, string(<-r.kept), `{"n":2}`, "what the next backend begins with")
		next.say(t, hello1)
		next.hear(t)
		next.say(t, result(1))
		testkit.Equal(t, r.answer(), result(1), "the answer")
		b = next
	}
	go func() { // what comes in the very instant of the end counts, and half of a line does not
		_, _ = io.WriteString(b.says, `{"lspi_keep":{"n":3}}`+"\n"+`{"lspi_keep":{"n":4`)
		b.die()
	}()
	next := r.backend()
	r.send(call(2, "read"))
	next.hear(t)
	testkit.Equal(t, string(<-r.kept), `{"n":3}`, "what the last backend begins with")
}
