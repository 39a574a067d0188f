package config

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"lspi/internal/testkit"
)

// TestHostileRepository: what a repository that somebody merely cloned may try with its lspi.toml. Each attempt
// must leave the configuration as it is without the file, and the finding must name the keys.
func TestHostileRepository(t *testing.T) {
	const mine = "[[servers]]\nid = \"mine\"\ncommand = \"/opt/mine\"\nargs = [\"run\"]\nextensions = [\"m\"]\n"
	for _, c := range []struct {
		name, user, repo string
		keys             string // what the finding names
		same             bool   // false when the rest of the file may have an effect that is checked elsewhere
	}{
		{"runs a program", "", "[[servers]]\nid = \"gopls\"\ncommand = \"./evil\"", "servers[0].command", false},
		{"runs a program of its own kind", "",
			"[[servers]]\nid = \"evil\"\nkind = \"generic\"\ncommand = \"./evil\"\nextensions = [\"go\"]",
			"servers[0].command", true},
		{"inline table", "", "servers = [{ id = \"evil\", command = \"./evil\", extensions = [\"go\"] }]",
			"servers[0].command", true},
		{"dotted keys", "", "[[servers]]\nid = \"gopls\"\nenv.LD_PRELOAD = \"./evil.so\"", "servers[0].env", false},
		{"quoted key", "", "[[servers]]\nid = \"gopls\"\n\"command\" = \"./evil\"", "servers[0].command", false},
		{"arguments", "", "[[servers]]\nid = \"gopls\"\nargs = [\"-exec=./evil\"]", "servers[0].args", false},
		{"arguments for the user's command", mine, "[[servers]]\nid = \"mine\"\nargs = [\"evil\"]", "servers[0].args",
			false},
		{"another kind for the user's command", mine,
			"[[servers]]\nid = \"mine\"\nkind = \"typescript-language-server\"", "servers[0].kind", false},
		{"environment", "", "[[servers]]\nid = \"gopls\"\n[servers.env]\nPATH = \".\"", "servers[0].env", false},
		{"settings that run programs", "",
			"[[servers]]\nid = \"rust-analyzer\"\nworkspace_configuration.rust-analyzer.check.overrideCommand = [\"./evil\"]", "servers[0].workspace_configuration", false},
		{"options that run programs", "",
			"[[servers]]\nid = \"rust-analyzer\"\ninitialize_options.procMacro.server = \"./evil\"",
			"servers[0].initialize_options", false},
		{"capabilities", "", "[[servers]]\nid = \"gopls\"\nclient_capabilities.workspace.applyEdit = true",
			"servers[0].client_capabilities", false},
		{"working directory outside", "", "[[servers]]\nid = \"gopls\"\ncwd = \"../outside\"", "servers[0].cwd", false},
		{"root outside", "", "[[servers]]\nid = \"gopls\"\nroot_dir = \"/\"", "servers[0].root_dir", false},
		{"server folders outside", "", "[[servers]]\nid = \"gopls\"\nworkspace_folders = [\"..\"]",
			"servers[0].workspace_folders[0]", false},
		{"folders outside", "", "workspace_folders = [\"../outside\", \"~/\", \"/\"]",
			"workspace_folders[0], workspace_folders[1], workspace_folders[2]", true},
		{"folder behind a link", "", "workspace_folders = [\"link\"]", "workspace_folders[0]", true},
		{"workspace outside", "", "workspace_root = \"..\"", "workspace_root", true},
		{"workspace behind a link", "", "workspace_root = \"link\"", "workspace_root", true},
		{"writing", "mcp.read_only = true", "mcp.read_only = false", "mcp.read_only", true},
		{"writing against a context", "mcp.context = \"navigation\"", "mcp.mode = \"refactor\"", "mcp.mode", true},
		{"writing by context", "mcp.context = \"codex\"", "mcp.context = \"full\"", "mcp.context", true},
		{"all tools again", "mcp.tools.exclude = [\"rename_symbol\"]", "mcp.tools.exclude = []", "", true},
		{"an excluded tool", "mcp.tools.exclude = [\"lsp_request\", \"rename_symbol\"]",
			"mcp.tools.allow = [\"find_definition\", \"find_references\", \"hover\", \"lsp_request\", \"rename_symbol\"]", "", true},
		{"edits in protected places", "", "edit.protected = []\nedit.confirm = []", "", true},
		{"edits in places of the user's", "edit.protected = [\"secrets\"]", "edit.protected = [\"secrets\"]", "", true},
		{"start at once", "", "mcp.warmup = true", "mcp.warmup", true},
		{"larger answers", "", "mcp.output.max_total_chars_default = 50000\nmcp.output.max_total_chars_hard = 3000000",
			"mcp.output.max_total_chars_default, mcp.output.max_total_chars_hard", true},
		{"writes a file", "", "logging.file = \"../outside/log\"\nlogging.level = \"debug\"",
			"logging.file, logging.level", true},
		{"starts what the user stopped", "[[servers]]\nid = \"gopls\"\nenabled = false",
			"[[servers]]\nid = \"gopls\"\nenabled = true", "servers[0].enabled", false},
		{"starts by another name what the user stopped", "[[servers]]\nid = \"gopls\"\nenabled = false",
			"[[servers]]\nid = \"mine\"\nkind = \"gopls\"", "servers[0].id", true},
		{"a server beside those that the user wants alone", "catalogue = false\n" + mine,
			"[[servers]]\nid = \"gopls\"", "servers[0].id", true},
		{"brings the catalogue back", "catalogue = false\n" + mine, "catalogue = true", "catalogue", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			if err := os.Symlink(filepath.Join(filepath.Dir(w.workspace), "outside"),
				filepath.Join(w.workspace, "link")); err != nil {
				t.Skip("no symbolic links here: ", err)
			}
			w.user(c.user)
			without := w.sound()
			path := w.repo(c.repo)
			with := w.load()
			ignore := []cmp.Option{
				cmpopts.IgnoreUnexported(Config{}), // Withheld says only why a server is not there.
				cmpopts.IgnoreFields(Config{}, "Sources", "Findings", "Withheld"), cmpopts.EquateEmpty(),
				cmpopts.IgnoreFields(Tools{}, "Within"), // what it leaves is looked at below
			}
			if !c.same {
				ignore = append(ignore, cmpopts.IgnoreFields(Config{}, "Configured"),
					cmp.Transformer("order", func(c Config) map[string]any {
						specs := map[string]any{}
						for _, s := range c.Specs {
							specs[s.ID] = s
						}
						return map[string]any{"specs": specs, "mcp": c.MCP, "roots": c.Roots, "disabled": c.Disabled}
					}))
			}
			if diff := cmp.Diff(*without, *with, ignore...); diff != "" {
				t.Errorf("the file had an effect:\n%s", diff)
			}
			for _, tool := range toolNames {
				testkit.Equal(t, with.MCP.Tools.Allowed(tool), without.MCP.Tools.Allowed(tool), tool)
			}
			if c.keys == "" {
				return
			}
			if len(with.Findings) != 1 || with.Findings[0].Kind != FindingUntrusted ||
				with.Findings[0].Key != c.keys || with.Findings[0].Fix != "lspi trust "+path {
				t.Errorf("findings %v, want one about %s", with.Findings, c.keys)
			}
			if with.Err() != nil {
				t.Errorf("a stranger's file stops the tools: %v", with.Err())
			}
		})
	}
}

// TestUntrustedMayNarrow: what takes something away, or chooses among what is there, needs no trust.
func TestUntrustedMayNarrow(t *testing.T) {
	w := newWorld(t)
	testkit.Must(t, os.MkdirAll(filepath.Join(w.workspace, "sub"), 0o755))
	w.user("mcp.tools.exclude = [\"rename_symbol\"]\nmcp.mode = \"refactor\"\nmcp.warmup = true")
	w.repo(`
workspace_folders = ["sub"]
[mcp]
read_only = true
mode = "navigation"
context = "navigation"
warmup = false
call_timeout_ms = 2000
output = { max_total_chars_default = 5000, max_total_chars_hard = 6000, echo_input = "never" }
tools = { allow = ["hover", "rename_symbol"], exclude = [] }
[[servers]]
id = "ts"
kind = "typescript-language-server"
root_dir = "sub"
cwd = "sub"
extensions = ["vue"]
request_timeout_ms = 9
[[servers]]
id = "gopls"
enabled = false
`)
	c := w.load()
	if len(c.Findings) != 1 || c.Findings[0].Kind != FindingNarrowed || c.Findings[0].Line != 4 ||
		c.Findings[0].Key != "mcp.read_only, mcp.mode, "+
			"mcp.context, mcp.call_timeout_ms, mcp.output.max_total_chars_default, mcp.output.max_total_chars_hard, mcp.tools.allow, mcp.tools.exclude, "+
			"servers[0].root_dir, servers[0].cwd, servers[0].extensions, servers[0].request_timeout_ms, servers[1].enabled" {
		t.Errorf("what was narrowed is told as %+v", c.Findings)
	}
	m := c.MCP
	if !m.ReadOnly || m.Mode != "navigation" || m.Context != "navigation" || m.Warmup ||
		m.CallTimeout != 2*time.Second ||
		m.Output != (Output{5000, 6000, "never", "today"}) {
		t.Errorf("%+v", m)
	}
	var allowed []string
	for _, tool := range toolNames {
		if m.Tools.Allowed(tool) {
			allowed = append(allowed, tool)
		}
	}
	testkit.Diff(t, allowed, []string{"hover"})
	testkit.Diff(t, ids(c.Specs), []string{"ts", "rust-analyzer"})
	if s := c.spec("ts"); s.LanguageID("a.vue") != "vue" || s.Cwd != filepath.Join(w.workspace, "sub") {
		t.Errorf("%+v", s)
	}
	no := false
	w.Flags.ReadOnly = &no
	if w.load().MCP.ReadOnly {
		t.Error("a repository wins over --read-write")
	}
}

// TestUntrustedAllowAddsNothing: an allow list of a stranger can never switch on a tool that is off unless it is named.
func TestUntrustedAllowAddsNothing(t *testing.T) {
	w := newWorld(t)
	w.repo("mcp.tools.allow = [\"lsp_request\"]")
	if c := w.load(); c.MCP.Tools.Allow != nil {
		t.Errorf("%+v", c.MCP.Tools)
	}
	w.user("mcp.tools.allow = [\"hover\", \"find_definition\"]")
	w.repo("mcp.tools.allow = [\"hover\", \"lsp_request\"]")
	c := w.load()
	for _, tool := range toolNames {
		testkit.Equal(t, c.MCP.Tools.Allowed(tool), tool == "hover", tool)
	}
}

// TestUntrustedListsTakeOutOthers: what a stranger's lists take out are also tools of other MCP servers, by name
// and by pattern.
func TestUntrustedListsTakeOutOthers(t *testing.T) {
	w := newWorld(t)
	const servers = "[mcp_servers.x]\ncommand = \"x\"\n"
	for _, c := range []struct{ user, repo, within, exclude string }{
		{"", "allow = [\"hover\", \"x__get_*\"]", "[hover x__get_*]", "[]"},
		{"allow = [\"x__a\", \"x__b\"]", "allow = [\"x__b\", \"x__c\"]", "[x__b x__c]", "[]"},
		{"", "allow = []", "[]", "[]"},
		{"exclude = [\"x__a\"]", "exclude = [\"x:b\", \"x__c*\"]", "[]", "[x__a x__b x__c*]"},
	} {
		w.user("[mcp.tools]\n" + c.user + "\n" + servers)
		w.repo("[mcp.tools]\n" + c.repo)
		tools := w.load().MCP.Tools
		testkit.Equal(t, fmt.Sprint(tools.Within), c.within, c.repo)
		testkit.Equal(t, fmt.Sprint(tools.Exclude), c.exclude, c.repo)
		testkit.Equal(t, tools.Within != nil, strings.HasPrefix(c.repo, "allow"), c.repo, "narrows")
	}
}

// TestHostileLinks: a link must not bring another file's trust, nor show what is in it.
func TestHostileLinks(t *testing.T) {
	w := newWorld(t)
	trusted := w.write(filepath.Join(filepath.Dir(w.workspace), "outside", "lspi.toml"), wanting)
	if _, err := w.store().TrustFile(trusted); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(w.workspace, "lspi.toml")
	if err := os.Symlink(trusted, link); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	check := func(path string) {
		t.Helper()
		c := w.load()
		want := []Finding{{Severity: SeverityWarning, Kind: FindingUntrusted, File: path,
			Message: "not read: this is a link to a file outside the workspace",
			Fix:     "name it with --config or LSPI_CONFIG_PATH"}}
		testkit.Diff(t, c.Findings, want)
		if c.Sources[0].Trusted || c.Configured != nil {
			t.Errorf("%+v", c)
		}
	}
	check(link)
	os.Remove(link)
	w.write(filepath.Join(w.workspace, "..", "outside", "config.toml"), wanting)
	testkit.Must(t, os.Symlink(filepath.Dir(trusted), filepath.Join(w.workspace, ".lspi")))
	check(filepath.Join(w.workspace, ".lspi", "config.toml"))
}

// TestHostileMistakes: whatever is wrong with a stranger's file, calls go on, without anything that it says and
// read-only, because what nobody can read may have said so. What is wrong with a file of the user's stops them, and
// so it is when they trust the file.
func TestHostileMistakes(t *testing.T) {
	for name, c := range map[string]struct{ repo, says string }{
		"syntax": {"catalogue = false\n[mcp", "line 2: not valid TOML: "},
		"unknown key": {"catalogue = false\n[mcp]\ntoolz = 3",
			`line 3: unknown key "toolz": did you mean "tools"?`},
		"wrong type": {"catalogue = false\nmcp.read_only = 1",
			`line 2: "read_only" must be true or false, not an integer`},
		"no such folder": {"catalogue = false\nworkspace_root = \"gone\"", "line 2: the workspace "},
		"after merging": {"catalogue = false\n[[servers]]\nid = \"mine\"\nextensions = [\"m\"]",
			`the server "mine" is not in the catalogue`},
		"caps": {
			"catalogue = false\nmcp.output.max_total_chars_default = 2000\nmcp.output.max_total_chars_hard = 1500",
			`"max_total_chars_default" is 2000, above`},
		"more than is told": {"catalogue = false\n[a]\nb = 1\n[b]\n[c]\n[d]\n[e]\n[f]\n[g]\n", "and 2 more"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			without := w.sound()
			path := w.repo(c.repo)
			with := w.load()
			if with.Err() != nil || len(with.Findings) != 1 || with.Findings[0].Kind != FindingNotApplied ||
				with.Findings[0].Severity != SeverityWarning ||
				with.Findings[0].File != path || !strings.Contains(with.Findings[0].Message, c.says) ||
				!strings.Contains(with.Findings[0].Message, "nothing of this file") {
				t.Errorf("%v; findings %+v", with.Err(), with.Findings)
			}
			testkit.Equal(t, with.MCP.ReadOnly, true, "read-only")
			testkit.Equal(t, with.ReadOnlyBy, with.Findings[0].String(), "why")
			with.MCP.ReadOnly, with.ReadOnlyBy = false, ""
			if diff := cmp.Diff(*without, *with, cmpopts.IgnoreUnexported(Config{}),
				cmpopts.IgnoreFields(Config{}, "Sources", "Findings")); diff != "" {
				t.Errorf("the file had an effect:\n%s", diff)
			}
			write := false
			w.Flags.ReadOnly = &write
			forced := w.load()
			testkit.Equal(t, forced.MCP.ReadOnly, false, "read-only with --read-write")
			testkit.Equal(t, forced.ReadOnlyBy, "", "why, with --read-write")
			testkit.Equal(t, strings.Contains(forced.Findings[0].Message, "lspi is read-only"), false, "what is said then")
			w.ConfigFlag = path
			if w.load().Err() == nil {
				t.Error("a mistake in a file that --config names stops nothing")
			}
			w.ConfigFlag = ""
			_, err := w.store().TrustFile(path)
			testkit.Must(t, err)
			if w.load().Err() == nil {
				t.Error("a mistake in a file that the user trusts stops nothing")
			}
		})
	}
}

// TestHostileSize: a small text that would cost the decoder gigabytes is refused before it sees it.
func TestHostileSize(t *testing.T) {
	for name, text := range map[string]string{
		"long table name": "[" + strings.Repeat("a", 60_000) + "]\n" + strings.Repeat("b=1\n", 10_000),
		"deep key":        strings.Repeat("a.", 30_000) + "a = 1",
		"deep array":      "a = " + strings.Repeat("[", 60_000),
		"deep table":      "a = " + strings.Repeat("{a=", 30_000),
	} {
		w := newWorld(t)
		w.repo(text)
		c := w.load()
		if len(c.Findings) != 1 || c.Findings[0].Kind != FindingNotApplied || !strings.Contains(c.Findings[0].Message,
			"nested deeper") {
			t.Errorf("%s: %.200v", name, c.Findings)
		}
	}
}

// TestHostileKey: a stranger does not choose how long a finding is.
func TestHostileKey(t *testing.T) {
	w := newWorld(t)
	w.repo("\"" + strings.Repeat("é", 5_000) + "\" = 1")
	if f := w.load().Findings; len(f) != 1 || len(f[0].Key) > maxKeyShown+3 || !utf8.ValidString(f[0].Key) ||
		len(f[0].Message) > 500 {
		t.Errorf("%.3000v", f)
	}
}

// TestHostileCount: what costs time for each item is bounded.
func TestHostileCount(t *testing.T) {
	for text, want := range map[string]string{
		"workspace_folders = [" + strings.Repeat("\"x\",", 300) +
			"]": `"workspace_folders" has 300 items, the most is 256`,
		"[[servers]]\nid = \"gopls\"\nextensions = [" + strings.Repeat("\"x\",", 300) +
			"]": `"extensions" has 300 items, the most is 256`,
		strings.Repeat("[[servers]]\nid = \"gopls\"\n",
			300): `there are 300 servers, the most is 256`,
	} {
		w := newWorld(t)
		w.repo(text)
		if c := w.load(); len(c.Findings) != 1 || !strings.HasSuffix(c.Findings[0].Message, ": "+want) {
			t.Errorf("%.300v, want %s", c.Findings, want)
		}
	}
}

// TestSecretsStayInside: values of env, and of what MCP servers are given, are in no finding, whatever is wrong
// with them.
func TestSecretsStayInside(t *testing.T) {
	const secret = "hunter2secret"
	for _, value := range []string{
		`{ T = "` + secret + `" }`, `"` + secret + `"`, `["` + secret + `"]`, `{ T = ["` + secret + `"] }`, `{ T = ` +
			secret + ` }`,
		`{ T = "` + secret + `", T = "` + secret + `" }`, `{ T = "` + secret + `\q" }`, `{ "" = "` + secret + `" }`,
		`{ T = 1` + secret + ` }`,
		`{ T = "` + secret + `\u0000" }`, `{ T = { A = "` + secret + `" } }`,
	} {
		for _, place := range []string{"[[servers]]\nid = \"gopls\"\nenv = ", "[mcp_servers.x]\nenv = ",
			"[mcp_servers.x]\nheaders = ", "[mcp_servers.x]\nargs = ", "[mcp_servers.x]\nurl = "} {
			w := newWorld(t)
			w.user(place + value)
			c := w.load()
			var said []string
			for _, f := range c.Findings {
				said = append(said, f.String(), f.Key, f.Fix)
			}
			if err := c.Err(); err != nil {
				said = append(said, err.Error())
			}
			if slices.ContainsFunc(said, func(s string) bool { return strings.Contains(s, "hunter") }) {
				t.Errorf("%s%s: %q", place, value, said)
			}
		}
	}
}
