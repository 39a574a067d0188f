package config

import (
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/BurntSushi/toml"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"lspi/contract"
	"lspi/internal/testkit"
	"lspi/lsp/servers"
)

const examplePath = "../../../../lspi.toml.example"

// uncommented sets the keys that the example only shows: lines that begin with # and no space.
func uncommented(text string) string {
	return regexp.MustCompile(`(?m)^#(\[|[a-z_]+ = )`).ReplaceAllString(text, "$1")
}

func example(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(examplePath)
	testkit.Must(t, err)
	return string(text)
}

// TestExampleIsTheDefaults: the example as it is changes nothing, without a finding, trusted or not.
func TestExampleIsTheDefaults(t *testing.T) {
	same := []cmp.Option{cmpopts.IgnoreUnexported(Config{}), cmpopts.IgnoreFields(Config{}, "Sources")}
	for _, where := range []string{"user", "workspace"} {
		w := newWorld(t)
		want := w.sound()
		if where == "user" {
			w.user(example(t))
		} else {
			w.repo(example(t))
		}
		if diff := cmp.Diff(want, w.sound(), same...); diff != "" {
			t.Errorf("%s: %s", where, diff)
		}
	}
}

// TestExampleIsSound: with everything that it shows switched on, the example has no finding.
func TestExampleIsSound(t *testing.T) {
	w := newWorld(t)
	w.ConfigFlag = w.write(w.workspace+"/all.toml", uncommented(example(t)))
	w.env["GITHUB_TOKEN"], w.env["LSPI_TOKEN"] = "x", "y"
	c := w.sound()
	testkit.Equal(t, len(c.Configured), 1)
	testkit.Equal(t, len(c.MCPServers), 2)
	testkit.Equal(t, c.Preset.Name, "review")
}

// TestExampleHasEveryKey and default of the table, and nothing else.
func TestExampleHasEveryKey(t *testing.T) {
	text := uncommented(example(t))
	at := locate(text)
	for _, k := range KeyTable() {
		path := strings.Replace(k.Key, "servers[]", "servers[0]", 1)
		named := strings.Contains(k.Key, ".NAME")
		if named {
			path = anyNamed(at, k.Key)
		}
		line := at.of(path).line
		if _, there := at[path]; !there {
			t.Errorf("%s is missing in the example", k.Key)
			continue
		}
		written := strings.Split(text, "\n")[line-1]
		_, value, _ := strings.Cut(written, " = ")
		commented := strings.Split(example(t), "\n")[line-1] == "#"+written
		switch {
		case strings.HasPrefix(k.Key, "servers[]"), named:
			if !commented && k.Key != "tools.NAME" {
				t.Errorf("%s is set in the example, so a copy of it would configure a server", k.Key)
			}
			if k.Default != "" && k.Default != "{}" && !named && value != k.Default {
				t.Errorf("%s: %s in the example, %s in the table", k.Key, value, k.Default)
			}
		case k.Default == "" && !commented:
			t.Errorf("%s has no default, but is set in the example", k.Key)
		case k.Default != "" && (commented || value != k.Default):
			t.Errorf("%s: %q in the example, %s in the table", k.Key, written, k.Default)
		}
	}
}

// anyNamed is a key of a table with a name, under whatever name the text has it.
func anyNamed(at positions, key string) string {
	pattern := regexp.MustCompile("^" + strings.ReplaceAll(key, ".NAME", `\.[\w-]+`) + "$")
	for path := range at {
		if pattern.MatchString(path) {
			return path
		}
	}
	return key
}

// otherValue is a sound value of a key that is not its default.
func otherValue(k *key) string {
	switch k.name {
	case "servers[].kind":
		return `"typescript_language_server"`
	case "servers[].adapter":
		return `"gopls"`
	}
	switch k.name {
	case "mcp.preset":
		return "\"p\"\n[presets.p]\n"
	case "mcp_servers.*.url", "mcp_servers.*.command":
		return `"http://localhost/"`
	case "mcp_servers.*.token_env":
		return `"HOME"`
	}
	if values := k.holds.values; values != nil {
		if last := fmt.Sprintf("%q", values[len(values)-1]); last != k.def {
			return last
		}
		return fmt.Sprintf("%q", values[0])
	}
	return map[string]string{
		"boolean": strconv.FormatBool(k.def != "true"), "integer": "1234", "milliseconds": "1234", "string": `"xyz"`,
		"path":            `"sub"`,
		"list of strings": `["xyz"]`, "list of globs": `["*.x"]`, "list of paths": `["sub"]`, "list of tool names": `["hover"]`,
		"list of LSP methods": `["all"]`,
		"table of arguments":  "{ max_results = 1 }",
		"table":               "{ a = 1 }", "table of strings": `{ A = "b" }`, "table of milliseconds": `{ "a/b" = 1 }`,
		"table of paths": `{ sub = "/x" }`,
	}[k.holds.words]
}

// TestEveryKeyTakesEffect: a key that is read nowhere would pass every other test.
func TestEveryKeyTakesEffect(t *testing.T) {
	options := []cmp.Option{cmpopts.IgnoreUnexported(Config{}), cmpopts.IgnoreFields(Config{}, "Sources")}
	for i, k := range KeyTable() {
		value := otherValue(&keys[i])
		name, inServer := strings.CutPrefix(k.Key, "servers[].")
		before, after := "", name+" = "+value
		if inServer {
			before = "[[servers]]\nid = \"rust-analyzer\"\n"
			after = before + after
		}
		if table, rest, named := strings.Cut(k.Key, ".NAME"); named {
			before = "[" + table + ".x]\n"
			if table == "mcp_servers" && rest != ".url" && rest != ".command" {
				before += "command = \"x\"\n"
			}
			after = before + strings.TrimPrefix(rest, ".") + " = " + value
			if rest == "" { // the table itself
				before, after = "", table+".x = "+value
			}
		}
		if k.Key == "servers[].id" {
			before += "kind = \"rust-analyzer\""
			after = "[[servers]]\nkind = \"rust-analyzer\"\n" + name + " = " + value
		}
		w := newWorld(t)
		if k.Key == "trust" {
			delete(w.env, trustVariable)
		}
		w.write(w.workspace+"/sub/x", "")
		w.ConfigFlag = w.write(w.workspace+"/c.toml", before)
		want := w.sound()
		w.write(w.ConfigFlag, after)
		got := w.sound()
		if !got.Given(strings.Split(strings.ReplaceAll(k.Key, ".NAME", ".x"), "[]")[0]) {
			t.Errorf("%s: not given", k.Key)
		}
		if cmp.Equal(want.Specs, got.Specs) && inServer {
			t.Errorf("%s has no effect on the servers", k.Key)
		}
		if k := &keys[i]; k.config != nil && reflect.DeepEqual(k.holds.load(k.config(want)),
			k.holds.load(k.config(got))) {
			t.Errorf("%s is not stored", k.name)
		}
		if cmp.Equal(want, got, options...) {
			t.Errorf("%s has no effect", k.Key)
		}
	}
}

func TestKeyTable(t *testing.T) {
	for _, ofServer := range []bool{false, true} {
		defaults(ofServer) // panics when a default is not TOML
	}
	for _, k := range keys {
		if k.doc == "" || k.holds.words == "" || k.untrusted.words == "" || k.config != nil && k.server != nil {
			t.Errorf("%s: incomplete row", k.name)
		}
	}
	for name, means := range otherNames {
		testkit.Equal(t, contract.Fold(name), name)
		if !slices.ContainsFunc(keys, func(k key) bool {
			return strings.HasSuffix("."+k.name, "."+means)
		}) && !sections[means] {
			t.Errorf("%s means %s, which is not a key", name, means)
		}
	}
	testkit.Equal(t, strings.Count(Markdown(), "\n"), len(keys)+2, len(keys))
}

// TestAKeyIsOneRow: a new key needs its row and the variable that it is stored in (and a line in lspi.toml.example, see
// TestExampleHasEveryKey). Its check, default, rule for files that are not trusted, merging, flags apart, its show in
// get_current_config and its documentation follow.
func TestAKeyIsOneRow(t *testing.T) {
	var stored time.Duration
	before := keys
	keys = append(slices.Clone(keys), key{name: "mcp.probe_ms", holds: millis(1), def: "500",
		untrusted: narrower(notAbove, told),
		config:    func(*Config) any { return &stored }, doc: "A probe."})
	byName["mcp.probe_ms"] = &keys[len(keys)-1]
	defer func() { keys = before; delete(byName, "mcp.probe_ms") }()
	for _, c := range []struct {
		user, repo string
		want       time.Duration
		finding    FindingKind
	}{
		{"", "", 500 * time.Millisecond, ""},
		{"mcp.probe_ms = 700", "", 700 * time.Millisecond, ""},
		{"mcp.probe_ms = 700", "mcp.probe_ms = 600", 600 * time.Millisecond, FindingNarrowed},
		{"mcp.probe_ms = 700", "mcp.probe_ms = 800", 700 * time.Millisecond, FindingUntrusted},
		{"mcp.probe_ms = 0", "", 500 * time.Millisecond, FindingBadValue},
		{"mcp.prob_ms = 1", "", 500 * time.Millisecond, FindingUnknownKey},
	} {
		w := newWorld(t)
		w.user(c.user)
		w.repo(c.repo)
		cfg := w.load()
		var found FindingKind
		for _, f := range cfg.Findings {
			found = f.Kind
		}
		if stored != c.want || found != c.finding {
			t.Errorf("%q, %q: %v with %q; want %v with %q", c.user, c.repo, stored, found, c.want, c.finding)
		}
		if shown := cfg.Section("mcp"); (shown["probe_ms"] != nil) != cfg.Given("mcp.probe_ms") || shown != nil &&
			shown["probe_ms"] != stored.Milliseconds() {
			t.Errorf("shown as %v", shown)
		}
	}
	testkit.Holds(t, Markdown(), "| `mcp.probe_ms` | milliseconds | `500` | to narrow | A probe. |", "not documented")
}

// The command of a server keeps the file and line that name it, also where another file adds to the server.
func TestCommandsKeepTheirPlace(t *testing.T) {
	w := newWorld(t)
	user := w.user(
		"# mine\n[[servers]]\nid = \"gopls\"\ncommand = \"gopls-mine\"\n\n[[servers]]\nid = \"rust-analyzer\"\nargs = [\"-v\"]\n")
	w.repo("[[servers]]\nid = \"gopls\"\nrequest_timeout_ms = 1000\n")
	c := w.load()
	for _, spec := range c.Specs {
		switch own := spec.Configured(); {
		case spec.ID != "gopls" && own != nil:
			t.Errorf("%s: %v", spec.ID, own)
		case spec.ID == "gopls" && (own == nil || own.Name != "gopls-mine" || own.File != user || own.Line != 4):
			t.Errorf("%v", own)
		}
	}
}

// TestRealCatalogue: every row can be named by id and by kind, in both spellings, and comes out as it went in.
func TestRealCatalogue(t *testing.T) {
	for _, spec := range servers.Servers() {
		for _, name := range []string{spec.ID, contract.Fold(spec.ID)} {
			w := newWorld(t)
			w.Catalogue = servers.Servers()
			w.user("[[servers]]\nid = \"mine\"\nkind = \"" + name + "\"")
			c := w.sound()
			if got := c.Table().Specs[0]; got.ID != "mine" || got.Kind != spec.Kind || got.Title != spec.Title {
				t.Errorf("%s: %+v", name, got)
			}
			if _, err := c.Table().Server(spec.ID); err == nil {
				t.Errorf("%s is there twice", spec.ID)
			}
		}
	}
}

func TestLocate(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"plain", "a = 1\nb = 2", "a 1:1, b 2:1"},
		{"indented", "[a]\n  b = 1\n\tc=2", "a 1:2, a.b 2:3, a.c 3:2"},
		{"dotted", "a . b.c = 1", "a 1:1, a.b 1:5, a.b.c 1:7"},
		{"quoted", "\"a.b\" = 1\n'c d' = 2\n\"\\u0065\" = 3", `"a.b" 1:1, "c d" 2:1, e 3:1`},
		{"table", "[ a . b ]\nc = 1", "a 1:3, a.b 1:7, a.b.c 2:1"},
		{"array of tables", "[[a]]\nb = 1\n[[a]]\nb = 2\n[a.c]\nd = 1",
			"a 1:3, a[0] 1:3, a[0].b 2:1, a[1] 3:3, a[1].b 4:1, a[1].c 5:4, a[1].c.d 6:1"},
		{"nested arrays of tables", "[[a]]\n[[a.b]]\nx=1\n[[a.b]]\nx=2\n[[a]]\n[[a.b]]\nx=3",
			"a[0].b[0].x 3:1, a[0].b[1] 4:5, a[0].b[1].x 5:1, a[1] 6:3, a[1].b[0] 7:5, a[1].b[0].x 8:1"},
		{"inside of a line", "x = 1\na = { b = 1, c.d = [ { e = 1 }, 2 ] }", "a 2:1, a.b 2:1, a.c.d[0].e 2:1"},
		{"inside of an array", "[t]\na = [ # one\n  1, # ]\n  'b = 2',\n]\nc = 1", "t.a 2:1, t.a[1] 2:1, t.c 6:1"},
		{"strings that look like keys",
			"a = \"b = 1\"\nc = \"\"\"\nd = 1\n\"\"\"\"\ne = '''\n[f]\n'''\n# g = 1 '''\nh = 'x' # i = 1",
			"a 1:1, c 2:1, d 0:0, e 5:1, f 0:0, g 0:0, h 9:1"},
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
