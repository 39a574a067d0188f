package testkit

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// Dir returns the folder into which scripts/servers.sh and scripts/corpora.sh install: LSPI_SERVERS, else .servers of
// the project.
func Dir() string {
	if dir := os.Getenv("LSPI_SERVERS"); dir != "" {
		if abs, err := filepath.Abs(dir); err == nil {
			return abs
		}
		return dir
	}
	return filepath.Join(root(), ".servers")
}

// root returns the folder of the project: the nearest one from the working directory upwards with a go.mod, because a
// test runs in its package's folder. Without one it returns the working directory.
func root() string {
	here, err := os.Getwd()
	if err != nil {
		return "."
	}
	for dir := here; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return here
		}
	}
}

// ServerEnv returns environment variables with which the server of a row in lsp/servers starts quickly; nil for none.
func ServerEnv(row string) map[string]string {
	switch row {
	case "clangd":
		return map[string]string{"XDG_CONFIG_HOME": ClangdHome()}
	case "rust-analyzer":
		return map[string]string{"RUST_SRC_PATH": SmallStd()}
	}
	return nil
}

// ClangdHome returns a folder for XDG_CONFIG_HOME with a configuration of clangd and nothing else.
func ClangdHome() string { return filepath.Join(root(), "testdata", "clangd-home") }

// SmallStd returns a folder for RUST_SRC_PATH with a standard library of a few macros, for projects that use nothing of
// the real one: its sources take nine tenths of a start of rust-analyzer (1.97.1: 6 s of CPU instead of 0.6 s). cargo
// and rustc use the real one all the same.
func SmallStd() string { return filepath.Join(root(), "testdata", "small-std") }

// Path puts the programs of Dir first on PATH, for the rest of the process, so that tests that need them can run in
// parallel.
func Path() {
	bin, path := filepath.Join(Dir(), "bin"), os.Getenv("PATH")
	if !slices.Contains(filepath.SplitList(path), bin) {
		_ = os.Setenv("PATH", bin+string(filepath.ListSeparator)+path)
	}
}

// Need makes sure that programs are on PATH, which then has those of Dir. A test whose program is missing fails in CI
// (CI is set) and is skipped elsewhere.
func Need(t testing.TB, programs ...string) {
	t.Helper()
	Path()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			missing(t, p+" is not installed: run scripts/servers.sh")
		}
	}
}

// Corpus returns the folder of a repository that scripts/corpora.sh has fetched, with symbolic links resolved. Tests
// must not write into it.
func Corpus(t testing.TB, name string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(filepath.Join(Dir(), "corpora", name))
	if err != nil {
		missing(t, "the corpus "+name+" is not there: run scripts/corpora.sh "+name)
	}
	return dir
}

func missing(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(what)
	}
	t.Skip(what)
}
