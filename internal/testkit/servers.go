package testkit

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// Dir is the folder where scripts/servers.sh and scripts/corpora.sh put things: LSPI_SERVERS, or .servers of the
// project.
func Dir() string {
	if dir := os.Getenv("LSPI_SERVERS"); dir != "" {
		if abs, err := filepath.Abs(dir); err == nil {
			return abs
		}
		return dir
	}
	return filepath.Join(root(), ".servers")
}

// root is the folder of the project: the nearest one above the working directory with a go.mod, since a test runs
// in its package's folder and the other programs run from the root. Where there is none, root is the working
// directory.
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

// ServerEnv is the environment in which the server of a row of the catalogue starts quickly, or nil.
func ServerEnv(row string) map[string]string {
	switch row {
	case "clangd":
		return map[string]string{"XDG_CONFIG_HOME": ClangdHome()}
	case "rust-analyzer":
		return map[string]string{"RUST_SRC_PATH": SmallStd()}
	}
	return nil
}

// ClangdHome is a folder for XDG_CONFIG_HOME that holds a configuration of clangd and nothing else.
func ClangdHome() string { return filepath.Join(root(), "testdata", "clangd-home") }

// SmallStd is a folder for RUST_SRC_PATH: rust-analyzer finds a standard library of a few macros there. It is for
// tests of projects that use nothing of the real one, whose sources take nine tenths of a start (1.97.1: 6 s of
// CPU, and 0.6 s). cargo and rustc have the real one all the same.
func SmallStd() string { return filepath.Join(root(), "testdata", "small-std") }

// Path puts the programs of Dir first on PATH. It does not take them away again, so that tests which need them may
// run in parallel.
func Path() {
	bin, path := filepath.Join(Dir(), "bin"), os.Getenv("PATH")
	if !slices.Contains(filepath.SplitList(path), bin) {
		_ = os.Setenv("PATH", bin+string(filepath.ListSeparator)+path)
	}
}

// Need makes sure that programs are on PATH, those of Dir among them. A test whose program is missing fails in CI
// and is skipped elsewhere.
func Need(t testing.TB, programs ...string) {
	t.Helper()
	Path()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			missing(t, p+" is not installed: run scripts/servers.sh")
		}
	}
}

// Corpus is the folder of a repository that scripts/corpora.sh got, without symbolic links in its path. Nobody may
// write into it.
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
