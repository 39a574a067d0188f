package tools

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"lspi/internal/testkit"
	"lspi/lsp/servers"
	"lspi/router"
	"lspi/tools/session"
	"lspi/tools/toolstest"
)

// inEnvironments are sessions of one process over one root, as hosts open them that were started with other
// variables: one for each environment, which is this process's with more entries.
func inEnvironments(t *testing.T, dir, server string, environments ...[]string) (out []*session.Session) {
	t.Helper()
	process, cache := toolstest.NewProcess(t), filepath.Join(t.TempDir(), "cache")
	for _, more := range environments {
		table := &router.Table{Workspace: dir, Specs: toolstest.Catalogue(server),
			Environ: append(os.Environ(), more...)}
		for i := range table.Specs {
			table.Specs[i].Environ = table.Environ
		}
		w, err := process.Open(strings.Join(more, "\n"), table, router.PoolOptions{Launcher: servers.Launcher,
			Cache: cache})
		testkit.Must(t, err)
		session := &session.Session{Workspace: w}
		t.Cleanup(session.Close)
		out = append(out, session)
	}
	return out
}

// oneAfterAnother lets the sessions ask in turn, in either order, and then all at once.
func oneAfterAnother(all []*session.Session, ask func(i int)) {
	for range 2 {
		for i := range all {
			ask(i)
		}
		for i := range slices.Backward(all) {
			ask(i)
		}
	}
	var together sync.WaitGroup
	for i := range all {
		together.Go(func() {
			for range 3 {
				ask(i)
			}
		})
	}
	together.Wait()
}

// apart checks that each session has a process of the server of its own.
func apart(t *testing.T, all []*session.Session) {
	t.Helper()
	pids := map[int]bool{}
	for _, s := range all {
		for _, server := range s.Workspace.Pool.Running() {
			pids[server.PID()] = true
		}
	}
	if len(pids) != len(all) {
		t.Errorf("%d sessions with environments of their own have %d processes", len(all), len(pids))
	}
}

// The build of gopls is that of GOFLAGS as each host has it, whichever host asks first and however their questions
// meet.
func TestGoFlagsOfTheOtherSession(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "gopls")
	files := map[string]string{
		"go.mod":   "module ex.com/flags\n\ngo 1.24\n",
		"use.go":   "package flags\n\nvar X = Choice()\n",
		"with.go":  "//go:build x\n\npackage flags\n\nfunc Choice() int { return Tagged() }\n\nfunc Tagged() int { return 1 }\n",
		"plain.go": "//go:build !x\n\npackage flags\n\nfunc Choice() int { return Untagged() }\n\nfunc Untagged() int { return 2 }\n",
	}
	for _, c := range []struct {
		name         string
		environments [][]string
		file, names  []string // of each session
	}{
		{"the tag first", [][]string{{"GOFLAGS=-tags=x"}, {"GOFLAGS="}}, []string{"with.go", "plain.go"},
			[]string{"Tagged", "Untagged"}},
		{"the tag second", [][]string{{"GOFLAGS="}, {"GOFLAGS=-tags=x"}}, []string{"plain.go", "with.go"},
			[]string{"Untagged", "Tagged"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			all := inEnvironments(t, project(t, files), "gopls", c.environments...)
			oneAfterAnother(all, func(i int) {
				defined := run(t, all[i], "find_definition",
					map[string]any{"file_path": "use.go", "symbol_name": "Choice"})
				if found, _ := defined["definitions"].([]any); len(found) != 1 ||
					found[0].(map[string]any)["file_path"] != c.file[i] {
					t.Errorf("%v: the definition is not in %s: %v", c.environments[i], c.file[i], defined)
				}
				found := run(t, all[i], "search_workspace_symbols", map[string]any{"query": "agged"})
				want := fmt.Sprintf("[%s:7 function %s: func() int]", c.file[i], c.names[i])
				// lspi's own look at the build says which of the two files gopls does not read.
				left := warningOf(found, "unlisted_sources")
				if fmt.Sprint(found["symbols"]) != want || left == nil || fmt.Sprint(left["files"]) != "["+c.file[1-i]+
					"]" {
					t.Errorf("%v: %s wanted: %v", c.environments[i], want, found)
				}
			})
			apart(t, all)
		})
	}
}

// The packages that pyright knows are those of the environment that each host has activated.
func TestVirtualEnvironmentOfTheOtherSession(t *testing.T) {
	testkit.Always(t, "pyright") // TestGoFlagsOfTheOtherSession is the same of gopls
	t.Parallel()
	needServer(t, "pyright-langserver")
	needServer(t, "python3")
	dir := project(t,
		map[string]string{"pyproject.toml": "", "a.py": "import only0\nimport only1\n\nonly0.here()\nonly1.here()\n"})
	var environments [][]string
	var modules []string
	for i := range 2 {
		home := filepath.Join(t.TempDir(), "venv")
		if out, err := exec.Command("python3", "-m", "venv", "--without-pip", home).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		packages, err := filepath.Glob(filepath.Join(home, "lib", "python*", "site-packages"))
		if err != nil || len(packages) != 1 {
			t.Fatalf("%v, %v", packages, err)
		}
		modules = append(modules, filepath.Join(packages[0], fmt.Sprintf("only%d.py", i)))
		testkit.Write(t, modules[i], "def here(): return 1\n")
		// As bin/activate sets them.
		environments = append(environments, []string{"VIRTUAL_ENV=" + home, "PATH=" + filepath.Join(home, "bin") +
			string(os.PathListSeparator) + os.Getenv("PATH")})
	}
	all := inEnvironments(t, dir, "pyright", environments...)
	oneAfterAnother(all, func(i int) {
		if found := run(t, all[i], "get_diagnostics",
			map[string]any{"file_path": "a.py", "severities": []string{"error"}}); found["total"] != 1.0 ||
			!strings.Contains(fmt.Sprint(found), fmt.Sprintf(`"only%d"`, 1-i)) {
			t.Errorf("with only%d: %v", i, found)
		}
		for other := range 2 {
			defined := run(t, all[i], "find_definition", map[string]any{"file_path": "a.py", "line": 4 + other,
				"symbol_name": "here"})
			if found, _ := defined["definitions"].([]any); (len(found) == 1 &&
				found[0].(map[string]any)["file_path"] == modules[other]) != (other == i) {
				t.Errorf("only%d asked with only%d: %v", other, i, defined)
			}
		}
	})
	apart(t, all)
}
