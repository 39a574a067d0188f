package tools

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/tools/toolstest"
)

// Renames by a real server among everything that may be in the way: edits from outside a moment before, a file that the
// build leaves out, names that are taken, locals of one name.
func TestRenameWithGopls(t *testing.T) {
	t.Parallel()
	needServer(t, "gopls")
	dir := project(t, map[string]string{
		"go.mod":         "module ex.com/gp\n\ngo 1.24\n",
		"a/a.go":         "package a\n\nfunc Foo() int {\n\tfor i := range 3 {\n\t\t_ = i\n\t}\n\treturn 1\n}\n\nfunc Taken() {\n\ti := 2\n\t_ = i\n}\n",
		"a/a_windows.go": "package a\n\nvar _ = Foo()\n",
		"b/b.go":         "package b\n\nimport \"ex.com/gp/a\"\n\nvar X = a.Foo()\n",
	})
	session := toolstest.Real(t, dir, "gopls")
	foo := func(name string) map[string]any {
		return map[string]any{"file_path": "a/a.go", "symbol_name": "Foo", "new_name": name}
	}
	totals := func(want string) reply {
		t.Helper()
		a := run(t, session, "rename_symbol", foo("Bar"))
		equal(t, "totals", fmt.Sprint(a["totals"]), want)
		return a
	}
	a := totals("map[changed:2 edits:2 lines_added:2 lines_removed:2]")
	if fmt.Sprint(a["warnings"]) != "[]" && a["completeness"] == "complete" ||
		!strings.Contains(fmt.Sprint(a["warnings"]), "a/a_windows.go") {
		t.Errorf("the file that the build leaves out: %v", a["warnings"])
	}
	for _, text := range []string{"package c\n\nimport \"ex.com/gp/a\"\n\nvar Y = a.Foo() + a.Foo()\n",
		"package c\n\n\n\n\nimport \"ex.com/gp/a\"\n\nvar Y = a.Foo() + a.Foo()\n"} {
		path := filepath.Join(dir, "c", "c.go")
		testkit.Must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		testkit.Must(t, os.WriteFile(path, []byte(text), 0o644))
		a = totals("map[changed:3 edits:4 lines_added:3 lines_removed:3]")
	}
	if refused := run(t, session, "rename_symbol", foo("Taken")); !strings.Contains(fmt.Sprint(refused["message"]),
		"conflict") {
		t.Errorf("a name that is taken: %v", refused)
	}
	local := run(t, session, "rename_symbol", map[string]any{"file_path": "a/a.go", "symbol_name": "i",
		"new_name": "j"})
	if local["ok"] == true || !strings.Contains(fmt.Sprint(local["message"]), "matches 2 symbols") {
		t.Errorf("locals of one name: %v", local)
	}
	step := local["next_steps"].([]any)[1].(map[string]any)["arguments"].(map[string]any)
	if one := run(t, session, "rename_symbol",
		step); fmt.Sprint(one["totals"]) != "map[changed:1 edits:2 lines_added:2 lines_removed:2]" {
		t.Errorf("one of them: %v", one)
	}
	// The file that the build leaves out is changed by hand, so nothing is offered.
	agreed := foo("Bar")
	agreed["dry_run"], agreed["preview_id"] = false, a["preview_id"]
	a = run(t, session, "rename_symbol", agreed)
	equal(t, "applied", a["applied"], any(true))
	if a["new_errors"] != nil {
		t.Errorf("%v", a["new_errors"])
	}
	uses := run(t, session, "find_references", map[string]any{"file_path": "a/a.go", "symbol_name": "Bar"})
	equal(t, "uses at once", uses["total"], any(4.0))
}

var overridesProject = sharing("overrides", &realProject{server: "pyright", program: "pyright-langserver",
	files: map[string]string{
		"pyrightconfig.json": "{}",
		"base.py": "from typing import Protocol\nimport threading\n\n\nclass Base:\n    limit = 1\n    def draw(self) -> int: ...\n    def alone(self) -> int: ...\n\n\n" +
			"class Renders(Protocol):\n    def render(self) -> int: ...\n\n\nclass Task(threading.Thread):\n    def run(self) -> None: ...\n",
		"kid.py": "import base as shapes\nfrom base import Base as B\n\n\nclass Kid(B):\n    limit = 2\n\n\nclass Grand(\n    Kid,  # of a kid\n):\n    def draw(self) -> int: ...\n\n\n" +
			"class Other:\n    def draw(self) -> int: ...\n    def alone(self) -> int: ...\n    def run(self) -> None: ...\n    def render(self) -> int: ...\n",
		// A package of the tree that is not installed, and one that is not in the tree.
		"libs/far/src/far/__init__.py": "class Far:\n    depth = 1\n    def hook(self) -> int: ...\n    def own(self) -> int: ...\n",
		"near.py":                      "from far import Far\nfrom gone import Gone\n\n\nclass Near(Far):\n    depth = 2\n    def hook(self) -> int: ...\n\n\nclass Lost(Gone):\n    def own(self) -> int: ...\n",
		"apart/pyproject.toml":         "",
		"apart/src/apart.py":           "class Apart:\n    def split(self) -> int: ...\n",
		"user/pyproject.toml":          "",
		"user/user.py":                 "from apart import Apart\n\n\nclass User(Apart):\n    def split(self) -> int: ...\n",
	}})[0]

// A type may implement an interface by the method of a type that it embeds and that does not implement it: gopls leaves
// that method as it is (0.23.0).
func TestRenameOfAMethodThatAnEmbeddedTypeGives(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "gopls")
	session := toolstest.Real(t, project(t, map[string]string{"go.mod": "module ex.com/m\n\ngo 1.24\n",
		"a/a.go": "package a\n\ntype I interface{ Do(); Go() }\n\nfunc Use(i I) { i.Do() }\n",
		"b/b.go": "package b\n\ntype A struct{}\n\nfunc (A) Do() {}\n",
		"c/c.go": "package c\n\nimport (\n\t\"ex.com/m/a\"\n\t\"ex.com/m/b\"\n)\n\ntype B struct{ b.A }\n\nfunc (B) Go() {}\n\nfunc C() { a.Use(B{}) }\n",
	}), "gopls")
	a := run(t, session, "rename_symbol", map[string]any{"file_path": "a/a.go", "symbol_name": "I.Do",
		"new_name": "Done"})
	if w := warningOf(a, "uses_left"); w == nil || !strings.Contains(fmt.Sprint(w["message"]), "b/b.go:5") {
		t.Errorf("%v", a)
	}
}

// Two modules that no go.work joins are a view each to gopls, which renames in one and relates no method of the one
// with an interface of the other (0.23.0). lspi asks in both, and renames in both what stands there as it is.
func TestModulesThatNoGoWorkJoins(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "gopls")
	dir := project(t, map[string]string{"go.work": "go 1.24\n\nuse (\n\t./lib\n\t./tool\n)\n",
		"lib/go.mod": "module ex.com/lib\n\ngo 1.24\n",
		"lib/lib.go": "package lib\n\ntype Store struct{ Size int }\n\nfunc (s Store) Get() int { return s.Size }\n\n" +
			"type Doer interface{ Do() int }\n\nfunc Run(d Doer) int { return d.Do() }\n",
		"tool/go.mod":  "module ex.com/tool\n\ngo 1.24\n",
		"tool/main.go": "package main\n\nimport \"ex.com/lib\"\n\nfunc main() { println(lib.Store{}.Get()) }\n",
		"app/go.mod":   "module ex.com/app\n\ngo 1.24\n\nrequire ex.com/lib v0.0.0\n\nreplace ex.com/lib => ../lib\n",
		"app/main.go": "package main\n\nimport \"ex.com/lib\"\n\ntype mine struct{ lib.Store }\n\n" +
			"// Mine is one.\nfunc (m mine) Do() int { return depth(m) }\n\ntype sized interface{ Get() int }\n\n" +
			"var _ sized = lib.Store{}\n\nfunc main() { println(lib.Run(mine{})) }\n",
		"app/depth.go": "package main\n\nfunc depth(m mine) int { return m.Store.Size }\n",
	})
	session := toolstest.Real(t, dir, "gopls")
	for _, q := range []struct{ file, symbol, want string }{
		{"lib/lib.go", "Doer", "app/main.go 5:6"}, {"lib/lib.go", "Doer.Do", "app/main.go 8:15"},
		{"lib/lib.go", "Store", "app/main.go 10:6"}, {"lib/lib.go", "Store.Get", "app/main.go 10:23"},
		{"app/main.go", "sized.Get", "lib/lib.go 5:16"},
	} {
		a := run(t, session, "find_implementations", map[string]any{"file_path": q.file, "symbol_name": q.symbol})
		got := fmt.Sprint(a["files"])
		file, at, _ := strings.Cut(q.want, " ")
		if a["completeness"] != "complete" || a["total"] != 1.0 || !strings.Contains(got, file) ||
			!strings.Contains(got, at) {
			t.Errorf("implementations of %s: %v", q.symbol, a)
		}
	}
	// gopls refuses to rename the method of a type that satisfies an interface, and names that of the interface.
	refused := run(t, session, "rename_symbol", map[string]any{"file_path": "app/main.go", "symbol_name": "mine.Do",
		"new_name": "Act", "apply": "if_safe"})
	testkit.Equal(t, fmt.Sprint(firstOf(refused, "next_steps")["arguments"]),
		"map[character:22 file_path:lib/lib.go line:7 new_name:Act]", refused)
	for _, q := range []struct {
		file, symbol, name string
		applied            bool
	}{
		// A method of another module that satisfies an interface is of its family.
		{"lib/lib.go", "Doer.Do", "Act", true}, {"lib/lib.go", "Store.Get", "Fetch", true},
		// The new name is there already, and may mean something else.
		{"lib/lib.go", "Store", "Mine", false},
		// The field that embeds a type has its name.
		{"lib/lib.go", "Store", "Shop", true}, {"lib/lib.go", "Shop.Size", "Length", true},
	} {
		a := run(t, session, "rename_symbol", map[string]any{"file_path": q.file, "symbol_name": q.symbol,
			"new_name": q.name, "apply": "if_safe"})
		testkit.Equal(t, a["applied"], any(q.applied), q.symbol, a)
		for _, module := range []string{"lib", "tool", "app"} {
			vet := exec.Command("go", "vet", "./...")
			vet.Dir, vet.Env = filepath.Join(dir, module), append(os.Environ(), "GOWORK=off", "GOFLAGS=")
			if module == "tool" {
				vet.Env = append(os.Environ(), "GOFLAGS=")
			}
			if out, err := vet.CombinedOutput(); err != nil {
				t.Errorf("%s: %s: %s", q.symbol, module, out)
			}
		}
	}
}

// A file that other packages have by a link is several files to gopls, with symbols of their own; a rename by one name
// is not applied.
func TestAFileThatPackagesShareByLinks(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "gopls")
	dir := project(t, map[string]string{"go.mod": "module ex.com/m\n\ngo 1.24\n",
		"shared/util.go": "package util\n\nfunc Help() int { return 1 }\n",
		"a/a.go":         "package util\n\nvar A = Help()\n"})
	testkit.Must(t, os.Symlink("../shared/util.go", filepath.Join(dir, "a", "util.go")))
	session := toolstest.Real(t, dir, "gopls")
	a := run(t, session, "find_references", map[string]any{"file_path": "shared/util.go", "symbol_name": "Help"})
	if a["total"] != 2.0 || a["completeness"] != "complete" {
		t.Errorf("%v", a)
	}
	a = run(t, session, "rename_symbol", map[string]any{"file_path": "shared/util.go", "symbol_name": "Help",
		"new_name": "Aid", "apply": "if_safe"})
	if w := warningOf(a, "uses_left"); a["applied"] != false || w == nil ||
		!strings.Contains(fmt.Sprint(w["message"]), "a/a.go:3") {
		t.Errorf("%v", a)
	}
}

// pyright renames a member in one class and leaves the classes that override it, or that it overrides, so that the
// program breaks when it runs (pyright 1.1.414).
func TestARenameThatLeavesOverridesIsNotOffered(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	session := overridesProject.session(t)
	for _, q := range []struct{ file, symbol, left string }{
		{"base.py", "Base.draw", "kid.py:12"},
		{"kid.py", "Grand.draw", "base.py:7"},
		{"base.py", "Base.limit", "kid.py:6"},
		{"base.py", "Renders.render", "kid.py:19"},
		{"kid.py", "Other.render", "base.py:12"},
		{"base.py", "Task.run", "threading.py"},
		{"libs/far/src/far/__init__.py", "Far.hook", "near.py:7"},
		{"near.py", "Near.depth", "libs/far/src/far/__init__.py:2"},
		{"libs/far/src/far/__init__.py", "Far.own", ""},
		{"apart/src/apart.py", "Apart.split", "user/user.py:5"},
		{"base.py", "Base.alone", ""},
		{"kid.py", "Other.draw", ""},
	} {
		a := run(t, session, "rename_symbol",
			overridesProject.in(map[string]any{"file_path": q.file, "symbol_name": q.symbol, "new_name": "zz"}))
		said := fmt.Sprint(a["warnings"])
		if q.left == "" {
			testkit.Equal(t, a["completeness"], "complete", q.symbol, a)
			continue
		}
		if !strings.Contains(said, "uses_left") || !strings.Contains(said, q.left) ||
			strings.Contains(said, "kid.py:16") ||
			a["completeness"] != "partial" || strings.Contains(fmt.Sprint(a["next_steps"]), "kind:tool") {
			t.Errorf("%s: %s, want %s: %v", q.symbol, said, q.left, a)
		}
	}
}

// clangd 22 leaves what a using declaration brought into another file, in its edit and in its references. The
// preview says so.
func TestRenameWithClangdBehindAUsingDeclaration(t *testing.T) {
	t.Parallel()
	needServer(t, "clangd")
	dir := project(t, map[string]string{
		"slice.h": "#pragma once\nnamespace n {\nstruct Slice {};\n}  // namespace n\n",
		"c.cc":    "#include \"slice.h\"\nusing n::Slice;\nSlice make() { return Slice(); }\n",
		"m.cc":    "#include \"slice.h\"\nn::Slice other() { return n::Slice(); }\n",
	})
	compileCommands(t, dir, "c.cc", "m.cc")
	a := run(t, toolstest.Real(t, dir, "clangd"), "rename_symbol",
		map[string]any{"file_path": "slice.h", "symbol_name": "Slice", "new_name": "Piece"})
	warnings := fmt.Sprint(a["warnings"])
	edits := fmt.Sprint(a["totals"].(map[string]any)["edits"])
	if whole := edits == "6" && a["completeness"] == "complete"; !whole &&
		!strings.Contains(warnings, "leaves 2 uses of Slice unchanged, in 1 file, the first at c.cc:3") {
		t.Errorf("%s edits, %v, %s", edits, a["completeness"], warnings)
	}
}
