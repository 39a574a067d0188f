package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lspi/cmd/lspi/internal/trust"
	"lspi/internal/source"
	"lspi/internal/testkit"
	"lspi/lsp/spec"
)

func TestNoFile(t *testing.T) {
	w := newWorld(t)
	c := w.sound()
	want := MCP{
		Context: "full", CallTimeout: 50 * time.Second, Share: "auto", Text: "auto",
		Output: Output{MaxTotalCharsDefault: 24_000, MaxTotalCharsHard: 2_000_000, EchoInput: "errors",
			Shape: "today"},
		Tools: Tools{Exclude: []string{}, Raw: []string{}}, Generated: source.GeneratedNames(),
	}
	testkit.Diff(t, c.MCP, want)
	testkit.Diff(t, c.Logging, Logging{Level: "warn"})
	testkit.Diff(t, c.Specs, rows())
	if c.Workspace != w.workspace || !cmp.Equal(c.Roots, []string{w.workspace}) || c.Configured != nil ||
		c.Sources != nil || c.Given("mcp") {
		t.Errorf("%+v", c)
	}
}

func TestPrecedence(t *testing.T) {
	w := newWorld(t)
	explicit := filepath.Join(w.home, "explicit.toml")
	env := w.write(filepath.Join(w.home, "env.toml"),
		"[mcp]\ncall_timeout_ms = 3000\n[mcp.output]\necho_input = \"never\"")
	w.user("[mcp]\ncall_timeout_ms = 1000\nwarmup = true\n[logging]\nlevel = \"debug\"")
	w.repo("[mcp]\ncall_timeout_ms = 2000")

	read := func() (time.Duration, string) { c := w.load(); return c.MCP.CallTimeout, kinds(c) }
	steps := []struct {
		name  string
		do    func()
		want  time.Duration
		files string
	}{
		{"the workspace over the user", func() {}, 2 * time.Second, "user workspace"},
		{"the variable replaces the workspace", func() {
			w.env["LSPI_CONFIG_PATH"] = env
		}, 3 * time.Second, "user env"},
		{"the flag over the variable", func() {
			w.ConfigFlag = w.write(explicit, "[mcp]\ncall_timeout_ms = 4000")
		}, 4 * time.Second, "user env flag"},
	}
	for _, s := range steps {
		s.do()
		if got, files := read(); got != s.want || files != s.files {
			t.Errorf("%s: %v from %s, want %v from %s", s.name, got, files, s.want, s.files)
		}
	}
	c := w.sound()
	if !c.MCP.Warmup || c.Logging.Level != "debug" || c.MCP.Output.EchoInput != "never" {
		t.Errorf("keys of lower files are lost: %+v %+v", c.MCP, c.Logging)
	}
	if !c.Given("mcp.warmup") || !c.Given("mcp.output") || c.Given("mcp.mode") {
		t.Error("Given does not know what the files set")
	}
	no := false
	w.Flags = Flags{Context: "codex", Warmup: &no, LogLevel: "error", LogFile: "log"}
	c = w.sound()
	if c.MCP.Context != "codex" || !c.MCP.ReadOnly || c.MCP.Warmup || c.Logging.Level != "error" ||
		c.Logging.File != filepath.Join(w.workspace, "log") {
		t.Errorf("flags do not win: %+v %+v", c.MCP, c.Logging)
	}
}

func kinds(c *Config) string {
	var out []string
	for _, s := range c.Sources {
		out = append(out, string(s.Kind))
	}
	return strings.Join(out, " ")
}

func TestReadOnly(t *testing.T) {
	yes, no := true, false
	for _, c := range []struct {
		name, text string
		flags      Flags
		want       bool
	}{
		{"default", "", Flags{}, false},
		{"context codex", "mcp.context = \"codex\"", Flags{}, true},
		{"context claude", "mcp.context = \"claude\"", Flags{}, false},
		{"mode over context", "mcp.context = \"codex\"\nmcp.mode = \"refactor\"", Flags{}, false},
		{"mode navigation", "mcp.mode = \"navigation\"", Flags{}, true},
		{"key over mode", "mcp.mode = \"navigation\"\nmcp.read_only = false", Flags{}, false},
		{"key over context flag", "mcp.read_only = false", Flags{Context: "navigation"}, false},
		{"flag over key", "mcp.read_only = false", Flags{ReadOnly: &yes}, true},
		{"flag over key, other way", "mcp.read_only = true", Flags{ReadOnly: &no}, false},
		{"wrong file keeps writing off", "mcp.read_only = \"yes\"", Flags{}, true},
	} {
		w := newWorld(t)
		w.user(c.text)
		w.Flags = c.flags
		testkit.Equal(t, w.load().MCP.ReadOnly, c.want, c.name, "read only")
	}
}

func TestFlagsAreChecked(t *testing.T) {
	for _, c := range []struct {
		flags Flags
		want  string
	}{
		{Flags{Mode: "refacto"}, `--mode must be one of navigation, refactor, not "refacto": did you mean "refactor"?`},
		{Flags{Context: "x"}, `--context must be one of full, claude, codex, navigation, not "x"`},
		{Flags{LogLevel: "trace"}, `--log-level must be one of debug, info, warn, error, not "trace"`},
	} {
		w := newWorld(t)
		w.Flags = c.flags
		if _, err := Load(w.Options); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

func TestServerOverRow(t *testing.T) {
	w := newWorld(t)
	for _, d := range []string{"crates/a", "more"} {
		testkit.Must(t, os.MkdirAll(filepath.Join(w.workspace, d), 0o755))
	}
	path := w.user(`
[[servers]]
id = "rust-analyzer"
kind = "rust_analyzer"
command = "./bin/ra"
root_dir = "crates/a"
workspace_folders = ["more", "more"]
initialize_timeout_ms = 1000
request_timeout_overrides_ms = { "textDocument/hover" = 5 }
restart_interval_minutes = 2
workspace_configuration = { rust-analyzer = { check = { command = "clippy" } } }

[[servers]]
id = "typescript-language-server"
env = { TOKEN = "s3cret" }
extensions = [".TS", "mts", "ts"]

[[servers]]
id = "ra-stable"
kind = "generic"
adapter = "rust-analyzer"
command = "ra"
extensions = ["rs"]

[[servers]]
id = "go-two"
kind = "gopls"
args = ["-v"]
workspace_configuration = { gopls = { hints = { b = true } } }
`)
	c := w.sound()
	testkit.Diff(t, ids(c.Specs), []string{"rust-analyzer", "typescript-language-server", "ra-stable", "go-two"})
	ra := c.spec("rust-analyzer")
	want := rows()[1]
	want.Commands = []spec.Command{{Name: filepath.Join(w.home, ".config", "lspi", "bin", "ra"),
		File: c.Sources[0].Path, Line: 5}}
	want.RootDir = filepath.Join(w.workspace, "crates", "a")
	want.Folders = []string{filepath.Join(w.workspace, "more")}
	want.Settings = map[string]any{"rust-analyzer": map[string]any{"check": map[string]any{"command": "clippy"}}}
	want.Timeouts = spec.Timeouts{Initialize: time.Second, Restart: 2 * time.Minute,
		Requests: map[string]time.Duration{"textDocument/hover": 5 * time.Millisecond}}
	testkit.Diff(t, *ra, want)
	ts := c.spec("typescript-language-server")
	testkit.Diff(t, ts.Languages, []spec.Language{{ID: "typescript", Extensions: []string{"ts"}},
		{ID: "mts", Extensions: []string{"mts"}}})
	testkit.Diff(t, ts.Env, map[string]string{"BASE": "1", "TOKEN": "s3cret"})
	own := c.spec("ra-stable")
	if own.Kind != "" || own.Readiness.Sign != spec.SignServerStatus || own.LanguageID("a.rs") != "rust" ||
		len(own.Roots.Groups) != 1 {
		t.Errorf("adapter: %+v", own)
	}
	two := c.spec("go-two")
	settings := map[string]any{"gopls": map[string]any{"staticcheck": true,
		"hints": map[string]any{"a": true, "b": true}}}
	testkit.Diff(t, two.Settings, settings)
	testkit.Diff(t, two.Commands, []spec.Command{{Name: "gopls", Args: []string{"-v"}}})
	testkit.Diff(t, w.Catalogue, rows(), "the catalogue was written to")
	roots := []string{w.workspace, filepath.Join(w.workspace, "more")}
	testkit.Diff(t, c.Roots, roots)
	shown := c.Configured[1]
	if shown.File != path || !shown.Enabled {
		t.Errorf("%+v", shown)
	}
}

func TestCatalogueAndDisabled(t *testing.T) {
	w := newWorld(t)
	w.user("[[servers]]\nid = \"gopls\"\nenabled = false\n[[servers]]\nid = \"ra2\"\nkind = \"rust-analyzer\"\nenabled = false")
	c := w.sound()
	testkit.Diff(t, ids(c.Specs), []string{"rust-analyzer", "typescript-language-server"})
	testkit.Diff(t, ids(c.Disabled), []string{"gopls", "ra2"})
	w.user("catalogue = false\n[[servers]]\nid = \"gopls\"")
	testkit.Diff(t, ids(w.sound().Specs), []string{"gopls"})
}

// TestMergeByID: the workspace's servers come first, each laid over the user's of the same id.
func TestMergeByID(t *testing.T) {
	w := newWorld(t)
	w.user("[[servers]]\nid = \"gopls\"\nargs = [\"-x\"]\nenv = { A = \"1\" }\n[[servers]]\nid = \"mine\"\ncommand = \"mine\"\nextensions = [\"m\"]")
	path := w.repo("[[servers]]\nid = \"rust-analyzer\"\n[[servers]]\nid = \"gopls\"\nrequest_timeout_ms = 70000")
	c := w.sound()
	testkit.Diff(t, ids(c.Specs), []string{"rust-analyzer", "gopls", "mine", "typescript-language-server"})
	g := c.spec("gopls")
	if g.Timeouts.Request != 70*time.Second || g.Env["A"] != "1" || !cmp.Equal(g.Commands[0].Args, []string{"-x"}) {
		t.Errorf("%+v", g)
	}
	testkit.Equal(t, c.Configured[1].File, path)
}

func TestWorkspaceRootKey(t *testing.T) {
	w := newWorld(t)
	sub := filepath.Join(w.workspace, "sub")
	testkit.Must(t, os.MkdirAll(sub, 0o755))
	w.write(filepath.Join(w.workspace, ".lspi", "config.toml"), "workspace_root = \"sub\"")
	if c := w.load(); c.Workspace != sub || !cmp.Equal(c.Roots, []string{sub}) {
		t.Errorf("%s %v, want %s: relative to the folder that holds .lspi", c.Workspace, c.Roots, sub)
	}
	w.WorkspaceFlag = w.workspace
	if c := w.sound(); c.Workspace != w.workspace {
		t.Errorf("%s: the flag does not win", c.Workspace)
	}
	w.WorkspaceFlag = ""
	w.ConfigFlag = w.write(filepath.Join(w.workspace, ".lspi", "config.toml"), "workspace_root = \"gone\"")
	c := w.load()
	if len(c.Errors()) != 1 || c.Errors()[0].Message != "the workspace "+filepath.Join(w.workspace, "gone")+
		" does not exist" {
		t.Errorf("%v", c.Findings)
	}
}

func TestFilesThatCannotBeRead(t *testing.T) {
	for _, c := range []struct {
		name, want string
		make       func(w *world, path string)
	}{
		{"missing", "the file does not exist", func(*world, string) {}},
		{"folder", "this is a folder, not a file", func(w *world, path string) { os.Mkdir(path, 0o755) }},
		{"large", "the file is larger than 131072 bytes", func(w *world, path string) {
			w.write(path, strings.Repeat("#", trust.MaxFile+1))
		}},
	} {
		w := newWorld(t)
		w.ConfigFlag = filepath.Join(w.home, "x.toml")
		c.make(w, w.ConfigFlag)
		cfg := w.load()
		if len(cfg.Findings) != 1 || cfg.Findings[0].Message != c.want || cfg.Findings[0].Kind != FindingUnreadable {
			t.Errorf("%s: %v, want %s", c.name, cfg.Findings, c.want)
		}
		want := "reading the configuration: " + w.ConfigFlag + ": " + c.want
		if err := cfg.Err(); err == nil || err.Message != want {
			t.Errorf("%s: %v, want %s", c.name, err, want)
		}
	}
}

func TestErrNamesTheFirstAndCountsTheRest(t *testing.T) {
	w := newWorld(t)
	path := w.user("a = 1\nbb = 1\nccc = 1\ndddd = 1\neeeee = 1\nzzzzzz = 1")
	err := w.load().Err()
	if err == nil || !strings.HasPrefix(err.Message, "reading the configuration: "+path+":1:1: unknown key \"a\"") ||
		!strings.HasSuffix(err.Message, "; and 1 more") {
		t.Errorf("%v", err)
	}
	if err.Facts["file"] != path || err.Facts["line"] != 1 || err.Facts["key"] != "a" {
		t.Errorf("%v", err.Facts)
	}
}

func TestByteOrderMark(t *testing.T) {
	w := newWorld(t)
	w.user("\ufeffcatalogue = false\nx = 1")
	if c := w.load(); len(c.Findings) != 1 || c.Findings[0].Line != 2 || c.Findings[0].Column != 1 {
		t.Errorf("%v", c.Findings)
	}
}

func TestFindingsAreBounded(t *testing.T) {
	w := newWorld(t)
	var text strings.Builder
	for i := range 500 {
		text.WriteString("zzzzzzzzz" + strings.Repeat("q", i%50) + string(rune('a'+i%26)) + "_" +
			time.Duration(i).String() + " = 1\n")
	}
	w.user(text.String())
	c := w.load()
	if len(c.Findings) != maxFindings+1 || c.Findings[maxFindings].Message != "400 more findings" {
		t.Errorf("%d findings, last %v", len(c.Findings), c.Findings[len(c.Findings)-1])
	}
}

// FuzzLoad: no text makes Load panic, and no untrusted text sets a command.
func FuzzLoad(f *testing.F) {
	if example, err := os.ReadFile("../../../../lspi.toml.example"); err == nil {
		f.Add(string(example))
		f.Add(uncommented(string(example)))
	}
	f.Add("[[servers]]\nid=\"gopls\"\ncommand=\"evil\"\nargs=['x']\nenv.A='b'\n[mcp.tools]\nallow=['lsp_request']")
	f.Add("servers = [{id='a',kind='generic',command='evil',extensions=['x']}]")
	f.Add("workspace_root='..'\nworkspace_folders=['/','~/']\n[[servers]]\nid='gopls'\ncwd='../..'")
	w := newFuzzWorld(f)
	f.Fuzz(func(t *testing.T, text string) {
		w.t = t
		w.repo(text)
		c := w.load()
		for _, s := range c.Specs {
			known := row(w.Catalogue, s.Kind)
			if known == nil || !cmp.Equal(known.Commands, s.Commands) || !cmp.Equal(known.Env, s.Env) {
				t.Fatalf("%q starts %+v", text, s)
			}
		}
		for _, root := range c.Roots {
			if !source.Within(w.workspace, root) {
				t.Fatalf("%q opens %s", text, root)
			}
		}
	})
}
