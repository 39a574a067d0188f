package watch

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lspi/internal/testkit"
)

func TestRules(t *testing.T) {
	cases := []struct {
		lines string
		path  string // with a slash at the end: a folder
		want  bool
	}{
		{"*.o", "a.o", true}, {"*.o", "d/a.o", true}, {"*.o", "a.oo", false},
		{"/a", "a", true}, {"/a", "d/a", false},
		{"a/b", "a/b", true}, {"a/b", "x/a/b", false},
		{"a/", "a/", true}, {"a/", "a", false}, {"a/", "d/a/", true},
		{"**/a", "d/e/a", true}, {"**/a", "a", true},
		{"a/**", "a/", false}, {"a/**", "a/b", true}, {"a/**", "a/b/c", true},
		{"a/**/b", "a/b", true}, {"a/**/b", "a/c/d/b", true}, {"a/**/b", "x/a/b", false},
		{"a/*", "a/b", true}, {"a/*", "a/b/c", false},
		{"*.o\n!keep.o", "keep.o", false}, {"!keep.o\n*.o", "keep.o", true},
		{"?.c", "a.c", true}, {"?.c", "ab.c", false},
		{"[!a].c", "b.c", true}, {"[!a].c", "a.c", false}, {"[a-c].c", "b.c", true},
		{"c++", "c++", true}, {"*$py.class", "x$py.class", true}, {"{a,b}", "a", false}, {"{a,b}", "{a,b}", true},
		{"{*}", "{x}", true}, {"{*,b}", "b", false},
		{"# a", "# a", false}, {`\#a`, "#a", true}, {`\!a`, "!a", true},
		{"a  ", "a", true}, {`a\ `, "a ", true}, {"a\r\nb\r\n", "b", true}, {"\ufeffa", "a", true},
		{"", "a", false}, {"/", "a", false}, {"[", "[", false},
	}
	for _, c := range cases {
		r := parseRules(c.lines, "/ws", nil)
		path, isDir := strings.CutSuffix(c.path, "/")
		testkit.Equal(t, r.ignored("/ws/"+path, isDir), c.want, c.lines, "on", c.path)
	}
}

// A linked working tree of git below the root is another copy of its files, from the moment its .git is there.
func TestLinkedWorkingTree(t *testing.T) {
	inBothModes(t, func(t *testing.T, o Options) {
		b := newBench(t, o, ".git/config", "", "a.go", "", "trees/fix/a.go", "", "trees/fix/pkg/b.go", "")
		b.write("trees/fix/.git", "gitdir: "+b.path(".git/worktrees/fix")+"\n")
		b.want("changed trees/fix/a.go", "changed trees/fix/pkg/b.go")
		b.write("trees/fix/pkg/b.go", "2")
		b.write("a.go", "2")
		b.want("changed a.go")
		b.must(os.Remove(b.path("trees/fix/.git")))
		b.want("created trees/fix/a.go", "created trees/fix/pkg/b.go")
	})
}

func TestIgnore(t *testing.T) {
	inBothModes(t, func(t *testing.T, o Options) {
		b := newBench(t, o, ".gitignore", "*.log\nbuild/\n", "src/.gitignore", "!keep.log\ngen.go\n")
		b.write("a.log", "")
		b.write("build/x.go", "")
		b.write("src/a.log", "")
		b.write("src/keep.log", "")
		b.write("src/gen.go", "")
		b.write("src/build/keep.log", "")
		b.write("src/gen.go.go", "")
		b.want("created src/gen.go.go", "created src/keep.log")
		b.write("src/keep.log", "2")
		b.write("src/gen.go", "2")
		b.want("changed src/keep.log")
		b.write("src/.gitignore", "gen.go.go")
		b.want("changed src/.gitignore", "created src/gen.go", "changed src/gen.go.go", "changed src/keep.log")
		b.write("src/gen.go.go", "3")
		b.want()
		b.remove(".gitignore")
		b.want("deleted .gitignore", "created a.log", "created build/x.go", "created src/a.log",
			"created src/build/keep.log", "created src/keep.log")
		b.write("build/x.go", "2")
		b.want("changed build/x.go")
		b.remove("src/gen.go.go")
		b.want()
	})
}

// A tree at / leaves out what the kernel makes up: a file there may have no end.
func TestKernelFolders(t *testing.T) {
	tree := &tree{watches: &watches{}}
	for path, want := range map[[2]string]bool{{"/", "proc"}: false, {"/", "sys"}: false, {"/", "dev"}: false,
		{"/", "home"}: true, {"/home", "proc"}: true} {
		_, ok := tree.wanted(&dir{path: path[0], rules: &rules{}}, path[1], true)
		testkit.Equal(t, ok, want, path)
	}
}

func TestKeep(t *testing.T) {
	inBothModes(t, func(t *testing.T, o Options) {
		o.SkipDir = func(path string) bool { return filepath.Base(path) == "deps" }
		o.Keep = func(path string) bool {
			return slices.Contains([]string{"build", "deps", "db.json", "kept.log"}, filepath.Base(path))
		}
		b := newBench(t, o, ".gitignore", "build/\n*.log\n")
		b.write("build/db.json", "1")
		b.write("build/other.json", "1")
		b.write("build/sub/db.json", "1")
		b.write("deps/a.go", "1")
		b.write("deps/db.json", "1")
		b.write("x/kept.log", "1")
		b.write("x/a.log", "1")
		b.want("created build/db.json", "created deps/db.json", "created x/kept.log")
		b.write("build/db.json", "2")
		b.want("changed build/db.json")
	})
}

// What is followed apart is told, and is none of the files; it becomes one when it is ignored no longer.
func TestApart(t *testing.T) {
	inBothModes(t, func(t *testing.T, o Options) {
		o.Keep = func(path string) bool { return !slices.Contains([]string{"build", "deps"}, filepath.Base(path)) }
		o.Unlisted = func(path string, isDir bool) bool {
			return filepath.Base(path) != "deps" && (isDir || filepath.Ext(path) == ".go")
		}
		b := newBench(t, o, ".gitignore", "build/\ndeps/\n", "a.go", "1", "build/old.go", "1")
		files := func(want ...string) {
			t.Helper()
			testkit.Diff(t, tracked(b.j), want)
			testkit.Equal(t, b.j.CountByExt()[".go"], len(want)-1, "without .gitignore")
			testkit.Equal(t, b.j.Tracks(b.path("build/old.go")), slices.Contains(want, "/build/old.go"))
		}
		files("/.gitignore", "/a.go")
		b.write("build/old.go", "2")
		b.write("build/sub/deep/new.go", "1")
		b.write("build/sub/new.o", "1")
		b.write("build/deps/b.go", "1")
		b.write("deps/c.go", "1")
		b.want("changed build/old.go", "created build/sub/deep/new.go")
		files("/.gitignore", "/a.go")
		b.remove("build/sub")
		b.want("deleted build/sub/deep/new.go")
		b.write(".gitignore", "deps/\n")
		b.changes()
		files("/.gitignore", "/a.go", "/build/old.go")
		b.write(".gitignore", "")
		b.changes()
		files("/.gitignore", "/a.go", "/build/old.go", "/build/deps/b.go", "/deps/c.go")
		b.write(".gitignore", "build/\ndeps/\n")
		b.changes()
		files("/.gitignore", "/a.go")
		b.remove("build")
		b.want("deleted build/old.go")
	})
}

// Of what is followed apart there is no more than the bound, and room again when some of it goes.
func TestApartIsBounded(t *testing.T) {
	defer func(was int) { maxUnlisted = was }(maxUnlisted)
	maxUnlisted = 200
	inBothModes(t, func(t *testing.T, o Options) {
		o.Unlisted = func(string, bool) bool { return true }
		o.Keep = func(path string) bool { return filepath.Base(path) != "build" }
		b := newBench(t, o, ".gitignore", "build/\n")
		for i := range maxUnlisted + 10 {
			b.write(fmt.Sprintf("build/a/%d", i), "1")
		}
		testkit.Equal(t, len(b.changes()), maxUnlisted-2, "files besides two folders")
		b.write("build/b/one", "1")
		b.want()
		b.remove("build/b")
		b.remove("build/a")
		b.changes()
		b.write("build/c/one", "1")
		b.want("created build/c/one")
	})
}

func TestIgnoreAboveRoot(t *testing.T) {
	inBothModes(t, func(t *testing.T, o Options) {
		b := newBench(t, o, ".git/info/exclude", "*.secret\n", ".gitignore", "*.o\nout/\n",
			"sub/ws/a.o", "1", "sub/ws/a.c", "1", "sub/ws/a.secret", "1", "out/ws/a.o", "1")
		b.j.Close()
		repository := b.root
		b.root = filepath.Join(repository, "sub", "ws")
		b.open(o)
		b.write("a.o", "2")
		b.write("a.c", "2")
		b.write("a.secret", "2")
		b.want("changed a.c")
		b.must(os.WriteFile(filepath.Join(repository, "sub", ".gitignore"), []byte("!a.o\n"), 0o644))
		b.want("created a.o")
		b.write("a.o", "3")
		b.want("changed a.o")
		b.j.Close()
		b.root = filepath.Join(repository, "out", "ws") // left out itself, and asked for all the same
		b.open(o)
		b.write("a.o", "2")
		b.want("changed a.o")
	})
}

// TestIgnoreLikeGit compares with git itself on random trees and ignore files.
func TestIgnoreLikeGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	for seed := range uint64(testkit.Times(15, 60)) {
		b := &bench{TB: t, root: testkit.MemoryDir(t)}
		plant(b, rand.New(rand.NewPCG(seed, 4)))
		b.open(Options{Mode: Compare})
		want := filesOfGit(t, b.root)
		if d := cmp.Diff(want, tracked(b.j)); d != "" {
			t.Fatalf("seed %d (-git +journal):\n%s\n%s", seed, d, ignoreFilesOf(b))
		}
		b.j.Close()
	}
}

// plant makes a tree whose names meet its patterns.
func plant(b *bench, r *rand.Rand) {
	names := []string{"a", "b", "ab", "a.o", "b.o", "c++", "[x]", "a b", "{a}", ".hid", "!n", "#h"}
	pieces := []string{"a", "b", "*", "*.o", "a*", "?", "[ab]", "[!a]", "**", "c++", "a b", "{a}", ".*", `\[x\]`, "??"}
	pick := func(from []string) string { return from[r.IntN(len(from))] }
	for range 60 {
		b.try(pick(names), pick(names), pick(names), r.IntN(3), "")
	}
	for range 4 {
		var text strings.Builder
		for range 1 + r.IntN(4) {
			line := strings.Join([]string{pick(pieces), pick(pieces), pick(pieces)}[:1+r.IntN(3)], "/")
			before := pick([]string{"", "", "!"}) + pick([]string{"", "", "/"})
			fmt.Fprintf(&text, "%s%s%s\n", before, line, pick([]string{"", "", "/", " "}))
		}
		b.try(pick(names), pick(names), ignoreFile, r.IntN(3), text.String())
	}
}

// try writes a file at most two folders deep, unless something is in the way.
func (b *bench) try(one, two, name string, deep int, text string) {
	path := filepath.Join(append([]string{b.root}, append([]string{one, two}[:deep], name)...)...)
	if os.MkdirAll(filepath.Dir(path), 0o755) == nil {
		os.WriteFile(path, []byte(text), 0o644)
	}
}

func filesOfGit(t *testing.T, root string) []string {
	for _, args := range [][]string{{"init", "-q", "--template="},
		{"ls-files", "-co", "--exclude-per-directory=.gitignore", "-z"}} {
		cmd := exec.Command("git", append([]string{"-C", root}, args...)...)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("git %s: %v", args[0], err)
		}
		if len(out) > 0 {
			return sortedLikeJournal(out)
		}
	}
	return nil
}

func sortedLikeJournal(out []byte) []string {
	var all []string
	for path := range bytes.SplitSeq(bytes.TrimSuffix(out, []byte{0}), []byte{0}) {
		all = append(all, "/"+string(path))
	}
	slices.SortFunc(all, func(a, b string) int {
		if c := strings.Compare(filepath.Dir(a), filepath.Dir(b)); c != 0 {
			return c
		}
		return strings.Compare(filepath.Base(a), filepath.Base(b))
	})
	return all
}

func ignoreFilesOf(b *bench) string {
	var all strings.Builder
	filepath.WalkDir(b.root, func(path string, _ os.DirEntry, _ error) error {
		if filepath.Base(path) == ignoreFile {
			fmt.Fprintf(&all, "%s:\n%s", path, content(path))
		}
		return nil
	})
	return all.String()
}
