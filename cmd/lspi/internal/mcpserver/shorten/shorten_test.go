package shorten

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"lspi/internal/testkit"
)

func list(n int, item string) string {
	return "[" + strings.TrimSuffix(strings.Repeat(item+",", n), ",") + "]"
}

func TestTake(t *testing.T) {
	long := strings.Repeat("ö", 5000)
	for name, c := range map[string]struct {
		raw, schema string
		over        int
		want        string // of the cut
		left        string // what the value begins with
	}{
		"the longest list": {`{"n": 1, "a": ` + list(50, `"abc"`) + `, "b": [1,2]}`, ``, 100,
			`{a true 33 50}`, `{"n": 1, "a": ["abc","abc"`},
		"a list in an object": {`{"r":{"a":` + list(50, `{"x":1}`) + `}}`, ``, 80, `{r.a true 40 50}`,
			`{"r":{"a":[{"x":1},`},
		"one item keeps all":   {`{"a":["` + long + `"]}`, ``, 1000, `{a.0 false 4000 5000}`, `{"a":["öö`},
		"an item that is most": {`{"a":["` + long + `","x"]}`, ``, 1000, `{a.0 false 4000 5000}`, `{"a":["öö`},
		"a text": {`{"content":"` + long + `","n":12345678901234567890}`, ``, 4500,
			`{content false 500 5000}`, `{"content":"öö`},
		"a list that has a minimum": {`{"a":` + list(50, `"abc"`) + `,"b":` + list(20, "7") + `}`,
			`{"properties":{"a":{"minItems":50}}}`, 9, `{b true 15 20}`, `{"a":["abc"`},
		"a schema that nothing is": {`{"a":` + list(50, `"abc"`) + `}`, `{"properties":{"a":{"minItems":51}}}`, 100,
			`{a true 33 50}`, `{"a":["abc"`},
		"a list at the top": {list(50, `"abc"`), ``, 100, `{ true 33 50}`, `["abc"`},
	} {
		v := New([]byte(c.raw), json.RawMessage(c.schema))
		ok := v.Take(c.over)
		if got := strings.Trim(fmt.Sprint(v.Cuts()), "[]"); !ok || got != c.want || !json.Valid(v.Raw) ||
			!strings.HasPrefix(string(v.Raw), c.left) {
			t.Errorf("%s: %s, %.100s", name, got, v.Raw)
		}
	}
	for _, raw := range []string{``, `{`, `{"a":1}`, `{"a":[{"b":"short"}]}`, `"short"`, `null`} {
		if v := New([]byte(raw), nil); v.Take(10) {
			t.Errorf("%s: %v", raw, v.Cuts())
		}
	}
}

func TestWith(t *testing.T) {
	for _, c := range []struct{ raw, schema, want string }{
		{`{"a":1}`, ``, `{"a":1,"note":"x"}`},
		{`{ }`, ``, `{ "note":"x"}`},
		{`{"a":1}`, `{"additionalProperties":false,"properties":{"a":{}}}`, ""},
		{`{"note":1}`, ``, ""},
		{`[1]`, ``, ""},
	} {
		got, ok := New([]byte(c.raw), json.RawMessage(c.schema)).With("note", "x")
		if !ok {
			got = nil
		}
		testkit.Equal(t, string(got), c.want, c.raw)
	}
}

// Whatever the value, it is cut to the end, stays JSON, and satisfies its schema all the time.
func TestTakeAll(t *testing.T) {
	const schema = `{"type":"object","additionalProperties":{"anyOf":[{"type":"string"},{"type":"number"},{"type":"array","minItems":2},{"type":"object"}]}}`
	r := rand.New(rand.NewPCG(1, 2))
	var value func(depth int) any
	value = func(depth int) any {
		switch n := r.IntN(5); {
		case n == 0 || depth == 0:
			return strings.Repeat("x\n\"é", r.IntN(300))
		case n == 1:
			return r.IntN(1000)
		case n == 2:
			out := map[string]any{}
			for i := range r.IntN(4) {
				out[fmt.Sprint("m", i)] = value(depth - 1)
			}
			return out
		}
		out := []any{1, 2}
		for range r.IntN(6) {
			out = append(out, value(depth-1))
		}
		return out
	}
	for range 50 {
		raw, err := json.Marshal(map[string]any{"a": value(3), "b": value(3)})
		testkit.Must(t, err)
		v := New(raw, json.RawMessage(schema))
		if v.schema == nil {
			t.Fatalf("the schema does not count: %s", raw)
		}
		for steps := 0; ; steps++ {
			before := len(v.Raw)
			if !v.Take(200 + before/10) {
				break
			}
			if len(v.Raw) >= before || !v.valid(v.Raw) || steps > 10_000 {
				t.Fatalf("step %d: %d bytes, then %s", steps, before, v.Raw)
			}
		}
	}
}

// However many members take part in the size, few readings of all of it are enough.
func TestTakeFromMany(t *testing.T) {
	for name, c := range map[string]struct {
		members int
		schema  string
		cuts    int
	}{
		"no schema":                      {10_000, ``, 10_000},
		"one member that is not cut":     {1_000, `{"properties":{"key7":{"maxLength":400,"minLength":400}}}`, 999},
		"a schema that lets nothing out": {2_000, `{"additionalProperties":{"pattern":"^x*$"}}`, 0},
	} {
		members := map[string]string{}
		for i := range c.members {
			members[fmt.Sprint("key", i)] = strings.Repeat("x", 400)
		}
		raw, err := json.Marshal(members)
		testkit.Must(t, err)
		v := New(raw, json.RawMessage(c.schema))
		for v.Take(len(v.Raw)) {
		}
		if got := len(v.Cuts()); got != c.cuts || v.read > maxRead+len(raw) || !v.valid(v.Raw) {
			t.Errorf("%s: %d cuts, %d bytes read", name, got, v.read)
		}
	}
}

// Small values are no nodes: of a list of millions of numbers each would take ten times its text.
func TestSmallValuesAreNoNodes(t *testing.T) {
	root, err := parse([]byte(`{"n":` + list(1000, "1") + `,"o":` + list(1000, `{"a":[1,2,3]}`) + `,"s":` +
		list(100, `"`+strings.Repeat("x", minText)+`"`) + `}`))
	testkit.Must(t, err)
	if len(root.children) != 3 {
		t.Fatalf("%d nodes at the top", len(root.children))
	}
	for _, n := range root.children {
		if len(n.children) > 0 || len(n.ends) < 100 {
			t.Errorf("%s: %d items, %d nodes", n.place(), len(n.ends), len(n.children))
		}
	}
}
