package config

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

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
	if err != nil {
		t.Fatal(err)
	}
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
	if len(c.Configured) != 1 {
		t.Errorf("%d servers", len(c.Configured))
	}
}

// TestExampleHasEveryKey and default of the table, and nothing else.
func TestExampleHasEveryKey(t *testing.T) {
	text := uncommented(example(t))
	at := locate(text)
	for _, k := range KeyTable() {
		path := strings.Replace(k.Key, "servers[]", "servers[0]", 1)
		line, _ := at.of(path)
		if line == 0 {
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

// other is a value for each key that is not its default; none may be without effect.
var other = map[string]string{
	"trust": `"all"`, "env_pass": `["A"]`, "servers[].env_pass": `["A"]`,
	"workspace_root": `"sub"`, "workspace_folders": `["sub"]`, "catalogue": "false",
	"servers[].id": `"another"`, "servers[].kind": `"typescript_language_server"`, "servers[].enabled": "false",
	"servers[].extensions": `["xyz"]`, "servers[].language_id": `"xyz"`, "servers[].command": `"xyz"`, "servers[].args": `["-x"]`,
	"servers[].env": `{ A = "b" }`, "servers[].cwd": `"sub"`, "servers[].root_dir": `"sub"`, "servers[].workspace_folders": `["sub"]`,
	"servers[].adapter": `"gopls"`, "servers[].initialize_timeout_ms": "1", "servers[].request_timeout_ms": "1",
	"servers[].request_timeout_overrides_ms": `{ "a/b" = 1 }`, "servers[].warmup_timeout_ms": "1", "servers[].idle_shutdown_ms": "1",
	"servers[].restart_interval_minutes": "1", "servers[].initialize_options": "{ a = 1 }", "servers[].client_capabilities": "{ a = 1 }",
	"servers[].workspace_configuration": "{ a = 1 }",
	"mcp.context":                       `"claude"`, "mcp.mode": `"navigation"`, "mcp.read_only": "true", "mcp.call_timeout_ms": "1000", "mcp.warmup": "true",
	"mcp.text":                           `"full"`,
	"mcp.output.max_total_chars_default": "1000", "mcp.output.max_total_chars_hard": "30000", "mcp.output.echo_input": `"never"`,
	"mcp.tools.allow": `["hover"]`, "mcp.tools.exclude": `["hover"]`, "mcp.tools.lsp_request": `["all"]`, "edit.protected": `[]`, "edit.confirm": `[]`, "limits.max_servers": "3", "limits.max_server_memory_mb": "100", "logging.level": `"debug"`, "logging.file": `"x.log"`,
}

// TestEveryKeyTakesEffect: a key that is read nowhere would pass every other test.
func TestEveryKeyTakesEffect(t *testing.T) {
	options := []cmp.Option{cmpopts.IgnoreUnexported(Config{}), cmpopts.IgnoreFields(Config{}, "Sources")}
	for _, k := range KeyTable() {
		value, ok := other[k.Key]
		if !ok {
			t.Errorf("%s is not in the table of this test", k.Key)
			continue
		}
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
		if cmp.Equal(want, got, options...) {
			t.Errorf("%s has no effect", k.Key)
		}
	}
}

// TestServerConfigIsOfTheTable: what get_current_config shows of a server are keys, nothing else.
func TestServerConfigIsOfTheTable(t *testing.T) {
	for f := range reflect.TypeFor[ServerConfig]().Fields() {
		name := f.Tag.Get("json")
		if name != "-" && byName["servers[]."+name] == nil {
			t.Errorf("%s is not a key", name)
		}
	}
}

func TestKeyTable(t *testing.T) {
	defaults() // panics when a default is not TOML
	for _, k := range keys {
		if k.doc == "" || typeWords[k.holds] == "" || (k.holds == tEnum) != (k.values != nil) {
			t.Errorf("%s: incomplete row", k.name)
		}
	}
	for name, means := range otherNames {
		if fold(name) != name {
			t.Errorf("%s: not folded, so it is never found", name)
		}
		if !slices.ContainsFunc(keys, func(k key) bool { return strings.HasSuffix("."+k.name, "."+means) }) && !sections[means] {
			t.Errorf("%s means %s, which is not a key", name, means)
		}
	}
	if lines := strings.Count(Markdown(), "\n"); lines != len(keys)+2 {
		t.Errorf("%d lines in the table of the README for %d keys", lines, len(keys))
	}
}
