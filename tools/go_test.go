package tools

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"lspi/internal/testkit"
	"lspi/lsp"
	"lspi/lsp/servers"
	"lspi/router"
	"lspi/tools/session"
	"lspi/tools/toolstest"
)

// Once packages imported each other, if only in a trial, gopls found no uses in the package whose imports did not
// change, under "complete" and for good (0.23.0). Of a large tree its own errors are not waited for.
func TestUsesAreFoundAfterAnImportCycle(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "gopls")
	a := "package a\n\n// Foo does.\nfunc Foo() int { return 1 }\n"
	cycle := "package a\n\nimport \"ex.com/cy/b\"\n\n// Foo does.\nfunc Foo() int { return b.X }\n"
	for _, others := range []int{0, 310} {
		files := map[string]string{
			"go.mod":      "module ex.com/cy\n\ngo 1.24\n",
			"a/a.go":      a,
			"a/a_test.go": "package a_test\n\nimport \"ex.com/cy/a\"\n\nvar _ = a.Foo()\n",
			"b/b.go":      "package b\n\nimport \"ex.com/cy/a\"\n\nvar X = a.Foo()\n",
		}
		for i := range others {
			files[fmt.Sprintf("many/f%d.go", i)] = "package many\n"
		}
		dir := project(t, files)
		session := toolstest.Real(t, dir, "gopls")
		foo := map[string]any{"file_path": "a/a.go", "symbol_name": "Foo"}
		all := func(when string) {
			t.Helper()
			if a := run(t, session, "find_references", foo); a["total"] != 3.0 || a["completeness"] != "complete" {
				t.Errorf("%s, %d others: %v", when, others, a)
			}
		}
		all("before")
		tried := run(t, session, "check_edit",
			map[string]any{"edits": []any{map[string]any{"file_path": "a/a.go", "new_text": cycle}}})
		if tried["total"] == 0.0 {
			t.Errorf("the cycle is no error: %v", tried)
		}
		all("after a trial")
		write(t, dir, "a/a.go", cycle)
		// At once: gopls itself tells of the cycle up to a second later.
		if a := run(t, session, "find_references", foo); a["total"] != 3.0 && a["completeness"] == "complete" {
			t.Errorf("with the cycle, %d others: %v", others, a)
		}
		write(t, dir, "a/a.go", a)
		all("after the cycle")
	}
}

// A module that go.mod replaces by a path outside of the workspace is a part of the project: what changes there is
// in the next answer.
func TestReplacedModulesOutsideAreFollowed(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "gopls")
	dir := project(t, map[string]string{
		"work/.git/HEAD": "",
		"work/go.mod":    "module m\n\ngo 1.24\n\nrequire example.com/dep v0.0.0\n\nreplace example.com/dep => ../dep\n",
		"work/a.go":      "package m\n\nimport \"example.com/dep\"\n\nvar X = dep.Z()\n",
		"dep/go.mod":     "module example.com/dep\n\ngo 1.24\n",
		"dep/d.go":       "package dep\n\nfunc Z() int { return 1 }\n",
	})
	session := toolstest.Real(t, filepath.Join(dir, "work"), "gopls")
	check := func(errors float64, line any) {
		t.Helper()
		if a := run(t, session, "get_diagnostics", map[string]any{"file_path": "a.go"}); a["total"] != errors ||
			a["completeness"] != "complete" {
			t.Errorf("%v errors wanted: %v", errors, a)
		}
		a := run(t, session, "find_definition", map[string]any{"file_path": "a.go", "line": 5, "symbol_name": "Z"})
		all := a["definitions"].([]any)
		if line == nil {
			equal(t, "definitions", len(all), 0)
		} else {
			equal(t, "line", all[0].(map[string]any)["line"], line)
		}
	}
	check(0, 3.0)
	write(t, dir, "dep/d.go", "package dep\n\n\n\n// Z moved.\nfunc Z() int { return 1 }\n")
	check(0, 6.0)
	write(t, dir, "dep/d.go", "package dep\n\nfunc Z2() int { return 1 }\n")
	check(1, nil)
	write(t, dir, "dep/d.go", "package dep\n\nfunc Z() int { return 1 }\n")
	check(0, 3.0)
}

// A module that is not the one in go.sum is nothing that a command puts right: go mod tidy ends with the same error
// (Go 1.26), and who takes the line out of go.sum gives up what it is for.
func TestAnotherModuleThanInGoSumIsForTheUser(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "gopls")
	session := toolstest.Real(t, project(t, map[string]string{
		"go.mod": "module x\n\ngo 1.24\n\nrequire github.com/google/go-cmp v0.7.0\n",
		"go.sum": "github.com/google/go-cmp v0.7.0 h1:" + strings.Repeat("A", 43) + "=\n" +
			"github.com/google/go-cmp v0.7.0/go.mod h1:pXiqmnSA92OHEEa9HXL2W4E7lf9JzCmGVUdgjX3N/iU=\n",
		"a.go": "package x\n\nimport \"github.com/google/go-cmp/cmp\"\n\nvar a = cmp.Equal(1, 2)\n",
	}), "gopls")
	a := run(t, session, "find_references", map[string]any{"file_path": "a.go", "symbol_name": "a"})
	if !strings.Contains(fmt.Sprint(a["warnings"]), "checksum mismatch") {
		t.Fatalf("%v", a)
	}
	step := firstOf(a, "next_steps")
	if step["kind"] != "doc" || !strings.Contains(fmt.Sprint(step["message"]), "Tell the user") {
		t.Errorf("%v", step)
	}
}

// The step makes one workspace of the modules that are joined with the one in question, and of no others; run as it
// stands in the folder that it names, it makes the answer whole.
func TestTheStepThatJoinsModules(t *testing.T) {
	testkit.OwnServer(t)
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
	opened := toolstest.Real(t, dir, "gopls")
	joins := func(a map[string]any) map[string]any {
		for _, step := range a["next_steps"].([]any) {
			if step := step.(map[string]any); step["kind"] == "command" {
				return step
			}
		}
		t.Fatalf("no command: %v", a)
		return nil
	}
	ask := func(opened *session.Session, file, name string) map[string]any {
		return run(t, opened, "call_hierarchy", map[string]any{"file_path": file, "symbol_name": name})
	}
	free := ask(opened, "e/e.go", "Free")
	equal(t, "a module that stands alone", free["completeness"], any("complete"))
	apart := ask(opened, "c/c.go", "Alone")
	equal(t, "another one of the name", apart["completeness"], any("complete"))
	step := joins(ask(opened, "go/a/a.go", "Foo"))
	equal(t, "kind", step["kind"], any("command"))
	equal(t, "command", step["command"], any("go work init ./a './my b'"))
	equal(t, "message", step["message"], any("Join the modules. Run it in go, then repeat the call."))

	runIn(t, filepath.Join(dir, "go"), step["command"].(string))
	whole := run(t, toolstest.Real(t, dir, "gopls"), "find_references", map[string]any{"file_path": "go/a/a.go",
		"symbol_name": "Foo"})
	if whole["completeness"] != "complete" || whole["total"] != 2.0 {
		t.Errorf("behind the step: %v", whole)
	}
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

// The callers of callers cost no open document, which gopls would go on checking, and no question about what the
// texts of a folder say nothing calls.
func TestCallersOfCallersOpenNoFiles(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "gopls")
	dir := project(t, map[string]string{
		"go.mod":        "module ex.com/cc\n\ngo 1.24\n",
		"a/a.go":        "package a\n\n// Load does.\nfunc Load() int { return 1 }\n",
		"a/a_test.go":   "package a\n\nimport \"testing\"\n\n// TestLoad is TestLoad.\nfunc TestLoad(t *testing.T) { Load() }\n",
		"b/b.go":        "package b\n\nimport \"ex.com/cc/a\"\n\nfunc B() int { return a.Load() }\n",
		"main.go":       "package main\n\nimport \"ex.com/cc/a\"\n\nfunc main() { Run() }\n\nfunc Run() { a.Load() }\n",
		"cmd/x/x.go":    "package main\n\nimport \"ex.com/cc/a\"\n\n// main of it.\nfunc main() { a.Load() }\n",
		"cmd/x/none.go": "package main\n\nfunc other() {}\n",
		"cmd/y/y.go":    "package main\n\nimport \"ex.com/cc/a\"\n\nfunc main() { a.Load() }\n",
		"cmd/y/more.go": "package main\n\nfunc more() { main() }\n",
	})
	var mu sync.Mutex
	opened, asked := []string{}, []string{}
	session := toolstest.OpenWith(t, dir, func(o *router.PoolOptions) {
		o.Trace = func(_ string, sent bool, message []byte) {
			var m struct {
				Method string
				Params struct {
					TextDocument struct{ URI string }
					Item         struct{ Name, URI string }
				}
			}
			if !sent || json.Unmarshal(message, &m) != nil {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			switch m.Method {
			case "textDocument/didOpen":
				opened = append(opened, filepath.Base(m.Params.TextDocument.URI))
			case lsp.MethodIncomingCalls:
				asked = append(asked, filepath.Base(m.Params.Item.URI)+" "+m.Params.Item.Name)
			}
		}
	}, toolstest.Catalogue("gopls")...)
	a := run(t, session, "symbol_bundle", map[string]any{"file_path": "a/a.go", "symbol_name": "Load"})
	equal(t, "completeness", a["completeness"], any("complete"))
	equal(t, "callers", outline(t, a["call_hierarchy"].(map[string]any)["incoming"]),
		"TestLoad@a/a_test.go:6[6] B@b/b.go:5[5] main@cmd/x/x.go:6[6] main@cmd/y/y.go:5[5]{more@cmd/y/more.go:3[3]} Run@main.go:7[7]{main@main.go:5[5]}")
	mu.Lock()
	defer mu.Unlock()
	slices.Sort(asked) // each once more where gopls has finished loading meanwhile
	equal(t, "asked", strings.Join(slices.Compact(asked), ", "), "a.go Load, b.go B, main.go Run, y.go main")
	equal(t, "opened", strings.Join(opened, ", "), "a.go")
}

// A module in testdata, or in a folder that the go command passes over, is not what a question about the workspace asks
// about, whatever was opened before; one of its files, or a name in it, is.
func TestModulesThatAreDataOfTests(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "gopls")
	dir := project(t, map[string]string{
		"go.mod":                     "module ex.com/m\n\ngo 1.24\n",
		"m.go":                       "package m\n\nfunc Own() int { return 1 }\n",
		"testdata/bad/go.mod":        "module bad\n\ngo 1.24\n",
		"testdata/bad/bad.go":        "package bad\n\nfunc Data() int { return missing }\n",
		"_examples/go.mod":           "module ex\n\ngo 1.24\n\nrequire ex.com/m v0.0.0\n\nreplace ex.com/m => ../\n",
		"_examples/show/main.go":     "package main\n\nimport \"ex.com/m\"\n\nfunc main() { println(m.Own()) }\n",
		"vendor/modules.txt":         "",
		"vendor/ex.com/a/go.mod":     "module ex.com/a\n\nrequire ex.com/b v1.0.0\n",
		"vendor/ex.com/a/a.go":       "package a\n\nimport \"ex.com/b\"\n\nvar A = b.B\n",
		"vendor/ex.com/a/own_one.go": "package a\n\nfunc Own() {}\n",
	})
	session := toolstest.Real(t, dir, "gopls")
	whole := func(when string) {
		t.Helper()
		a := run(t, session, "get_diagnostics", map[string]any{"wait": "all"})
		// The one that uses the module around it may be broken by it.
		if a["total"] != 0.0 || a["completeness"] != "partial" || !strings.Contains(fmt.Sprint(a["warnings"]),
			"folders:[_examples] kind:coverage_open_files_only") ||
			!strings.Contains(fmt.Sprint(a["warnings"]), "folders:[testdata/bad] kind:projects_aside") {
			t.Errorf("%s: %v", when, a)
		}
	}
	whole("at first")
	for ask, want := range map[string]string{
		`{"symbol_name":"Own"}`:                                        "partial 2",
		`{"file_path":"m.go","symbol_name":"Own"}`:                     "complete 2",
		`{"symbol_name":"Data"}`:                                       "complete 1",
		`{"file_path":"testdata/bad/bad.go","symbol_name":"Data"}`:     "complete 1",
		`{"file_path":"_examples/show/main.go","symbol_name":"m.Own"}`: "partial 2",
	} {
		var arguments map[string]any
		if err := json.Unmarshal([]byte(ask), &arguments); err != nil {
			t.Fatal(err)
		}
		if a := run(t, session, "find_references", arguments); fmt.Sprint(a["completeness"], " ", a["total"]) != want {
			t.Errorf("%s: %v", ask, a)
		}
	}
	if a := run(t, session, "get_diagnostics", map[string]any{"file_path": "testdata/bad"}); a["total"] != 1.0 {
		t.Errorf("of the folder: %v", a)
	}
	whole("after questions about them")
}

// A module that go.work leaves out is loaded on its own. That it cannot be loaded matters to a question about the
// workspace, and not to one about another module.
func TestAModuleThatIsLeftOutIsLoadedOnItsOwn(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "gopls")
	dir := project(t, map[string]string{
		"go.work":     "go 1.24\n\nuse ./in\n",
		"in/go.mod":   "module in\n\ngo 1.24\n",
		"in/in.go":    "package in\n\nfunc Inner() {}\n",
		"out/go.mod":  "module out\n\ngo 1.99\n",
		"out/out.go":  "package out\n\nfunc Outer() {}\n",
		"fine/go.mod": "module fine\n\ngo 1.24\n",
		"fine/one.go": "package fine\n\nfunc Fine() {}\n",
	})
	session := toolstest.RealWith(t, dir, map[string]string{"GOTOOLCHAIN": "local"}, "gopls")
	if a := run(t, session, "search_workspace_symbols", map[string]any{"query": "er"}); a["total"] != 1.0 ||
		a["completeness"] != "partial" || firstOf(a, "warnings")["kind"] != "load_failed" {
		t.Errorf("the search: %v", a)
	}
	for _, c := range [][2]string{{"in/in.go", "Inner"}, {"fine/one.go", "Fine"}} {
		a := run(t, session, "find_references", map[string]any{"file_path": c[0], "symbol_name": c[1]})
		if a["total"] != 1.0 || a["completeness"] != "complete" {
			t.Errorf("%s: %v", c[1], a)
		}
	}
	if a := run(t, session, "find_references", map[string]any{"file_path": "out/out.go", "symbol_name": "Outer"}); a["completeness"] == "complete" {
		t.Errorf("Outer: %v", a)
	}
}

// The folders that a user adds to a workspace are as much of it as its root: in questions by name, in uses, in what a
// rename leaves and in the errors of all, whatever was opened before.
func TestAWorkspaceOfSeveralRoots(t *testing.T) {
	t.Parallel()
	needServer(t, "gopls")
	dir := project(t, map[string]string{
		"lib/go.mod":     "module ex.com/lib\n\ngo 1.24\n",
		"lib/num/num.go": "package num\n\nfunc Clamp(n int) int { return n }\n",
		"app/go.mod":     "module ex.com/app\n\ngo 1.24\n\nrequire ex.com/lib v0.0.0\n\nreplace ex.com/lib => ../lib\n",
		"app/main.go":    "package main\n\nimport \"ex.com/lib/num\"\n\nfunc main() { println(num.Clamp(2), only()) }\n\nfunc only() int { return 1 }\n",
	})
	app := filepath.Join(dir, "app")
	w, err := toolstest.NewProcess(t).Open("", &router.Table{Workspace: filepath.Join(dir, "lib"), Roots: []string{app},
		Specs: toolstest.Catalogue("gopls")}, router.PoolOptions{Launcher: servers.Launcher})
	if err != nil {
		t.Fatal(err)
	}
	session := &session.Session{Workspace: w}
	t.Cleanup(session.Close)
	for _, c := range []struct {
		tool string
		ask  map[string]any
		want string
	}{
		{"find_references", map[string]any{"file_path": "num/num.go", "symbol_name": "Clamp"}, "complete 2"},
		{"find_references", map[string]any{"symbol_name": "only"}, "complete 2"},
		{"search_workspace_symbols", map[string]any{"query": "only"}, "complete 1"},
		{"get_diagnostics", map[string]any{"wait": "all"}, "complete 0"},
	} {
		if a := run(t, session, c.tool, c.ask); fmt.Sprint(a["completeness"], " ", a["total"]) != c.want {
			t.Errorf("%s %v: %v", c.tool, c.ask, a)
		}
	}
	servers := firstOf(run(t, session, "list_servers", map[string]any{}), "servers")
	if projects, _ := servers["projects"].([]any); len(projects) != 2 || servers["files"] != 4.0 {
		t.Errorf("the map of projects: %v", servers)
	}
	renamed := run(t, session, "rename_symbol", map[string]any{"file_path": "num/num.go", "symbol_name": "Clamp",
		"new_name": "Bound", "apply": "if_safe"})
	if renamed["applied"] != true || renamed["edits"] != 2.0 {
		t.Errorf("the rename: %v", renamed)
	}
	write(t, dir, "lib/num/num.go", "package num\n\nfunc Clamp(n int) int { return n }\n")
	if a := run(t, session, "get_diagnostics", map[string]any{"wait": "all"}); a["total"] != 1.0 {
		t.Errorf("after the break: %v", a)
	}
}

// A repository without a file is asked, and filled later.
func TestAnEmptyRepositoryThatIsFilled(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "gopls")
	dir := project(t, map[string]string{".git/HEAD": ""})
	session := toolstest.Real(t, dir, "gopls")
	own := map[string]any{"symbol_name": "Own"}
	if a := run(t, session, "find_references", own); a.fault() != "no_server_for_extension" {
		t.Errorf("at first: %v", a)
	}
	write(t, dir, "m.go", "package m\n\nfunc Own() {}\n")
	if a := run(t, session, "find_references", own); firstOf(a, "warnings")["kind"] != "no_project_file" {
		t.Errorf("without a go.mod: %v", a)
	}
	write(t, dir, "go.mod", "module ex.com/m\n\ngo 1.24\n")
	write(t, dir, "use/use.go", "package use\n\nimport \"ex.com/m\"\n\nfunc Use() { m.Own(); missing() }\n")
	if a := run(t, session, "find_references", own); a["completeness"] != "complete" || a["total"] != 2.0 {
		t.Errorf("filled: %v", a)
	}
	if a := run(t, session, "get_diagnostics", map[string]any{"wait": "all"}); a["completeness"] != "complete" ||
		a["total"] != 1.0 {
		t.Errorf("its errors: %v", a)
	}
}
