package config

import (
	"fmt"
	"lspi/internal/testkit"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
)

func TestLocate(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"plain", "a = 1\nb = 2", "a 1:1, b 2:1"},
		{"indented", "[a]\n  b = 1\n\tc=2", "a 1:2, a.b 2:3, a.c 3:2"},
		{"dotted", "a . b.c = 1", "a 1:1, a.b 1:5, a.b.c 1:7"},
		{"quoted", "\"a.b\" = 1\n'c d' = 2\n\"\\u0065\" = 3", `"a.b" 1:1, "c d" 2:1, e 3:1`},
		{"table", "[ a . b ]\nc = 1", "a 1:3, a.b 1:7, a.b.c 2:1"},
		{"array of tables", "[[a]]\nb = 1\n[[a]]\nb = 2\n[a.c]\nd = 1", "a 1:3, a[0] 1:3, a[0].b 2:1, a[1] 3:3, a[1].b 4:1, a[1].c 5:4, a[1].c.d 6:1"},
		{"nested arrays of tables", "[[a]]\n[[a.b]]\nx=1\n[[a.b]]\nx=2\n[[a]]\n[[a.b]]\nx=3", "a[0].b[0].x 3:1, a[0].b[1] 4:5, a[0].b[1].x 5:1, a[1] 6:3, a[1].b[0] 7:5, a[1].b[0].x 8:1"},
		{"inside of a line", "x = 1\na = { b = 1, c.d = [ { e = 1 }, 2 ] }", "a 2:1, a.b 2:1, a.c.d[0].e 2:1"},
		{"inside of an array", "[t]\na = [ # one\n  1, # ]\n  'b = 2',\n]\nc = 1", "t.a 2:1, t.a[1] 2:1, t.c 6:1"},
		{"strings that look like keys", "a = \"b = 1\"\nc = \"\"\"\nd = 1\n\"\"\"\"\ne = '''\n[f]\n'''\n# g = 1 '''\nh = 'x' # i = 1", "a 1:1, c 2:1, d 0:0, e 5:1, f 0:0, g 0:0, h 9:1"},
		{"wide characters", "\"日本\".a = 1", `"日本" 1:1, "日本".a 1:6`},
		{"windows line ends", "a = 1\r\n[b]\r\nc = 2020-01-01 07:32:00\r\n", "a 1:1, b 2:2, b.c 3:1"},
		{"no key", "a = 1", "b 0:0, b[0].c 0:0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := toml.Decode(c.text, &map[string]any{}); err != nil {
				t.Fatal(err)
			}
			keys := locate(c.text)
			for _, want := range strings.Split(c.want, ", ") {
				i := strings.LastIndexByte(want, ' ')
				at := keys.of(want[:i])
				testkit.Equal(t, fmt.Sprintf("%d:%d", at.line, at.column), want[i+1:], want[:i], "is at")
			}
		})
	}
}
