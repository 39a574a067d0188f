package doctor

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"lspi/cmd/lspi/internal/config"
	"lspi/internal/testkit"
	"lspi/lsp/launch"
	"lspi/lsp/servers"
	"lspi/lsp/spec"
	"lspi/router"
)

func examining(f facts) *examination {
	return &examination{Options: Options{Machine: f.machine(), Config: &config.Config{}, Probe: fakeProber{}},
		report: &Report{},
		probed: map[*spec.Spec]*Server{}}
}

func catalogued(t *testing.T, id string) *spec.Spec {
	t.Helper()
	table := &router.Table{Specs: servers.Servers()}
	s, err := table.Server(id)
	testkit.Must(t, err)
	return s
}

func TestTraps(t *testing.T) {
	proxy := map[string]string{"/bin/x": "#!/usr/bin/env node\nrequire()\n"}
	for _, c := range []struct {
		name   string
		server string
		facts  facts
		state  Server
		want   []string // level and name
		fix    string   // is in the fixes
	}{
		{name: "a compilation database by cmake", server: "clangd", state: Server{lacksProject: true},
			facts: facts{files: map[string]string{"/w/CMakeLists.txt": "", "/w/Makefile": ""}},
			want:  []string{"problem no_compilation_database"}, fix: "cmake -S . -B build"},
		{name: "by meson", server: "clangd", state: Server{lacksProject: true},
			facts: facts{files: map[string]string{"/w/meson.build": ""}},
			want:  []string{"problem no_compilation_database"}, fix: "meson setup"},
		{name: "by bear, which is to be installed", server: "clangd", state: Server{lacksProject: true},
			facts: facts{files: map[string]string{"/w/Makefile": ""}, programs: []string{"apt-get", "sudo"}},
			want:  []string{"problem no_compilation_database"}, fix: "sudo apt-get install -y bear"},
		{name: "by bazel", server: "clangd", state: Server{lacksProject: true},
			facts: facts{files: map[string]string{"/w/WORKSPACE": ""}},
			want:  []string{"problem no_compilation_database"}, fix: "hedron"},
		{name: "by hand", server: "clangd", state: Server{lacksProject: true},
			want: []string{"problem no_compilation_database"}, fix: "compile_flags.txt"},
		{name: "by hand, for one file", server: "clangd", state: Server{lacksProject: true},
			facts: facts{files: map[string]string{"/w/compile_flags.txt": ""}},
			want:  []string{"warning no_compilation_database"}, fix: "write a compile_commands.json"},
		{name: "there is one", server: "clangd"},

		{name: "no go", server: "gopls", want: []string{"problem go_missing"}, fix: "Install go"},
		{name: "gopls is older than the module", server: "gopls",
			facts: facts{programs: []string{"go"}, goBuilt: "go1.25.3",
				files: map[string]string{"/w/go.mod": "module x\n\ngo 1.26.1\n"}}, want: []string{"warning go_version"},
			fix: "gopls@latest"},
		{name: "gopls is as new as the module", server: "gopls",
			facts: facts{programs: []string{"go"}, goBuilt: "go1.26.0",
				files: map[string]string{"/w/go.mod": "module x\n\ngo 1.26.1\n"}}},

		{name: "no rustc", server: "rust-analyzer", facts: facts{programs: []string{"curl"}},
			want: []string{"problem cargo_missing"}, fix: "rustup.rs"},
		{name: "no rust-src", server: "rust-analyzer", facts: facts{programs: []string{"cargo", "rustc"},
			output: map[string]Output{"rustc --print sysroot": {Stdout: "/sys\n"}}},
			want: []string{"note no_rust_src"}, fix: "rustup component add rust-src"},
		{name: "rust-src", server: "rust-analyzer", facts: facts{programs: []string{"cargo", "rustc"},
			output: map[string]Output{"rustc --print sysroot": {Stdout: "/sys\n"}},
			files:  map[string]string{"/sys/lib/rustlib/src/rust/library": ""}}},

		{name: "a virtual environment", server: "pyright",
			facts: facts{files: map[string]string{"/w/.venv/pyvenv.cfg": ""}}},
		{name: "that is gone", server: "pyright", facts: facts{env: map[string]string{"VIRTUAL_ENV": "/old"}},
			want: []string{"warning python_environment"}, fix: "unset"},

		{name: "no node", server: "pyright", facts: facts{files: map[string]string{"/bin/pyright": proxy["/bin/x"]},
			programs: []string{"brew"}},
			want: []string{"warning interpreter"}, fix: "brew install node"},
		{name: "the proxy of rustup", server: "rust-analyzer", facts: facts{programs: []string{"cargo", "rustc"},
			output: map[string]Output{"/bin/rust-analyzer --version": {Err: errors.New("exit status 1"),
				Stderr: "error: Unknown binary 'rust-analyzer' in official toolchain 'stable-x86_64-unknown-linux-gnu'.\n"}}},
			want: []string{"warning rustup_proxy"}, fix: "rustup component add rust-analyzer"},
		{name: "of a later rustup", server: "rust-analyzer", facts: facts{programs: []string{"cargo", "rustc"},
			output: map[string]Output{"/bin/rust-analyzer --version": {Err: errors.New("exit status 1"),
				Stderr: "error: 'rust-analyzer' is not installed for the toolchain 'stable'.\nTo install, run `rustup component add --toolchain stable rust-analyzer`\n"}}},
			want: []string{"warning rustup_proxy"}, fix: "rustup component add rust-analyzer"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, spec := examining(c.facts), catalogued(t, c.server)
			s := &c.state
			s.ID, s.State, s.Root, s.Command = c.server, Works, "/w", "/bin/"+c.server
			got := e.programs(t.Context(), spec, s, []launch.Candidate{{Path: s.Command}})
			for _, check := range serverChecks {
				if check.languages == nil || slices.Contains(check.languages, spec.Languages[0].ID) {
					got = append(got, check.check(t.Context(), e, spec, s)...)
				}
			}
			if !slices.Equal(names(got), c.want) {
				t.Fatalf("%v, want %v", got, c.want)
			}
			if len(got) > 0 && !strings.Contains(strings.Join(got[0].Fix, "\n"), c.fix) {
				t.Errorf("%v does not say %q", got[0].Fix, c.fix)
			}
		})
	}
}

func TestMachineChecks(t *testing.T) {
	shell := map[string]string{"SHELL": "/bin/zsh"}
	login := func(path string) map[string]Output {
		return map[string]Output{`/bin/zsh -lc echo "lspi-path=$PATH"`: {Stdout: "welcome\nlspi-path=" + path + "\n"}}
	}
	found := []Server{{ID: "gopls", Command: "/home/x/go/bin/gopls", From: "PATH"},
		{ID: "clangd", Command: "/usr/bin/clangd", From: "PATH"},
		{ID: "taplo", Command: "/opt/taplo", From: "well-known folder"}}
	for _, c := range []struct {
		name    string
		facts   facts
		folders int
		reason  string
		want    []string
		says    string
	}{
		{name: "all is well", facts: facts{env: shell, output: login("/usr/bin:/home/x/go/bin"),
			files: map[string]string{watchesFile: "65536\n", instancesFile: "128\n"}}, folders: 100,
			want: []string{"ok watching", "ok inotify", "ok path"}},
		{name: "few watches", facts: facts{files: map[string]string{watchesFile: "8192"}}, folders: 5000,
			want: []string{"ok watching", "warning inotify_watches"}, says: "max_user_watches=524288"},
		{name: "few instances", facts: facts{files: map[string]string{watchesFile: "65536", instancesFile: "16"}},
			want: []string{"ok watching", "note inotify_instances"}, says: "max_user_instances"},
		{name: "no events", facts: facts{os: "darwin"}, reason: "not on this system",
			want: []string{"warning watching"}, says: "not on this system"},
		{name: "another PATH", facts: facts{os: "darwin", env: shell, output: login("/usr/bin")},
			want: []string{"ok watching", "note path"}, says: "gopls (/home/x/go/bin)"},
		{name: "a shell that does not tell", facts: facts{os: "darwin", env: shell}, want: []string{"ok watching"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := examining(c.facts)
			e.Probe = fakeProber{reason: c.reason}
			e.report.Servers, e.report.Workspace.Folders = found, c.folders
			e.askLogin(t.Context())
			var got []Check
			for _, check := range machineChecks {
				got = append(got, check(t.Context(), e)...)
			}
			if !slices.Equal(names(got), c.want) {
				t.Fatalf("%v, want %v", got, c.want)
			}
			var all strings.Builder
			for _, g := range got {
				all.WriteString(g.Message + strings.Join(g.Fix, ""))
			}
			testkit.Holds(t, all.String(), c.says, got, "does not say")
		})
	}
}

// A server that the shell finds and lspi does not is not simply missing.
func TestMissingButInTheShell(t *testing.T) {
	e := examining(facts{env: map[string]string{"SHELL": "/bin/sh"}, files: map[string]string{"/x/go/bin/gopls": ""},
		output: map[string]Output{`/bin/sh -lc echo "lspi-path=$PATH"`: {Stdout: "lspi-path=/bin:/x/go/bin\n"}}})
	e.askLogin(t.Context())
	got := e.foundByShell(catalogued(t, "gopls"))
	if len(got) != 1 || !strings.Contains(got[0].Message, "/x/go/bin/gopls") {
		t.Errorf("%v", got)
	}
}
