package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/lsp/servers"
)

// originals are blocks with the keys that the original's README and CONFIG.md show together, one of each.
var originals = map[string]string{
	"all of a server": `
[[servers]]
id = "rust-analyzer"
kind = "rust_analyzer"
extensions = ["rs"]
root_dir = "."
cwd = "."
workspace_folders = []
adapter = "default"
command = "ra"
args = []
language_id = "rust"
initialize_timeout_ms = 1
request_timeout_ms = 2
warmup_timeout_ms = 3
restart_interval_minutes = 4
idle_shutdown_ms = 5
initialize_options = {}
client_capabilities = {}
[servers.env]
A = "b"
[servers.request_timeout_overrides_ms]
"textDocument/references" = 6
[servers.workspace_configuration]
formattingOptions = { tabSize = 7 }
`,
	"csharp":       "[[servers]]\nid = \"omnisharp\"\nkind = \"omnisharp\"\nextensions = [\"cs\"]\nargs = [\"-lsp\"]\nwarmup_timeout_ms = 1\n",
	"ts":           "[[servers]]\nid = \"ts\"\nkind = \"generic\"\nextensions = [\"ts\", \"vue\"]\nlanguage_id = \"typescript\"\ncommand = \"t\"\nargs = [\"--stdio\"]\nadapter = \"tsserver\"\n",
	"vue":          "[[servers]]\nid = \"vue\"\nkind = \"generic\"\nextensions = [\"vue\"]\nlanguage_id = \"vue\"\ncommand = \"v\"\nargs = []\nadapter = \"tsserver\"\n",
	"go":           "[[servers]]\nid = \"go\"\nkind = \"generic\"\nextensions = [\"go\"]\nlanguage_id = \"go\"\ncommand = \"gopls\"\nargs = [\"serve\"]\n",
	"python":       "[[servers]]\nid = \"python\"\nkind = \"pyright\"\nextensions = [\"py\"]\nlanguage_id = \"python\"\n[servers.request_timeout_overrides_ms]\n\"textDocument/rename\" = 1\n",
	"output":       "[mcp.output]\nmax_total_chars_default = 120000\nmax_total_chars_hard = 2000000\n",
	"tools":        "[mcp.tools]\nallow = [\"find_definition_at\", \"find_references_at\", \"hover_at\", \"get_document_symbols\", \"search_workspace_symbols\", \"get_diagnostics\"]\n",
	"exclude":      "[mcp.tools]\nexclude = [\"rename_symbol\", \"rename_symbol_strict\"]\n",
	"read only":    "[mcp]\nread_only = true\n",
	"context":      "[mcp]\ncontext = \"codex\"\n",
	"root":         "workspace_root = \".\"\n",
	"camelCase":    "workspaceRoot = \".\"\n[mcp]\nreadOnly = true\n[mcp.output]\nmaxTotalCharsHard = 5000\n[[servers]]\nid = \"go\"\nkind = \"lsp\"\ncommand = \"c\"\nextensions = [\"go\"]\nlanguageId = \"go\"\nrootDir = \".\"\nworkspaceFolders = []\nrequestTimeoutOverridesMs = { \"a/b\" = 1 }\ninitializeOptions = { someKey = 1 }\nclientCapabilities = {}\nworkspaceConfiguration = { x = 1 }\nenvironment = { A = \"b\" }\n",
	"dashes":       "[[servers]]\nkind = \"Rust-Analyzer\"\nextensions = [\"rs\"]\n[[servers]]\nkind = \"csharp\"\nextensions = [\"cs\"]\n[[servers]]\nkind = \"rust\"\nextensions = [\"rs\"]\n",
	"first format": "[rust_analyzer]\ncommand = \"ra\"\nargs = [\"--x\"]\ninitialize_timeout_ms = 1\n",
}

var someTools = []string{"find_definition", "find_references", "hover", "get_document_symbols",
	"search_workspace_symbols", "get_diagnostics", "rename_symbol"}

func TestBlocksOfTheOriginal(t *testing.T) {
	for name, text := range originals {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.Catalogue = servers.Servers()
			w.Tools = someTools
			w.user(text)
			c := w.sound()
			withoutError(t, c)
		})
	}
}

func withoutError(t *testing.T, c *Config) {
	t.Helper()
	if err := c.Err(); err != nil {
		t.Error(err)
	}
}

// What the original's words do.
func TestWordsOfTheOriginal(t *testing.T) {
	w := newWorld(t)
	w.Catalogue = servers.Servers()
	w.user(strings.TrimPrefix(originals["camelCase"], "workspaceRoot = \".\"\n") +
		"[[servers]]\nkind = \"rust\"\nadapter = \"none\"\n[[servers]]\nid = \"t\"\nkind = \"generic\"\ncommand = \"t\"\nextensions = [\"ts\"]\nadapter = \"tsserver\"\n")
	c := w.sound()
	if !c.MCP.ReadOnly || c.MCP.Output.MaxTotalCharsHard != 5000 {
		t.Errorf("readOnly and maxTotalCharsHard: %+v", c.MCP)
	}
	goServer := c.spec("go")
	testkit.Equal(t, goServer.Env["A"], "b", "environment")
	testkit.Equal(t, fmt.Sprint(goServer.InitializationOptions), "map[someKey:1]",
		"what belongs to a server keeps its case")
	testkit.Equal(t, goServer.RootDir, w.workspace, "rootDir")
	testkit.Equal(t, c.spec("rust-analyzer").Kind, "rust-analyzer")
	testkit.Equal(t, c.spec("t").Freshness.Open, c.spec("typescript-language-server").Freshness.Open,
		"adapter tsserver")
	for given, want := range map[string]string{"nav": "navigation", "read": "navigation", "READONLY": "navigation",
		"default": "full", "codex": "codex"} {
		w.user("[mcp]\ncontext = \"" + given + "\"\n")
		testkit.Equal(t, w.sound().MCP.Context, want, given)
		w.Flags.Context = given
		testkit.Equal(t, w.sound().MCP.Context, want, "--context "+given)
		w.Flags.Context = ""
	}
}

// The files of the original are read by their order, as JSON where they are named so, and by the same rules of trust.
func TestFilesOfTheOriginal(t *testing.T) {
	w := newWorld(t)
	at := func(name string) string { return filepath.Join(w.workspace, filepath.FromSlash(name)) }
	// the later ones win
	for i, name := range []string{"lspi.json", "lspi.toml", ".lspi/config.json", ".lspi/config.toml"} {
		text := `{"mcp": {"read_only": true, "tools": {"exclude": ["hover"]}}, "servers": [{"id": "gopls", "extensions": ["x` + fmt.Sprint(i) + `"], "command": "evil"}]}`
		if strings.HasSuffix(name, ".toml") {
			text = "[mcp]\nread_only = true\n[[servers]]\nid = \"gopls\"\ncommand = \"evil\"\nextensions = [\"x" +
				fmt.Sprint(i) + "\"]\n"
		}
		w.write(at(name), text)
		c := w.load()
		withoutError(t, c)
		testkit.Equal(t, c.MCP.ReadOnly, true, name)
		gopls := c.spec("gopls")
		testkit.Equal(t, gopls.LanguageID("a.x"+fmt.Sprint(i)) != "", true, name, "its extensions count")
		testkit.Equal(t, gopls.Commands[0].Name, "gopls", name, "a file that nobody trusts names no program")
		others, untrusted := 0, ""
		for _, f := range c.Findings {
			switch f.Kind {
			case FindingTwoFiles:
				others++
			case FindingUntrusted:
				untrusted = f.String()
			}
		}
		testkit.Equal(t, others, i, name, "the other files are told")
		if !strings.Contains(untrusted, "servers[0].command (line ") {
			t.Errorf("%s: %q", name, untrusted)
		}
	}
}

func TestErrorsOfJSON(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"a typo": {"{\n  \"mcp\": {\"read_onyl\": true}\n}",
			`2:11 mcp.read_onyl: unknown key "read_onyl": did you mean "read_only"?`},
		"camelCase": {"{\"mcp\": {\n\"readOnly\": 1}}",
			`2:1 mcp.read_only: "read_only" must be true or false, not an integer`},
		"syntax": {"{\n\"mcp\": {,}}", `2:9 : not valid JSON: invalid character ',' at start of value`},
		"cut":    {`{"mcp": {`, `1:10 : not valid JSON: unexpected EOF`},
		"twice":  {`{"mcp": {}, "mcp": {}}`, `1:13 : not valid JSON: duplicate object member name`},
		"a list": {`[]`, `0:0 : not valid JSON: the file is not one object`},
		"more":   {`{} {}`, `0:0 : not valid JSON: there is more behind the object`},
		"deep": {strings.Repeat(`{"a":`, 100) + "1" + strings.Repeat("}", 100),
			`0:0 : not valid JSON: it is nested too deep`},
		"empty": {"", `0:0 : not valid JSON: EOF`},
		"not a number": {`{"limits": {"max_servers": 1.5}}`,
			`1:13 limits.max_servers: "max_servers" must be a whole number of at least 1, not a float`},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			// of a file that is not trusted, one warning tells all errors
			w.ConfigFlag = w.write(filepath.Join(w.workspace, "lspi.json"), c.text)
			cfg := w.load()
			if len(cfg.Findings) != 1 {
				t.Fatalf("findings %v", cfg.Findings)
			}
			f := cfg.Findings[0]
			testkit.Equal(t, fmt.Sprintf("%d:%d %s: %s", f.Line, f.Column, f.Key, f.Message), c.want)
			testkit.Equal(t, cfg.MCP.ReadOnly, true, "nothing is written with a wrong file")
		})
	}
	w := newWorld(t)
	w.write(filepath.Join(w.workspace, "lspi.json"),
		`{"mcp": null, "servers": [{"id": "gopls", "extensions": ["go"], "args": null}]}`)
	withoutError(t, w.sound())
}

// A list of allowed tools is read without regard to case, and a name that is unknown takes no other away.
func TestToolsOfTheOriginal(t *testing.T) {
	w := newWorld(t)
	w.user("[mcp.tools]\nallow = [\"Find_Definition\", \"hover_at\", \"xyzzy\", \"find_referenecs\"]\nexclude = [\"RENAME_SYMBOL_STRICT\"]\n")
	c := w.load()
	withoutError(t, c)
	testkit.Diff(t, c.MCP.Tools.Allow, []string{"find_definition", "hover", "xyzzy", "find_referenecs"}, "allow")
	testkit.Diff(t, c.MCP.Tools.Exclude, []string{"rename_symbol"}, "exclude")
	var told []string
	for _, f := range c.Findings {
		told = append(told, fmt.Sprintf("%s %s %s", f.Severity, f.Key, f.Message))
	}
	testkit.Diff(t, told, []string{
		`warning mcp.tools.allow[2] unknown tool "xyzzy"; lspi tools lists them`,
		`warning mcp.tools.allow[3] unknown tool "find_referenecs": did you mean "find_references"?`,
	}, "findings")
}

// The variables of the original name programs; what a file says wins.
func TestProgramsByVariables(t *testing.T) {
	w := newWorld(t)
	w.env["LSPI_RUST_ANALYZER_COMMAND"] = "/opt/ra"
	w.env["LSPI_PYRIGHT_COMMAND"] = " my-pyright "
	w.env["LSPI_BASEDPYRIGHT_COMMAND"] = "bin/based"
	w.Catalogue = servers.Servers()
	c := w.load()
	var told []string
	for _, f := range c.Findings {
		told = append(told, fmt.Sprintf("%s %s: %s", f.Severity, f.Kind, f.Message))
	}
	testkit.Equal(t, c.Err() == nil, true, "a variable stops no call")
	testkit.Equal(t, len(told), 3, told)
	testkit.Holds(t, strings.Join(told, "\n"),
		`warning not_found: LSPI_PYRIGHT_COMMAND names "my-pyright" as the program of pyright, and there is no such program`)
	testkit.Equal(t, c.spec("rust-analyzer").Commands[0].Name, "/opt/ra")
	testkit.Equal(t, c.spec("pyright").Commands[0].Name, "my-pyright")
	testkit.Equal(t, fmt.Sprint(c.spec("pyright").Commands[0].Args), "[--stdio]")
	testkit.Equal(t, c.spec("basedpyright").Commands[0].Name, "bin/based",
		"a program of the workspace is not run for it")
	w.user("[[servers]]\nid = \"rust-analyzer\"\ncommand = \"other\"\n")
	for _, name := range []string{"LSPI_PYRIGHT_COMMAND", "LSPI_BASEDPYRIGHT_COMMAND"} {
		w.env[name] = os.Args[0] // which is there
	}
	testkit.Equal(t, w.sound().spec("rust-analyzer").Commands[0].Name, "other")
}

// No text makes the reader of JSON panic or hang, and what it takes has a place for each key.
func FuzzJSON(f *testing.F) {
	for _, text := range []string{`{"a": [1, {"b": null}], "c": "é"}`, `{"servers": [{"kind": "rust"}]}`,
		`{"rust_analyzer": {"a": 1}, "servers": 3}`, "{", `{"a":{"a":[[[]]]}}`} {
		f.Add(text)
	}
	w := newFuzzWorld(f)
	f.Fuzz(func(t *testing.T, text string) {
		w.t = t
		w.write(filepath.Join(w.workspace, "lspi.json"), text)
		w.load()
		if values, at, err := decodeJSON(text); err == nil {
			for key := range values {
				if at.of(join("", key)).line == 0 {
					t.Errorf("%q has no place", key)
				}
			}
		}
	})
}

// What import prints means the same, and nothing is wrong with it.
func TestImport(t *testing.T) {
	for name, text := range originals {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.Catalogue, w.Tools = servers.Servers(), someTools
			path := w.user(text)
			before := w.load()
			modern, err := Import(w.Options, path)
			testkit.Must(t, err)
			w.user(modern)
			after := w.load()
			testkit.Diff(t, fmt.Sprintf("%+v %+v", after.MCP, after.Findings),
				fmt.Sprintf("%+v %+v", before.MCP, before.Findings), modern)
			for i := range before.Configured {
				before.Configured[i].Spec.Commands, after.Configured[i].Spec.Commands = nil, nil // they hold the line
				testkit.Equal(t, fmt.Sprintf("%+v", after.Configured[i].Values),
					fmt.Sprintf("%+v", before.Configured[i].Values))
			}
			if strings.Contains(modern, "rust_analyzer]") || strings.Contains(modern, "environment") ||
				strings.Contains(modern, "readOnly") {
				t.Errorf("old words are left: %s", modern)
			}
		})
	}
	w := newWorld(t)
	path := w.write(filepath.Join(w.workspace, "lspi.json"), "{\"mcp\": {\"readOnly\": true},\n\"nonsense\": 1}")
	modern, err := Import(w.Options, path)
	testkit.Must(t, err)
	testkit.Equal(t, modern,
		"# left out: line 2, unknown key \"nonsense\"; valid here: workspace_root, workspace_folders, catalogue, dev_container, trust, env_pass, servers, mcp, presets, tools, mcp_servers, recall, edit, index, limits, daemon, hooks, search, logging\n[mcp]\nread_only = true\n")
	if _, err := Import(w.Options, w.write(filepath.Join(w.workspace, "bad.json"), "{")); err == nil {
		t.Error("a broken file is imported")
	}
}
