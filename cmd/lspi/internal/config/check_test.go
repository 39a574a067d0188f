package config

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"lspi/internal/testkit"
	"lspi/lsp/servers"
	"lspi/lsp/spec"
)

// TestErrors holds the exact words of every error, since a model reads and repeats them.
func TestErrors(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string // line:column key: message [fix]
	}{
		{"unknown key of another tool", "[[servers]]\nid = \"gopls\"\ncmd = \"x\"",
			[]string{`3:1 servers[0].cmd: unknown key "cmd": did you mean "command"? [write command]`}},
		{"unknown key, misspelt", "[[servers]]\nid = \"gopls\"\nextentions = [\"go\"]",
			[]string{`3:1 servers[0].extentions: unknown key "extentions": did you mean "extensions"? [write extensions]`}},
		{"unknown key, other case", "[MCP]\nread_only = true",
			[]string{`1:2 MCP: unknown key "MCP": did you mean "mcp"? [write mcp]`}},
		{"unknown key, other case below", "[mcp]\nRead-Only = true",
			[]string{`2:1 mcp.Read-Only: unknown key "Read-Only": did you mean "read_only"? [write read_only]`}},
		{"unknown key, nothing near", "[logging]\nzzzzzz = 1",
			[]string{`2:1 logging.zzzzzz: unknown key "zzzzzz"; valid here: level, file, events`}},
		{"name of a table", "[mcp_servers.\"we ird\"]\ncommand = \"x\"",
			[]string{`1:14 mcp_servers."we ird": a name must be letters, digits, "-" and single "_", at most 32, not "we ird"`}},
		{"name of a tool", "[tools.\"find references\"]\npath = \".\"",
			[]string{`1:8 tools."find references": a tool is written as it is listed, that of another MCP server as ID__tool, not "find references"`}},
		{"a tool twice", "[tools.\"files:read\"]\npath = \".\"\n[tools.files__read]\npath = \".\"",
			[]string{`1:8 tools."files:read": a tool is written as it is listed, that of another MCP server as ID__tool, not "files:read"`}},
		{"key in the wrong table", "[[servers]]\nid = \"gopls\"\nread_only = true",
			[]string{`3:1 servers[0].read_only: unknown key "read_only" here: it belongs below [mcp] [put it below [mcp]]`}},
		{"key of the top below a table", "[mcp]\ncatalogue = false",
			[]string{`2:1 mcp.catalogue: unknown key "catalogue" here: it belongs at the top of the file, before the first table [put it at the top of the file, before the first table]`}},
		{"dotted key", "mcp.output.max_totl = 1",
			[]string{`1:12 mcp.output.max_totl: unknown key "max_totl"; valid here: max_total_chars_default, max_total_chars_hard, echo_input, generated, shape`}},
		{"inline table", "mcp = { output = { echo = \"never\" } }",
			[]string{`1:1 mcp.output.echo: unknown key "echo": did you mean "echo_input"? [write echo_input]`}},
		{"quoted key with a dot", "\"mcp.context\" = \"full\"",
			[]string{`1:1 "mcp.context": unknown key "mcp.context"; valid here: workspace_root, workspace_folders, catalogue, dev_container, trust, env_pass, servers, mcp, presets, tools, mcp_servers, recall, edit, index, limits, daemon, hooks, search, logging`}},
		{"look-alike in a string", "workspace_folders = []\n[logging]\nfile = '''\nlevle = 1'''\nlevle = 2",
			[]string{`5:1 logging.levle: unknown key "levle": did you mean "level"? [write level]`}},
		{"column in code points", "\"é\".a = 1\nmcp . \"é\" = 1", []string{
			`1:1 "é": unknown key "é"; valid here: workspace_root, workspace_folders, catalogue, dev_container, trust, env_pass, servers, mcp, presets, tools, mcp_servers, recall, edit, index, limits, daemon, hooks, search, logging`,
			`2:7 mcp."é": unknown key "é"; valid here: context, mode, read_only, call_timeout_ms, warmup, share, text, output, tools, preset`}},
		{"the second server", "[[servers]]\nid = \"gopls\"\n[[servers]]\nid = \"rust-analyzer\"\n  name = 1",
			[]string{`5:3 servers[1].name: unknown key "name": did you mean "id"? [write id]`}},

		{"string for a boolean", "catalogue = \"no\"",
			[]string{`1:1 catalogue: "catalogue" must be true or false, not a string`}},
		{"array for a string", "[[servers]]\nid = \"gopls\"\ncommand = [\"gopls\"]",
			[]string{`3:1 servers[0].command: "command" must be a string, not an array`}},
		{"string for a list", "[[servers]]\nid = \"gopls\"\nextensions = \"go\"",
			[]string{`3:1 servers[0].extensions: "extensions" must be a list of strings, such as ["go"], not a string`}},
		{"number in a list", "[[servers]]\nid = \"gopls\"\nargs = [\n  \"-v\",\n  3,\n]",
			[]string{`3:1 servers[0].args[1]: "args" must be a list of strings, not with an integer in it`}},
		{"float for milliseconds", "[mcp]\ncall_timeout_ms = 1.5",
			[]string{`2:1 mcp.call_timeout_ms: "call_timeout_ms" must be a whole number of milliseconds of at least 1000, not a float`}},
		{"string for milliseconds", "[[servers]]\nid = \"gopls\"\nidle_shutdown_ms = \"30s\"",
			[]string{`3:1 servers[0].idle_shutdown_ms: "idle_shutdown_ms" must be a whole number of milliseconds, not a string`}},
		{"date", "[logging]\nfile = 2026-01-01", []string{`2:1 logging.file: "file" must be a string, not a date`}},
		{"value for a table", "mcp = true", []string{`1:1 mcp: "mcp" is a table: write [mcp] on a line of its own`}},
		{"table for servers", "[servers.gopls]\ncommand = \"x\"",
			[]string{`1:2 servers: "servers" is an array of tables: write [[servers]] before the keys of each, with an id`}},
		{"list of strings for servers", "servers = [\"gopls\"]",
			[]string{`1:1 servers: "servers" is an array of tables: write [[servers]] before the keys of each, with an id`}},
		{"number for an environment variable", "[[servers]]\nid = \"gopls\"\n[servers.env]\nTOKEN = 12345",
			[]string{`4:1 servers[0].env.TOKEN: "env.TOKEN" must be a string, not an integer`}},
		{"not an environment variable", "[[servers]]\nid = \"gopls\"\nenv = { \"A=B\" = \"secret\" }",
			[]string{`3:1 servers[0].env."A=B": "A=B" cannot be an environment variable`}},
		{"infinity for a server", "[[servers]]\nid = \"gopls\"\ninitialize_options.a = [{ b = inf }]",
			[]string{`3:20 servers[0].initialize_options.a[0].b: "initialize_options.a.b" cannot be sent to a server: JSON has no +Inf`}},

		{"negative milliseconds", "[[servers]]\nid = \"gopls\"\nrequest_timeout_ms = -5",
			[]string{`3:1 servers[0].request_timeout_ms: "request_timeout_ms" must be a whole number of milliseconds of at least 1, not -5`}},
		{"zero where it means nothing", "[[servers]]\nid = \"gopls\"\nrequest_timeout_ms = 0",
			[]string{`3:1 servers[0].request_timeout_ms: "request_timeout_ms" must be a whole number of milliseconds of at least 1, not 0`}},
		{"negative where zero is never", "[[servers]]\nid = \"gopls\"\nrestart_interval_minutes = -1",
			[]string{`3:1 servers[0].restart_interval_minutes: "restart_interval_minutes" must be a whole number, 0 or more, not -1`}},
		{"negative override",
			"[[servers]]\nid = \"gopls\"\nrequest_timeout_overrides_ms = { \"textDocument/hover\" = -1 }",
			[]string{`3:1 servers[0].request_timeout_overrides_ms."textDocument/hover": "request_timeout_overrides_ms.textDocument/hover" must be a whole number of milliseconds of at least 1, not -1`}},
		{"overflow", "[mcp]\ncall_timeout_ms = 9223372036854775807",
			[]string{`2:1 mcp.call_timeout_ms: "call_timeout_ms" must be a whole number of milliseconds of at least 1000, not 9223372036854775807`}},
		{"bad enumeration", "[mcp]\ncontext = \"codx\"",
			[]string{`2:1 mcp.context: "context" must be one of full, claude, codex, navigation, not "codx": did you mean "codex"? [write "codex"]`}},
		{"bad enumeration, nothing near", "[mcp]\nmode = \"everything\"",
			[]string{`2:1 mcp.mode: "mode" must be one of navigation, refactor, not "everything"`}},
		{"unknown kind", "[[servers]]\nid = \"ra\"\nkind = \"rustanalyzer\"",
			[]string{`3:1 servers[0].kind: unknown kind "rustanalyzer": did you mean "rust_analyzer"? [write "rust_analyzer"]`}},
		{"unknown adapter", "[[servers]]\nid = \"gopls\"\nadapter = \"qqqqqqq\"",
			[]string{`3:1 servers[0].adapter: unknown adapter "qqqqqqq": no server of the catalogue has this name [run: lspi doctor]`}},
		{"unknown tool", "[mcp.tools]\nexclude = [\"hover\", \"find_reference\"]",
			[]string{`2:1 mcp.tools.exclude[1]: unknown tool "find_reference": did you mean "find_references"? [write "find_references"]`}},
		{"unknown tool, nothing near", "[mcp.tools]\nexclude = [\"xyzzy\"]",
			[]string{`2:1 mcp.tools.exclude[0]: unknown tool "xyzzy"; lspi tools lists them [run: lspi tools]`}},
		{"no extension", "[[servers]]\nid = \"gopls\"\nextensions = []",
			[]string{`3:1 servers[0].extensions: "extensions" is empty: name at least one, such as ["go"], or leave the key out to take the catalogue's`}},
		{"glob for an extension", "[[servers]]\nid = \"gopls\"\nextensions = [\"*.go\"]",
			[]string{`3:1 servers[0].extensions[0]: "*.go" is not a file extension: write it without the dot and without "*", such as "go"`}},
		{"empty string", "[[servers]]\nid = \"gopls\"\ncommand = \"\"",
			[]string{`3:1 servers[0].command: "command" is empty`}},
		{"NUL", "[[servers]]\nid = \"gopls\"\nargs = [\"a\\u0000b\"]",
			[]string{`3:1 servers[0].args[0]: "args" contains a NUL character`}},
		{"caps against each other", "[mcp.output]\nmax_total_chars_default = 5000\nmax_total_chars_hard = 4000",
			[]string{`2:1 mcp.output.max_total_chars_default: "max_total_chars_default" is 5000, above "max_total_chars_hard", which is 4000`}},

		{"no id", "[[servers]]\nextensions = [\"go\"]",
			[]string{`1:3 servers[0]: this server has no "id": name a server of the catalogue, such as "gopls", or choose a name`}},
		{"bad id", "[[servers]]\nid = \"my server\"",
			[]string{`2:1 servers[0].id: "id" must be letters, digits, ".", "_", "+" or "-", at most 64, not "my server"`}},
		{"duplicate id", "[[servers]]\nid = \"gopls\"\n\n[[servers]]\nid = \"gopls\"",
			[]string{`5:1 servers[1].id: the server id "gopls" is used twice; the first is on line 2`}},
		{"generic without what it needs", "[[servers]]\nid = \"mine\"\nkind = \"generic\"", []string{
			`1:3 servers[0]: the server "mine" is not in the catalogue, so it needs "command" [add command]`,
			`1:3 servers[0]: the server "mine" is not in the catalogue, so it needs "extensions" [add extensions]`,
		}},
		{"nearly an id of the catalogue", "[[servers]]\nid = \"rust-analyser\"\nextensions = [\"rs\"]", []string{
			`1:3 servers[0]: the server "rust-analyser" is not in the catalogue, so it needs "command", or is it "rust_analyzer"? [add command]`,
		}},
		{"one error, not two", "[[servers]]\nid = \"mine\"\ncommand = \"x\"\nextensions = []",
			[]string{`4:1 servers[0].extensions: "extensions" is empty: name at least one, such as ["go"], or leave the key out to take the catalogue's`}},

		{"syntax", "[mcp]\ncontext = codex",
			[]string{`2:11 mcp.context: not valid TOML: expected value but found "codex" instead`}},
		{"syntax hides environment values", "[[servers]]\nid = \"gopls\"\n[servers.env]\nTOKEN = 12x34secret",
			[]string{`4:11 servers.env: not valid TOML: expected the end of the line behind the value`}},
		{"syntax hides headers", "[mcp_servers.x.headers]\nAuthorization = hunter",
			[]string{`2:17 mcp_servers.x.headers.Authorization: not valid TOML: expected a value: a string in quotes, a number, true, false, a list in [ ], or a table in { }`}},
		{"syntax hides arguments", "[mcp_servers.x]\nargs = [hunter]",
			[]string{`2:9 mcp_servers.x.args: not valid TOML: expected a value: a string in quotes, a number, true, false, a list in [ ], or a table in { }`}},
		{"key twice", "catalogue = true\ncatalogue = false",
			[]string{`2:1 catalogue: not valid TOML: Key 'catalogue' has already been defined.`}},
		{"all of them",
			"catalog = 1\n[mcp]\nmode = 3\n[[servers]]\nid = \"gopls\"\nargs = 1\n[logging]\nlevel = \"loud\"",
			[]string{
				`1:1 catalog: unknown key "catalog": did you mean "catalogue"? [write catalogue]`,
				`3:1 mcp.mode: "mode" must be a string, not an integer`,
				`6:1 servers[0].args: "args" must be a list of strings, not an integer`,
				`8:1 logging.level: "level" must be one of debug, info, warn, error, not "loud"`,
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			path := w.user(c.text)
			cfg := w.load()
			var got []string
			for _, f := range cfg.Findings {
				line := fmt.Sprintf("%d:%d %s: %s", f.Line, f.Column, f.Key, f.Message)
				if f.Fix != "" {
					line += " [" + f.Fix + "]"
				}
				got = append(got, line)
				if f.File != path || f.Severity != SeverityError {
					t.Errorf("%s: file %s, severity %s", line, f.File, f.Severity)
				}
			}
			testkit.Diff(t, got, c.want, "findings")
			if err := cfg.Err(); err == nil || !cfg.MCP.ReadOnly {
				t.Errorf("a wrong file must stop the tools and keep writing off: %v, read only %v", err,
					cfg.MCP.ReadOnly)
			}
		})
	}
}

// own are the fields that say who a server is, what it serves and how it is started: no adapter gives those.
var own = []string{"ID", "Kind", "Title", "Languages", "Commands", "Env", "Cwd", "RootDir", "Folders", "Roles",
	"InitializationOptions", "Settings", "Capabilities", "Timeouts", "Install", "Version", "Verified"}

// TestAdaptersGiveAllBehaviour: a field that is new in spec.Spec is behaviour, or is named above.
func TestAdaptersGiveAllBehaviour(t *testing.T) {
	for _, row := range servers.Servers() {
		var spec spec.Spec
		adopt(&spec, &row)
		got, want := reflect.ValueOf(spec), reflect.ValueOf(row)
		for i := range got.NumField() {
			name := got.Type().Field(i).Name
			if !slices.Contains(own, name) && !same(got.Field(i), want.Field(i)) {
				t.Errorf("%s: %s is not adopted", row.ID, name)
			}
			if slices.Contains(own, name) && !got.Field(i).IsZero() {
				t.Errorf("%s: %s is adopted", row.ID, name)
			}
		}
	}
}

// same is reflect.DeepEqual for the values of rows, where functions are equal that are the same.
func same(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.Func:
		return a.Pointer() == b.Pointer()
	case reflect.Struct:
		for i := range a.NumField() {
			if !a.Type().Field(i).IsExported() {
				return reflect.DeepEqual(a.Interface(), b.Interface())
			}
			if !same(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Pointer:
		return a.Pointer() == b.Pointer() || !a.IsNil() && !b.IsNil() && same(a.Elem(), b.Elem())
	}
	return reflect.DeepEqual(a.Interface(), b.Interface())
}

// Nobody knows the tools of other MCP servers before they are asked, so that their names are taken as they are.
func TestToolsOfOtherServers(t *testing.T) {
	w := newWorld(t)
	w.user("[mcp.tools]\nallow = [\"hover\", \"github__get_*\"]\nexclude = [\"github:get_issue\"]")
	c := w.load()
	if len(c.Findings) > 0 ||
		fmt.Sprint(c.MCP.Tools.Allow, c.MCP.Tools.Exclude) != "[hover github__get_*] [github__get_issue]" {
		t.Errorf("%v, %v", c.MCP.Tools, c.Findings)
	}
}
