package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/internal/testkit"
	"lspi/lsp"
	"lspi/lsp/launch"
	"lspi/lsp/spec"
)

// mixed is a workspace of three languages and some data, on a machine that has a server for one, a broken one for
// another, and none for the third.
func mixed(t *testing.T) *Report {
	t.Helper()
	c, dir := loaded(t, map[string]string{
		"go.mod": "module x\n\ngo 1.26\n", "main.go": "package main\n", "b.go": "package main\n",
		"c.go": "package main\n",
		"a.rs": "", "b.rs": "", "Cargo.toml": "", "tool.py": "", "README.md": "",
		"lspi.toml": "[mcp]\nread_onyl = true\n",
	})
	machine := facts{
		programs: []string{"go", "cargo", "rustc", "pipx", "apt-get"}, servers: []string{"gopls", "rust-analyzer"},
		goBuilt: "go1.26.0",
		output: map[string]Output{
			"/bin/gopls version": {Stdout: "golang.org/x/tools/gopls v0.23.0\n"},
			"/bin/rust-analyzer --version": {Err: errors.New("exit status 1"),
				Stderr: "error: Unknown binary 'rust-analyzer' in official toolchain 'stable'.\n"},
			`/bin/sh -lc echo "lspi-path=$PATH"`: {Stdout: "lspi-path=/bin\n"},
		},
		env:   map[string]string{"SHELL": "/bin/sh"},
		files: map[string]string{watchesFile: "65536", dir + "/go.mod": "module x\n\ngo 1.26\n"},
	}.machine()
	crash := contract.Errorf(contract.KindServerStartFailed,
		contract.Facts{"tried": []string{"/bin/rust-analyzer: exit status 1"},
			"stderr_tail": []string{"error: Unknown binary 'rust-analyzer' in official toolchain 'stable'."}},
		"starting rust-analyzer: EOF")
	return Examine(t.Context(), Options{Config: c, From: "--workspace-root", Version: "1.0.0", Machine: machine,
		Files: source.OS{},
		Probe: fakeProber{probed: map[string]Probed{
			"gopls": {Root: dir, Start: 84 * time.Millisecond, Asked: 1200 * time.Millisecond, Holds: true,
				Status: lsp.Status{Ready: true, Known: true, Evidence: "work done progress ended"},
				Memory: 212 << 20,
				Snapshot: lsp.State{Command: "/bin/gopls", Version: "0.23.0",
					Methods: []string{lsp.MethodDefinition, lsp.MethodReferences, lsp.MethodImplementation,
						lsp.MethodCallHierarchy, lsp.MethodHover, lsp.MethodDocumentSymbol, lsp.MethodWorkspaceSymbol}},
				Question: "symbols of main.go, definition of main", Answer: "1 symbol, main.go:3"},
			"rust-analyzer": {Root: dir, Err: crash},
		}}})
}

func TestGoldens(t *testing.T) {
	r := mixed(t)
	raw, err := json.MarshalIndent(r, "", "  ")
	testkit.Must(t, err)
	plain := func(text string) string {
		text = strings.ReplaceAll(text, r.Workspace.Root, "<WORKSPACE_ROOT>")
		for _, s := range r.Config.Sources {
			text = strings.ReplaceAll(text, s.SHA256, "<SHA256>")
		}
		return strings.ReplaceAll(text, r.Platform, "<PLATFORM>")
	}
	var text, colour strings.Builder
	testkit.Must(t, errors.Join(r.Text(&text, false), r.Text(&colour, true)))
	golden(t, "mixed.json", plain(string(raw))+"\n")
	golden(t, "mixed.txt", plain(text.String()))
	if strings.Contains(text.String(), "\x1b") || !strings.Contains(colour.String(), "\x1b[31mproblem") {
		t.Error("colours are for terminals only")
	}
	if r.OK || r.SchemaVersion != SchemaVersion {
		t.Errorf("ok %v, schema %d", r.OK, r.SchemaVersion)
	}
}

// Data, markup and scripts need no server, and an empty workspace needs nothing.
func TestWhatIsNeeded(t *testing.T) {
	for _, c := range []struct {
		files map[string]string
		ok    bool
		notes int
	}{
		{map[string]string{}, true, 1},
		{map[string]string{"x.unknown": ""}, true, 1},
		{map[string]string{"README.md": "", "a.json": "", "b.sh": ""}, true, 4},
		{map[string]string{"README.md": "", "a.py": ""}, false, 1},
	} {
		conf, _ := loaded(t, c.files)
		r := Examine(t.Context(), Options{Config: conf, Machine: facts{os: "darwin"}.machine(), Files: source.OS{},
			Probe: fakeProber{}})
		if r.OK != c.ok || r.Notes != c.notes {
			t.Errorf("%v: ok %v, %d notes: %+v", c.files, r.OK, r.Notes, r.Languages)
		}
		var text strings.Builder
		_ = r.Text(&text, false)
		testkit.Equal(t, strings.Contains(text.String(), "no source code in "+r.Workspace.Root), c.ok, c.files,
			"that there is nothing to serve is told", text.String())
	}
}

// When the first server that is installed does not work, the next one is tried, as the tools do.
func TestNextServer(t *testing.T) {
	conf, _ := loaded(t, map[string]string{"a.py": ""})
	r := Examine(t.Context(),
		Options{Config: conf, Machine: facts{os: "darwin", servers: []string{"pyright", "pylsp"}}.machine(),
			Files: source.OS{},
			Probe: fakeProber{probed: map[string]Probed{"pyright": {Err: errors.New("exit status 1")},
				"pylsp": {Start: time.Second}}}})
	if l := r.Languages[0]; !r.OK || !l.OK || !slices.Equal(l.Servers, []string{"pyright", "pylsp"}) ||
		r.Servers[0].State != Fails {
		t.Errorf("%+v", r)
	}
}

// A program that the configuration names and that is not there is told, though another server is: the tools do not
// ask that one.
func TestConfiguredProgramIsMissing(t *testing.T) {
	conf, _ := loaded(t, map[string]string{"a.py": ""})
	i := slices.IndexFunc(conf.Specs, func(s spec.Spec) bool { return s.ID == "pyright" })
	conf.Specs[i].Commands = []spec.Command{{Name: "/gone/pyright", File: "/home/config.toml", Line: 3}}
	r := Examine(t.Context(),
		Options{Config: conf, Machine: facts{os: "darwin", servers: []string{"basedpyright"}}.machine(),
			Files: source.OS{},
			Probe: fakeProber{probed: map[string]Probed{"basedpyright": {Start: time.Second}}}})
	if l := r.Languages[0]; r.OK || l.OK || r.Problems != 1 || !slices.Equal(l.Servers, []string{"pyright"}) ||
		!slices.ContainsFunc(r.Servers[0].Install, func(fix string) bool {
			return strings.Contains(fix, "line 3 of /home/config.toml")
		}) {
		t.Errorf("%+v", r)
	}
}

// onlyPath makes a folder the whole PATH besides the system's, with no home.
func onlyPath(t *testing.T, dir string) {
	t.Helper()
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+"/bin")
	t.Setenv("HOME", t.TempDir())
	for _, name := range []string{"GOPATH", "GOBIN", "SHELL", "VIRTUAL_ENV"} {
		t.Setenv(name, "")
	}
}

func TestRealServer(t *testing.T) {
	bin, err := filepath.Abs("../../../../.servers/bin")
	testkit.Must(t, err)
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	if _, err := exec.LookPath("gopls"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("gopls is not installed; run scripts/servers.sh")
	}
	c, _ := loaded(t, map[string]string{"go.mod": "module example.com/x\n\ngo 1.24\n",
		"main.go": "package main\n\nimport \"fmt\"\n\n// greet greets.\nfunc greet() { fmt.Println(1) }\n\nfunc main() { greet() }\n"})
	l := live(t, c)
	r := Examine(t.Context(), Options{Config: c, Machine: ThisMachine(nil, nil), Files: source.OS{}, Probe: l})
	i := slices.IndexFunc(r.Servers, func(s Server) bool { return s.ID == "gopls" })
	if i < 0 {
		t.Fatalf("%+v", r)
	}
	s := r.Servers[i]
	if s.State != Works || s.Version != "0.23.0" || !s.Ready ||
		s.Question != "symbols of main.go, definition of greet" || s.Answer != "2 symbols, main.go:6" {
		t.Errorf("%+v", s)
	}
	testkit.Equal(t, len(l.Pool.Running()), 0, "a server still runs")
}

func TestMissingServer(t *testing.T) {
	onlyPath(t, t.TempDir())
	c, _ := loaded(t, map[string]string{"main.zig": "const x = 1;\n"})
	r := Examine(t.Context(), Options{Config: c, Machine: ThisMachine(nil, nil), Files: source.OS{}, Probe: live(t, c)})
	if r.OK || len(r.Servers) != 1 || r.Servers[0].State != Missing || len(r.Servers[0].Install) == 0 ||
		len(r.Servers[0].Tried) == 0 {
		t.Errorf("%+v", r)
	}
}

// A fake executable stands for rustup's proxy whose toolchain has no rust-analyzer.
func TestRustupProxy(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a shell script stands for the proxy")
	}
	dir := t.TempDir()
	script := "#!/bin/sh\necho \"error: Unknown binary 'rust-analyzer' in official toolchain 'stable-x86_64-unknown-linux-gnu'.\" >&2\nexit 1\n"
	testkit.WriteProgram(t, filepath.Join(dir, "rust-analyzer"), script)
	onlyPath(t, dir)
	c, _ := loaded(t, map[string]string{"Cargo.toml": "[package]\nname = \"x\"\nversion = \"0.1.0\"\n",
		"src/main.rs": "fn main() {}\n"})
	machine := ThisMachine(nil, nil)
	found := machine.Find
	machine.Find = func(s *spec.Spec) ([]launch.Candidate, []string) { // whatever else the system has
		all, tried := found(s)
		return slices.DeleteFunc(all, func(c launch.Candidate) bool { return filepath.Dir(c.Path) != dir }), tried
	}
	for i := range c.Specs {
		if c.Specs[i].ID == "rust-analyzer" {
			c.Specs[i].Commands = []spec.Command{{Name: filepath.Join(dir, "rust-analyzer")}}
		}
	}
	r := Examine(t.Context(), Options{Config: c, Machine: machine, Files: source.OS{}, Probe: live(t, c)})
	i := slices.IndexFunc(r.Servers, func(s Server) bool { return s.ID == "rust-analyzer" })
	if r.OK || i < 0 || r.Servers[i].State != Fails {
		t.Fatalf("%+v", r)
	}
	var fix []string
	for _, check := range r.Servers[i].Checks {
		if check.Name == "rustup_proxy" {
			fix = check.Fix
		}
	}
	if !slices.Equal(fix, []string{"rustup component add rust-analyzer"}) {
		t.Errorf("%+v", r.Servers[i])
	}
}

// together is a prober each of whose probes ends only when all of them run.
type together struct {
	fakeProber
	all *sync.WaitGroup
}

func (p together) Probe(context.Context, *spec.Spec, []string, Progress) Probed {
	p.all.Done()
	p.all.Wait()
	return Probed{}
}

// The slowest server decides how long the doctor takes, not the sum of all. A server that is second choice for a
// language is not started while the first works; the report has its usual order.
func TestServersAreProbedSideBySide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := loaded(t, map[string]string{"main.go": "package main\n", "a.rs": "", "b.rs": "", "tool.py": ""})
		machine := facts{servers: []string{"gopls", "rust-analyzer", "pyright", "pylsp"}}.machine()
		var all sync.WaitGroup
		all.Add(3) // a fourth would panic
		r := Examine(t.Context(), Options{Config: c, Machine: machine, Files: source.OS{}, Probe: together{all: &all}})
		var ids []string
		for _, s := range r.Servers {
			ids = append(ids, s.ID)
		}
		if want := []string{"rust-analyzer", "gopls", "pyright"}; !slices.Equal(ids, want) {
			t.Errorf("servers: %v, want %v", ids, want)
		}
	})
}
