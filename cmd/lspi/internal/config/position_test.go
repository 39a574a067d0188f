package config

import (
	"fmt"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
)

// paths lists every key and element of decoded values as locate names them.
func paths(prefix string, value any, visit func(string)) {
	switch v := value.(type) {
	case map[string]any:
		for name, sub := range v {
			path := join(prefix, name)
			visit(path)
			paths(path, sub, visit)
		}
	case []map[string]any:
		for i := range v {
			visit(index(prefix, i))
			paths(index(prefix, i), v[i], visit)
		}
	case []any:
		for i := range v {
			visit(index(prefix, i))
			paths(index(prefix, i), v[i], visit)
		}
	}
}

func TestLocate(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"plain", "a = 1\nb = 2", "a 1:1, b 2:1"},
		{"dotted", "a . b.c = 1", "a 1:1, a.b 1:5, a.b.c 1:7"},
		{"quoted", "\"a.b\" = 1\n'c d' = 2\n\"\\u0065\" = 3", `"a.b" 1:1, "c d" 2:1, e 3:1`},
		{"table", "[ a . b ]\nc = 1", "a 1:3, a.b 1:7, a.b.c 2:1"},
		{"array of tables", "[[a]]\nb = 1\n[[a]]\nb = 2\n[a.c]\nd = 1", "a 1:3, a[0] 1:3, a[0].b 2:1, a[1] 3:3, a[1].b 4:1, a[1].c 5:4, a[1].c.d 6:1"},
		{"nested arrays of tables", "[[a]]\n[[a.b]]\nx=1\n[[a.b]]\nx=2\n[[a]]\n[[a.b]]\nx=3", "a 1:3, a[0] 1:3, a[0].b 2:5, a[0].b[0] 2:5, a[0].b[0].x 3:1, a[0].b[1] 4:5, a[0].b[1].x 5:1, a[1] 6:3, a[1].b 7:5, a[1].b[0] 7:5, a[1].b[0].x 8:1"},
		{"inline", "a = { b = 1, c.d = [ { e = 1 }, 2 ] }", "a 1:1, a.b 1:7, a.c 1:14, a.c.d 1:16, a.c.d[0] 1:22, a.c.d[0].e 1:24, a.c.d[1] 1:33"},
		{"strings that look like keys", "a = \"b = 1\"\nc = \"\"\"\nd = 1\n\"\"\"\"\ne = '''\n[f]\n'''\n# g = 1\nh = 'x' # i = 1", "a 1:1, c 2:1, e 5:1, h 9:1"},
		{"escaped quotes", "a = \"\\\"\\nb = 1\"\nc = \"\\\\\"\nd = \"\"\"\\\"\"\"\"\ne = 1", "a 1:1, c 2:1, d 3:1, e 4:1"},
		{"array over lines", "a = [ # one\n  1, # ]\n  'b = 2',\n]\nc = 1", "a 1:1, a[0] 2:3, a[1] 3:3, c 5:1"},
		{"wide characters", "a = { \"日本\" = 1, b = 2 }", `a 1:1, "日本" 1:7, b 1:17`},
		{"windows line ends", "a = 1\r\n[b]\r\nc = 2020-01-01 07:32:00\r\n", "a 1:1, b 2:2, b.c 3:1"},
		{"values", "a = 2020-01-01 07:32:00Z\nb = -1.5e3\nc = 0xFF\nd = true", "a 1:1, b 2:1, c 3:1, d 4:1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			values := map[string]any{}
			if _, err := toml.Decode(c.text, &values); err != nil {
				t.Fatal(err)
			}
			at := locate(c.text)
			if !at.complete {
				t.Error("the text was not understood")
			}
			for _, want := range strings.Split(c.want, ", ") {
				i := strings.LastIndexByte(want, ' ')
				key := want[:i]
				if c.name == "wide characters" && key != "a" {
					key = "a." + key
				}
				line, column := at.of(key)
				if got := fmt.Sprintf("%d:%d", line, column); got != want[i+1:] {
					t.Errorf("%s is at %s, want %s", key, got, want[i+1:])
				}
			}
			if got, want := len(at.keys), len(strings.Split(c.want, ", ")); got != want {
				t.Errorf("%d keys, want %d: %v", got, want, at.keys)
			}
		})
	}
}

// FuzzLocate: whatever the decoder accepts, every key of it has a place.
func FuzzLocate(f *testing.F) {
	for _, text := range []string{
		"a = 1", "[[a]]\nb.c = {d = [1, {e = 2}]}\n[a.f]\n\"g\\\"\" = '''\n'''''", "a = \"\"\"\\\n\"\"\"", "a={}\nb=[]", "\"\"=1", "a=[[[]]]", "\\", "\"\\", "a=\"\"\"\"\"\"\"",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		at := locate(text)
		for key := range at.keys {
			at.of(key)
		}
		if at.tooLong >= 0 {
			return
		}
		values := map[string]any{}
		if strings.HasPrefix(text, "\ufeff") || strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff") {
			return
		}
		if _, err := toml.Decode(text, &values); err != nil {
			return
		}
		if !at.complete {
			t.Fatalf("not understood: %q", text)
		}
		paths("", values, func(path string) {
			if _, ok := at.keys[path]; !ok {
				t.Fatalf("%s has no place in %q: %v", path, text, at.keys)
			}
		})
	})
}
