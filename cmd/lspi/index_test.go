//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scip-code/scip/bindings/go/scip"

	"lspi/internal/testkit"
	"lspi/tools/index"
	"lspi/tools/index/indextest"
)

// indexRoom is a project with a repository, and an environment of its own with the programs of bin.
type indexRoom struct {
	t         *testing.T
	root, bin string
	made      string // what the indexer of the test writes
}

func newIndexRoom(t *testing.T, files map[string]string) *indexRoom {
	r := &indexRoom{t: t, root: testkit.Project(t, files), bin: testkit.TempDir(t)}
	testkit.Must(t, os.RemoveAll(filepath.Join(r.root, ".git")))
	for _, name := range []string{"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "HOME"} {
		t.Setenv(name, testkit.TempDir(t))
	}
	t.Setenv("PATH", r.bin+":/usr/bin:/bin")
	r.git("init", "-q")
	r.git("add", "-A")
	r.git("commit", "-q", "-m", "one")
	r.made = filepath.Join(testkit.TempDir(t), "made.scip")
	if files["a.go"] == "" {
		return r
	}
	indextest.Write(t, r.made, indextest.Index("scip-go", scip.PositionEncoding_UTF8CodeUnitOffsetFromLineStart,
		indextest.Document{Path: "a.go", Text: files["a.go"], Occurrences: []indextest.Occurrence{
			{Symbol: "scip-go gomod m . m/Load().", Word: "Load", Roles: scip.SymbolRole_Definition}}}))
	return r
}

func (r *indexRoom) git(args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.com"}, args...)...)
	cmd.Dir = r.root
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// lspi runs a command on the project.
func (r *indexRoom) lspi(args ...string) (out string, code int) {
	var both bytes.Buffer
	code = run(append(args, "--workspace-root", r.root, "--trust", "all"), strings.NewReader(""), &both, &both)
	return both.String(), code
}

// indexer makes scip-go a script that writes the index of the room after further commands.
func (r *indexRoom) indexer(commands string) {
	testkit.WriteProgram(r.t, filepath.Join(r.bin, "scip-go"), "#!/bin/sh\n"+commands+"\ncp "+r.made+" \"$2\"\n")
}

func (r *indexRoom) own() index.File {
	return index.Own(filepath.Join(os.Getenv("XDG_CACHE_HOME"), "lspi"), r.root, "scip-go")
}

func TestIndexCommand(t *testing.T) {
	r := newIndexRoom(t, map[string]string{"go.mod": "module m\n", "a.go": "package m\n\nfunc Load() {}\n"})
	out, code := r.lspi("index")
	testkit.Equal(t, code, exitFailed)
	testkit.Holds(t, out, "scip-go is not installed", "the indexer is named")
	testkit.Holds(t, out, "go install github.com/scip-code/scip-go", "how to install it")
	out, code = r.lspi("index", "scip-god")
	testkit.Equal(t, code, exitUsage)
	testkit.Holds(t, out, "did you mean scip-go?", "a misspelt name")

	// Of a clean tree: the commit stands beside the index, which is in lspi's cache.
	r.indexer("")
	out, code = r.lspi("index")
	testkit.Equal(t, code, exitOK, out)
	commit, err := os.ReadFile(r.own().Path + index.CommitSuffix)
	testkit.Must(t, err)
	testkit.Equal(t, strings.TrimSpace(string(commit)), r.git("rev-parse", "HEAD"))
	testkit.Equal(t, r.git("status", "--porcelain"), "")
	out, _ = r.lspi("call", "find_definition", "symbol_name=Load", "--share", "off")
	testkit.Holds(t, out, "Complete answer", "the index answers")
	out, _ = r.lspi("doctor", "--no-hosts", "--share", "off")
	testkit.Holds(t, out, "is of the commit that is checked out, and no file changed since", "the doctor")

	// One that fails leaves the index as it was.
	r.indexer("echo no go command >&2; exit 3")
	out, code = r.lspi("index")
	testkit.Equal(t, code, exitFailed)
	testkit.Holds(t, out, "no go command", "what the indexer said")
	if _, err := os.Stat(r.own().Path + index.CommitSuffix); err != nil {
		t.Error(err)
	}

	// A file that changes while it runs, and a tree that is not clean: of no commit.
	r.indexer("echo '// more' >>" + filepath.Join(r.root, "a.go"))
	for range 2 {
		out, code = r.lspi("index")
		testkit.Equal(t, code, exitOK, out)
		testkit.Holds(t, out, "of no commit", "a changed tree")
		if _, err := os.Stat(r.own().Path + index.CommitSuffix); err == nil {
			t.Error("there is a commit beside the index")
		}
	}
	out, _ = r.lspi("doctor", "--no-hosts", "--share", "off")
	testkit.Holds(t, out, "nobody says of which commit it is", "the doctor")

	// For others, as a file.
	r.git("checkout", "-q", "a.go")
	r.indexer("")
	to := filepath.Join(r.root, index.Name)
	out, code = r.lspi("index", "--output", to)
	testkit.Equal(t, code, exitOK, out)
	if _, err := os.Stat(to + index.CommitSuffix); err != nil {
		t.Error(err)
	}
}

// Indexers run code of the project.
func TestIndexCommandWithoutTrust(t *testing.T) {
	r := newIndexRoom(t, map[string]string{"go.mod": "module m\n"})
	var both bytes.Buffer
	code := run([]string{"index", "--workspace-root", r.root, "--trust", "ask"}, strings.NewReader(""), &both, &both)
	testkit.Equal(t, code, exitFailed)
	testkit.Holds(t, both.String(), "is not trusted", "no trust")
}

// A real index: of a crate, by rust-analyzer, while no server is there.
func TestIndexOfRustAnalyzer(t *testing.T) {
	testkit.OwnServer(t)
	program, err := exec.LookPath("rust-analyzer")
	if err != nil {
		t.Skip(err)
	}
	path := os.Getenv("PATH")
	text := "pub struct Cart { total: usize }\n\nimpl Cart {\n    pub fn add(&mut self, n: usize) -> &str {\n" +
		"        let s = \"𝛼𝛽\"; self.total += n; s\n    }\n}\n\npub fn fill(c: &mut Cart) { c.add(1); c.add(2); }\n"
	r := newIndexRoom(t, map[string]string{"Cargo.toml": "[package]\nname = \"m\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
		"src/lib.rs": text, ".gitignore": "target\nCargo.lock\n"})
	for _, name := range []string{"CARGO_HOME", "RUSTUP_HOME"} {
		if os.Getenv(name) == "" {
			t.Setenv(name, "/root/."+strings.ToLower(strings.TrimSuffix(name, "_HOME")))
		}
	}
	own := os.Getenv("PATH")
	t.Setenv("PATH", filepath.Dir(program)+":"+path)
	out, code := r.lspi("index", "rust-analyzer")
	testkit.Equal(t, code, exitOK, out)
	t.Setenv("PATH", own)
	out, _ = r.lspi("call", "find_references", "symbol_name=Cart.add", "--share", "off")
	for _, want := range []string{"Complete answer", "4:12", "9:31", "9:41", "rust-analyzer"} {
		testkit.Holds(t, out, want, "references")
	}
	out, _ = r.lspi("call", "find_references", "symbol_name=total", "--share", "off")
	testkit.Holds(t, out, "5:28", "behind characters beyond U+FFFF")
}
