package trial

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"lspi/internal/lang"
	"lspi/internal/testkit"
)

// movedProject is a real project whose files and folders are moved.
type movedProject struct {
	corpus string
	below  string   // the folder whose sources move
	needs  []string // programs
	check  []string // a compiler; what it says is no longer behind a move
}

var movedProjects = []movedProject{
	{"zod", "src", []string{"typescript-language-server", "tsc"}, []string{"tsc", "-p", ".", "--noEmit", "--pretty", "false"}},
	{"click", "click", []string{"pyright-langserver", "pyright"}, []string{"pyright"}},
	{"x-tools", "go", []string{"gopls", "go"}, []string{"go", "vet", "-buildtag", "./..."}},
	{"regex-syntax", "src", []string{"rust-analyzer", "cargo"}, []string{"cargo", "check", "--offline", "--tests", "--quiet"}},
	{"leveldb", ".", []string{"clangd", "g++"}, []string{"sh", "-c", "g++ -fsyntax-only -I. -Iinclude -DOS_LINUX " +
		"-DLEVELDB_PLATFORM_POSIX db/*.cc table/*.cc util/*.cc port/port_posix.cc"}},
}

// TestMoves makes random moves of files and folders by rename_symbol with if_safe, each in a fresh tree of git, and
// holds those that were made against the compiler: it never says more behind one. Then the file moves back, which has
// to be whole: the bytes before. LSPI_MOVES is how many in each project, LSPI_MOVES_IN has some of the projects.
func TestMoves(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("LSPI_MOVES"))
	if n == 0 {
		t.Skip("LSPI_MOVES is not set")
	}
	for _, p := range movedProjects {
		if only := os.Getenv("LSPI_MOVES_IN"); only != "" && !slices.Contains(strings.Split(only, ","), p.corpus) {
			continue
		}
		t.Run(p.corpus, func(t *testing.T) {
			testkit.Need(t, append(p.needs, "git")...)
			m := newMover(t, p)
			for i := range n {
				m.step(i)
			}
			t.Logf("%s: %v", p.corpus, m.ended)
		})
	}
}

type mover struct {
	*testing.T
	movedProject
	dir   string
	h     *testkit.Host
	r     *rand.Rand
	said  int // lines of the compiler before all moves
	ended map[string]int
}

func newMover(t *testing.T, p movedProject) *mover {
	m := &mover{T: t, movedProject: p, dir: testkit.TempDir(t), r: rand.New(rand.NewPCG(32, 1)), ended: map[string]int{}}
	testkit.Must(t, os.CopyFS(m.dir, os.DirFS(testkit.Corpus(t, p.corpus))))
	for _, installed := range []string{"*.dist-info"} { // what an installation adds to a project
		found, _ := filepath.Glob(filepath.Join(m.dir, installed))
		for _, path := range found {
			testkit.Must(t, os.RemoveAll(path))
		}
	}
	m.makeAbsolute()
	testkit.Write(t, filepath.Join(m.dir, ".gitignore"), "target\n.cache\n")
	m.git("init", "-q", ".")
	m.commit()
	m.said = m.compiled()
	home := testkit.TempDir(t)
	cmd := exec.Command(testkit.Program(t), "mcp", "--trust=all", "--share=off")
	cmd.Dir = m.dir
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_STATE_HOME="+home, "XDG_RUNTIME_DIR="+home,
		"CARGO_HOME="+os.Getenv("CARGO_HOME"), "GOCACHE="+goCache())
	m.h = testkit.StartHost(t, cmd)
	t.Cleanup(m.h.Close)
	return m
}

func goCache() string {
	out, _ := exec.Command("go", "env", "GOCACHE").Output()
	return strings.TrimSpace(string(out))
}

// makeAbsolute has a compilation database name the copy.
func (m *mover) makeAbsolute() {
	path := filepath.Join(m.dir, "compile_commands.json")
	if raw, err := os.ReadFile(path); err == nil {
		testkit.Write(m, path, strings.ReplaceAll(string(raw), testkit.Corpus(m, m.corpus), m.dir))
	}
}

func (m *mover) git(args ...string) string {
	cmd := exec.Command("git", append([]string{"-c", "user.name=n", "-c", "user.email=e"}, args...)...)
	cmd.Dir = m.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		m.Fatalf("git %v: %v %s", args, err, out)
	}
	return string(out)
}

func (m *mover) commit() {
	m.git("add", "-A")
	m.git("commit", "-qm", "x")
}

// compiled is how many lines the compiler says.
func (m *mover) compiled() int {
	cmd := exec.Command(m.check[0], m.check[1:]...)
	cmd.Dir = m.dir
	out, err := cmd.CombinedOutput()
	n := strings.Count(string(out), "\n")
	if err == nil {
		n = 0
	}
	return n
}

// step makes one move and judges it.
func (m *mover) step(i int) {
	from, to := m.choose()
	a := m.move(from, to)
	how, why := a.outcome()
	m.ended[how]++
	m.Logf("%d %s → %s: %s %.300s", i, from, to, how, why)
	if how != "applied" {
		if changed := m.git("status", "--porcelain"); changed != "" {
			m.Errorf("%s → %s was not made, and changed\n%s", from, to, changed)
		}
		return
	}
	if n := m.compiled(); n > m.said {
		m.Errorf("%s → %s: the compiler says %d lines, %d before", from, to, n, m.said)
	}
	back := m.move(to, from)
	if how, why := back.outcome(); how != "applied" {
		m.ended["not back"]++
		m.Logf("  not back: %s %.300s", how, why)
	} else if left := m.git("status", "--porcelain"); left != "" {
		m.ended["back otherwise"]++
		m.Logf("  back otherwise:\n%.1500s", m.git("diff"))
	}
	m.git("checkout", "-q", ".")
	m.git("clean", "-qfd")
}

// choose picks what moves, and where to.
func (m *mover) choose() (from, to string) {
	var files []string
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
	folders := slices.Sorted(maps.Keys(dirs))
	file := files[m.r.IntN(len(files))]
	dir, base := filepath.Split(file)
	stem, ext, _ := strings.Cut(base, ".")
	switch kind := m.r.IntN(10); {
	case kind < 4:
		return file, filepath.Join(dir, stem+"_moved."+ext)
	case kind < 6:
		return file, filepath.Join(dir, "moved", base)
	case kind < 8:
		return file, filepath.Join(folders[m.r.IntN(len(folders))], "moved_"+base)
	}
	folder := folders[m.r.IntN(len(folders))]
	if folder == m.below || folder == "." {
		return file, filepath.Join(dir, stem+"_moved."+ext)
	}
	return folder, folder + "_moved"
}

// moveAnswer is the answer to a move.
type moveAnswer struct {
	OK         bool
	Applied    bool
	NotApplied string `json:"not_applied"`
	Error      struct {
		Message string
		Details struct{ Reason string }
	}
	Warnings []struct{ Kind, Message string }
}

func (m *mover) move(from, to string) (a moveAnswer) {
	m.Helper()
	raw := m.h.Request("tools/call", map[string]any{"name": "rename_symbol", "arguments": map[string]any{
		"file_path": from, "new_path": to, "apply": "if_safe"}}).Wait(m)
	var result struct{ StructuredContent moveAnswer }
	testkit.Must(m, json.Unmarshal(raw, &result))
	return result.StructuredContent
}

// outcome is how a move ended, and why so.
func (a moveAnswer) outcome() (how, why string) {
	switch {
	case !a.OK:
		return "refused", a.Error.Message
	case a.Applied:
		return "applied", fmt.Sprint(a.Warnings)
	}
	return "preview", a.NotApplied
}
