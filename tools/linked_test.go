package tools

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"lspi/internal/testkit"
	"lspi/internal/testkit/sessions"
	"lspi/workspace"
)

// gopls answers for the module of the file; a module that replaces it by a path is another view (0.23.0).
func TestModulesThatReplaceEachOtherMakeAnAnswerPartial(t *testing.T) {
	t.Parallel()
	needServer(t, "gopls")
	files := map[string]string{
		"go.mod":     "module ex.com/gp\n\ngo 1.24\n",
		"a/a.go":     "package a\n\nfunc Foo() int { return 1 }\n\nfunc Bar() {}\n",
		"sub/go.mod": "module ex.com/sub\n\ngo 1.24\n\nrequire ex.com/gp v0.0.0\n\nreplace ex.com/gp => ..\n",
		"sub/s.go":   "package sub\n\nimport \"ex.com/gp/a\"\n\nvar S = a.Foo()\n",
	}
	foo := map[string]any{"file_path": "a/a.go", "symbol_name": "Foo"}
	env := sessions.Real(t, project(t, files), "gopls")
	if a := run(t, env, "find_references", foo); a["completeness"] != "partial" {
		t.Errorf("%v", a)
	}
	if a := run(t, env, "find_references", map[string]any{"file_path": "a/a.go", "symbol_name": "Bar"}); a["completeness"] != "complete" {
		t.Errorf("the other module does not hold the name: %v", a)
	}
	if a := run(t, env, "find_definition", foo); a["completeness"] != "complete" {
		t.Errorf("%v", a)
	}
	files["go.work"] = "go 1.24\n\nuse (\n\t.\n\t./sub\n)\n"
	env = sessions.Real(t, project(t, files), "gopls")
	if a := run(t, env, "find_references", foo); a["completeness"] != "complete" || a["total"] != 2.0 {
		t.Errorf("%v", a)
	}
}

// The step makes one workspace of the modules that are joined with the one in question, and of no others; run as it
// stands in the folder that it names, it makes the answer whole.
func TestTheStepThatJoinsModules(t *testing.T) {
	t.Parallel()
	needServer(t, "gopls")
	module := func(name, more string) string { return "module ex.com/" + name + "\n\ngo 1.24\n" + more }
	files := map[string]string{
		"go/a/go.mod":         module("a", ""),
		"go/a/a.go":           "package a\n\nfunc Foo() int { B := 1; return B }\n",
		"go/my b/go.mod":      module("b", "\nrequire ex.com/a v0.0.0\n\nreplace ex.com/a v0.0.0 => ../a\n"),
		"go/my b/b.go":        "package b\n\nimport \"ex.com/a\"\n\nvar B = a.Foo()\n",
		"c/go.mod":            module("c", "\nreplace ex.com/d => ../d\n"),
		"c/c.go":              "package c\n\nfunc Alone() {}\n",
		"d/go.mod":            module("d", ""),
		"d/d.go":              "package d\n\nvar Alone = 1\n",
		"e/go.mod":            module("e", ""),
		"e/e.go":              "package e\n\nfunc Free() {}\n",
		"testdata/x/go.mod":   module("x", "\nreplace ex.com/a => ../../go/a\n"),
		"go/node/f/README.md": "",
	}
	dir := project(t, files)
	env := sessions.Real(t, dir, "gopls")
	ask := func(env *workspace.Session, file, name string) map[string]any {
		return run(t, env, "find_references", map[string]any{"file_path": file, "symbol_name": name})
	}
	free := ask(env, "e/e.go", "Free")
	equal(t, "a module that stands alone", free["completeness"], any("complete"))
	apart := ask(env, "c/c.go", "Alone")
	equal(t, "at the workspace", firstOf(apart, "next_steps")["command"], any("go work init ./c ./d"))
	step := firstOf(ask(env, "go/a/a.go", "Foo"), "next_steps")
	equal(t, "kind", step["kind"], any("command"))
	equal(t, "command", step["command"], any("go work init ./a './my b'"))
	equal(t, "message", step["message"], any("Join the modules. Run it in go, then repeat the call."))

	runIn(t, filepath.Join(dir, "go"), step["command"].(string))
	whole := ask(sessions.Real(t, dir, "gopls"), "go/a/a.go", "Foo")
	if whole["completeness"] != "complete" || whole["total"] != 2.0 {
		t.Errorf("behind the step: %v", whole)
	}
	// A go.work that is there and leaves one out is added to.
	testkit.Must(t, os.WriteFile(filepath.Join(dir, "go", "go.work"), []byte("go 1.24\n\nuse ./a\n"), 0o644))
	more := firstOf(ask(sessions.Real(t, dir, "gopls"), "go/my b/b.go", "B"), "next_steps")
	equal(t, "go.work is there", more["command"], any("go work use './my b'"))
}

// runIn runs a command line in a folder, as a step says to.
func runIn(t *testing.T, folder, command string) {
	t.Helper()
	run := exec.Command("sh", "-c", command)
	run.Dir = folder
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
}
