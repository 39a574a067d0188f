package config

import (
	"fmt"
	"lspi/contract"
	"lspi/internal/testkit"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
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
	c := w.sound()
	testkit.Equal(t, len(c.Configured), 1)
}

// TestExampleHasEveryKey and default of the table, and nothing else.
func TestExampleHasEveryKey(t *testing.T) {
	text := uncommented(example(t))
	at := locate(text)
	for _, k := range KeyTable() {
		path := strings.Replace(k.Key, "servers[]", "servers[0]", 1)
		line := at.of(path).line
		if _, there := at[path]; !there {
			t.Errorf("%s is missing in the example", k.Key)
			continue
		}
		written := strings.Split(text, "\n")[line-1]
		_, value, _ := strings.Cut(written, " = ")
		commented := strings.Split(example(t), "\n")[line-1] == "#"+written
		switch {
		case strings.HasPrefix(k.Key, "servers[]"):
			if !commented {
				t.Errorf("%s is set in the example, so a copy of it would configure a server", k.Key)
			}
			if k.Default != "" && k.Default != "{}" && value != k.Default {
				t.Errorf("%s: %s in the example, %s in the table", k.Key, value, k.Default)
			}
		case k.Default == "" && !commented:
			t.Errorf("%s has no default, but is set in the example", k.Key)
		case k.Default != "" && (commented || value != k.Default):
			t.Errorf("%s: %q in the example, %s in the table", k.Key, written, k.Default)
		}
	}
}

// otherValue is a sound value of a key that is not its default.
func otherValue(k *key) string {
	switch k.name {
	case "servers[].kind":
		return `"typescript_language_server"`
	case "servers[].adapter":
		return `"gopls"`
	}
	if values := k.holds.values; values != nil {
		if last := fmt.Sprintf("%q", values[len(values)-1]); last != k.def {
			return last
		}
		return fmt.Sprintf("%q", values[0])
	}
	return map[string]string{
		"boolean": strconv.FormatBool(k.def == "false"), "integer": "1234", "milliseconds": "1234", "string": `"xyz"`, "path": `"sub"`,
		"list of strings": `["xyz"]`, "list of paths": `["sub"]`, "list of tool names": `["hover"]`, "list of LSP methods": `["all"]`,
		"table": "{ a = 1 }", "table of strings": `{ A = "b" }`, "table of milliseconds": `{ "a/b" = 1 }`,
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
		if !got.Given(strings.Split(k.Key, "[]")[0]) {
			t.Errorf("%s: not given", k.Key)
		}
		if cmp.Equal(want.Specs, got.Specs) && inServer {
			t.Errorf("%s has no effect on the servers", k.Key)
		}
		if k := &keys[i]; k.config != nil && reflect.DeepEqual(k.holds.load(k.config(want)), k.holds.load(k.config(got))) {
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
		if !slices.ContainsFunc(keys, func(k key) bool { return strings.HasSuffix("."+k.name, "."+means) }) && !sections[means] {
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
	keys = append(slices.Clone(keys), key{name: "mcp.probe_ms", holds: millis(1), def: "500", untrusted: narrower(notAbove, told),
		config: func(*Config) any { return &stored }, doc: "A probe."})
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
		if shown := cfg.Section("mcp"); (shown["probe_ms"] != nil) != cfg.Given("mcp.probe_ms") || shown != nil && shown["probe_ms"] != stored.Milliseconds() {
			t.Errorf("shown as %v", shown)
		}
	}
	if !strings.Contains(Markdown(), "| `mcp.probe_ms` | milliseconds | `500` | to narrow | A probe. |") {
		t.Error("not documented")
	}
}
