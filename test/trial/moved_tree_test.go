package trial

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"lspi/internal/lang"
	"lspi/internal/testkit"
)

// movedProject is a real project whose files, folders and declarations are moved.
type movedProject struct {
	corpus string
	below  string   // the folder whose sources move
	raw    string   // the row of the catalogue with the server that a plain editor would ask
	needs  []string // programs
	check  []string // a compiler; what it says is no longer behind a move
}

// The compilers read every source, wherever a move takes it. tsc 7 refuses zod's own moduleResolution. pyright tells no
// editor what changes with a path (1.1.414); basedpyright does. It sees no cycle of imports: so each module is loaded.
var movedProjects = []movedProject{
	{"zod", "src", "typescript-language-server", []string{"typescript-language-server", "tsc"},
		[]string{"tsc", "-p", ".", "--noEmit", "--pretty", "false", "--moduleResolution", "bundler"}},
	{"click", "click", "basedpyright", []string{"pyright-langserver", "basedpyright-langserver", "pyright", "python3"},
		[]string{"sh", "-c", "pyright; find click -name '*.py' | sort | sed 's|/__init__||; s|\\.py$||; s|/|.|g' | " +
			"while read m; do python3 -B -c \"import $m\" 2>&1 | tail -1; done; false"}},
	{"x-tools", "go", "gopls", []string{"gopls", "go"}, []string{"go", "vet", "-buildtag", "./..."}},
	// The program itself needs what its corpus leaves out: its own errors are there before, and an import that leads
	// nowhere is told beside them.
	{"tree-ripgrep", "crates", "rust-analyzer", []string{"rust-analyzer", "cargo"}, []string{"cargo", "check", "--offline",
		"--workspace", "--tests", "--keep-going", "--quiet", "--message-format", "short"}},
	{"leveldb", ".", "clangd", []string{"clangd", "g++"}, []string{"sh", "-c", "find . -name '*.cc' | sort | " +
		"xargs -P2 -n6 g++ -fsyntax-only -I. -Iinclude -DOS_LINUX -DLEVELDB_PLATFORM_POSIX"}},
}

// eachProject runs a trial in each project. The variable env is how many moves it makes; LSPI_MOVES_IN has some of the
// projects.
func eachProject(t *testing.T, env string, trial func(t *testing.T, tree *movedTree, n int)) {
	n, _ := strconv.Atoi(os.Getenv(env))
	if n == 0 {
		t.Skip(env + " is not set")
	}
	for _, p := range movedProjects {
		if only := os.Getenv("LSPI_MOVES_IN"); only != "" && !slices.Contains(strings.Split(only, ","), p.corpus) {
			continue
		}
		t.Run(p.corpus, func(t *testing.T) {
			testkit.Need(t, append(p.needs, "git")...)
			tree := newMovedTree(t, p)
			trial(t, tree, n)
			t.Log(tree.counts())
			t.Log(tree.row(n))
		})
	}
}

// movedTree is a copy of a project under git, with lspi in it.
type movedTree struct {
	*testing.T
	movedProject
	dir   string
	h     *testkit.Host
	r     *rand.Rand
	said  int               // lines of the compiler before all moves
	judge map[string]string // what the compiler says, by the id of a tree in git
	ended map[string]int
}

func newMovedTree(t *testing.T, p movedProject) *movedTree {
	seed, err := strconv.ParseUint(cmp.Or(os.Getenv("LSPI_SEED"), "1"), 10, 64)
	testkit.Must(t, err)
	m := &movedTree{T: t, movedProject: p, dir: testkit.TempDir(t), r: rand.New(rand.NewPCG(32, seed)),
		judge: map[string]string{}, ended: map[string]int{}}
	m.fill(m.dir)
	m.said = linesOf(m.compiled(m.dir))
	m.h = m.host()
	t.Cleanup(m.h.Close)
	return m
}

// host is a new lspi in the copy, with a home of its own.
func (m *movedTree) host() *testkit.Host {
	m.Helper()
	home := testkit.TempDir(m)
	cmd := exec.Command(testkit.Program(m), "mcp", "--trust=all", "--share=off")
	cmd.Dir = m.dir
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_STATE_HOME="+home, "XDG_RUNTIME_DIR="+home,
		"XDG_CACHE_HOME="+home, "CARGO_HOME="+os.Getenv("CARGO_HOME"), "GOCACHE="+goCache())
	return testkit.StartHost(m, cmd)
}

// fill copies the project into a folder and commits it.
func (m *movedTree) fill(dir string) {
	m.Helper()
	testkit.Must(m, os.CopyFS(dir, os.DirFS(testkit.Corpus(m, m.corpus))))
	for _, installed := range []string{"*.dist-info"} { // what an installation adds to a project
		found, _ := filepath.Glob(filepath.Join(dir, installed))
		for _, path := range found {
			testkit.Must(m, os.RemoveAll(path))
		}
	}
	// A compilation database names the copy.
	database := filepath.Join(dir, "compile_commands.json")
	if raw, err := os.ReadFile(database); err == nil {
		testkit.Write(m, database, strings.ReplaceAll(string(raw), testkit.Corpus(m, m.corpus), dir))
	}
	ignored := filepath.Join(dir, ".gitignore")
	raw, _ := os.ReadFile(ignored)
	testkit.Write(m, ignored, string(raw)+"target\n.cache\n")
	m.git(dir, "init", "-q", ".")
	m.git(dir, "add", "-A")
	m.git(dir, "commit", "-qm", "x")
}

func goCache() string {
	out, _ := exec.Command("go", "env", "GOCACHE").Output()
	return strings.TrimSpace(string(out))
}

func (m *movedTree) git(dir string, args ...string) string {
	m.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=n", "-c", "user.email=e"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		m.Fatalf("git %v: %v %s", args, err, out)
	}
	return string(out)
}

// changed is what git says that differs in a copy from the project.
func (m *movedTree) changed(dir string) string { return m.git(dir, "status", "--porcelain") }

// restore makes a copy the project again.
func (m *movedTree) restore(dir string) {
	m.git(dir, "reset", "-q", "--hard")
	m.git(dir, "clean", "-qfd")
}

// compiled is what the compiler says of a copy; "" where it succeeds.
func (m *movedTree) compiled(dir string) string {
	m.git(dir, "add", "-A")
	id := m.git(dir, "write-tree")
	m.git(dir, "reset", "-q")
	said, had := m.judge[id]
	if !had {
		cmd := exec.Command(m.check[0], m.check[1:]...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			said = string(out)
		}
		m.judge[id] = said
	}
	return said
}

// worse is what the compiler says of a copy where it says more than of the project; else "".
func (m *movedTree) worse(dir string) string {
	said := m.compiled(dir)
	if linesOf(said) <= m.said {
		return ""
	}
	return said
}

// notInstalled is what tsc says of the import of a package that is not installed: it comes along with what moves.
var notInstalled = regexp.MustCompile(`error TS2307: Cannot find module '[^.]`)

// linesOf counts what a compiler says.
func linesOf(said string) (n int) {
	for line := range strings.Lines(said) {
		if !notInstalled.MatchString(line) {
			n++
		}
	}
	return n
}

// news are the first lines of what the compiler says that it does not say of the project.
func (m *movedTree) news(said string) string {
	old := map[string]bool{}
	for _, all := range m.judge {
		if linesOf(all) == m.said {
			for line := range strings.Lines(all) {
				old[line] = true
			}
		}
	}
	var out []string
	for line := range strings.Lines(said) {
		if !old[line] && len(out) < 6 {
			out = append(out, line)
		}
	}
	return strings.Join(out, "")
}

// counts are how many moves ended in which way.
func (m *movedTree) counts() string {
	var out []string
	for _, how := range slices.Sorted(maps.Keys(m.ended)) {
		out = append(out, fmt.Sprintf("%s %d", how, m.ended[how]))
	}
	return m.corpus + ": " + strings.Join(out, ", ")
}

// row is a row of the table in docs/moves.md.
func (m *movedTree) row(n int) string {
	var shown, refused, raw []string
	made, others := m.ended["applied"], map[string]int{}
	for how, times := range m.ended {
		if reason, is := strings.CutPrefix(how, "preview: "); is {
			others["shown"] += times
			shown = append(shown, fmt.Sprintf("%s %d", reason, times))
		} else if reason, is := strings.CutPrefix(how, "refused: "); is {
			others["refused"] += times
			refused = append(refused, fmt.Sprintf("%s %d", reason, times))
		}
	}
	right := m.ended["raw clean"] + m.ended["raw clean without an edit"]
	wrong := m.ended["raw worse"] + m.ended["raw no edit"] + m.ended["raw error"]
	if raw = []string{"–", "–"}; right+wrong > 0 {
		raw = []string{fmt.Sprint(right), fmt.Sprint(wrong)}
	}
	slices.Sort(shown)
	slices.Sort(refused)
	with := func(n int, reasons []string) string {
		if n == 0 {
			return "0"
		}
		return fmt.Sprintf("%d (%s)", n, strings.Join(reasons, ", "))
	}
	return fmt.Sprintf("| %s | %d | %d | %s | %s | %d | %d of %d | %s | %s |", m.corpus, n, made,
		with(others["shown"], shown), with(others["refused"], refused), m.ended["compiler worse"],
		made-m.ended["not back"]-m.ended["back otherwise"], made, raw[0], raw[1])
}

// sources are the files of the project's language with code, and their folders, relative to the copy.
func (m *movedTree) sources() (files, folders []string) {
	dirs := map[string]bool{}
	top := filepath.Join(m.dir, m.below)
	testkit.Must(m, filepath.WalkDir(top, func(path string, e fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(m.dir, path)
		switch l := lang.Of(path); {
		case err != nil || e.IsDir() && (e.Name() == ".git" || e.Name() == "testdata" || e.Name() == "target"):
			return fs.SkipDir
		case e.Type().IsRegular() && l.ID != "" && !l.NoSymbols && !l.Optional:
			files = append(files, rel)
			dirs[filepath.Dir(rel)] = true
		}
		return err
	}))
	return files, slices.Sorted(maps.Keys(dirs))
}

// beside is a path in the folder of a file with another name, which is one of tests where the file is.
func beside(file, suffix string) string {
	dir, base := filepath.Split(file)
	stem, ext, _ := strings.Cut(base, ".")
	stem, test := strings.CutSuffix(stem, "_test")
	if stem += suffix; test {
		stem += "_test"
	}
	return filepath.Join(dir, stem+"."+ext)
}

// moveAnswer is the answer to a move.
type moveAnswer struct {
	OK         bool
	Applied    bool
	NotApplied string `json:"not_applied"`
	Error      struct {
		Message string
		Data    struct {
			Error struct{ Kind, Reason string } `json:"lspi_error"`
		}
	}
	Warnings []struct{ Kind, Message string }
	New      json.RawMessage `json:"new_errors"`
	Symbols  []string        // of get_document_symbols
}

// call calls a tool.
func (m *movedTree) call(tool string, arguments map[string]any) (a moveAnswer) {
	m.Helper()
	raw := m.h.Start(tool, arguments).Wait(m)
	var result struct{ StructuredContent moveAnswer }
	testkit.Must(m, json.Unmarshal(raw, &result))
	return result.StructuredContent
}

// shownFor are the reasons for a preview that no warning has, by words of them.
var shownFor = [][2]string{{"in time", "no errors in time"}, {"could not tell whether", "no errors in time"},
	{"introduced new errors", "new errors"}, {"cannot look at all", "more than 50 files"}, {"would change", "more than 50 files"}}

// outcome is how a move ended, the same for all of a kind, and why so.
func (a moveAnswer) outcome() (how, why string) {
	switch {
	case !a.OK:
		return "refused: " + cmp.Or(a.Error.Data.Error.Reason, a.Error.Data.Error.Kind), a.Error.Message
	case a.Applied:
		return "applied", fmt.Sprint(a.Warnings)
	}
	for _, w := range a.Warnings {
		if strings.Contains(a.NotApplied, strings.TrimSuffix(w.Message, ".")) {
			return "preview: " + w.Kind, a.NotApplied
		}
	}
	for _, w := range shownFor {
		if strings.Contains(a.NotApplied, w[0]) {
			return "preview: " + w[1], a.NotApplied + string(a.New)
		}
	}
	kind, _, _ := strings.Cut(a.NotApplied, ":")
	return "preview: " + kind, a.NotApplied + string(a.New)
}
