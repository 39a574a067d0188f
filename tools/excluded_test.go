package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/tools/session"
	"lspi/tools/toolstest"
)

// stepsWork runs the tool steps of an answer and returns the others.
func stepsWork(t *testing.T, session *session.Session, a reply) (others []string) {
	t.Helper()
	for _, s := range a["next_steps"].([]any) {
		step := s.(map[string]any)
		if step["kind"] != "tool" {
			others = append(others, fmt.Sprint(step["message"]))
			continue
		}
		if a := run(t, session, step["tool"].(string), step["arguments"].(map[string]any)); a["ok"] != true {
			t.Errorf("%v: %v", step, a)
		}
	}
	return others
}

// wantUnchecked holds that an answer of no diagnostics is not said to be one.
func wantUnchecked(t *testing.T, a reply, words string, files ...string) {
	t.Helper()
	// Beside other work gopls now and then reports that no build has the file, or loads it all the same and finds
	// its error (0.23.0): both are true, and anything else is not.
	wrong := slices.ContainsFunc(strings.Split(found(a), "\n"), func(line string) bool {
		return line != "" && !strings.Contains(line, "go list <nil> No packages found for open file") &&
			!strings.Contains(line, "error compiler IncompatibleAssign")
	})
	if fmt.Sprint(excludedFiles(a)) != fmt.Sprint(files) || a["completeness"] != "partial" ||
		!strings.Contains(fmt.Sprint(a["warnings"]), words) || wrong {
		t.Errorf("want %s of %v\n%v", words, files, a)
	}
}

var excludedGo = map[string]string{
	"go.mod":             "module ex.com/gp\n\ngo 1.24\n",
	"plat/p.go":          "package plat\n\nfunc F() int { return 1 }\n",
	"plat/p_int.go":      "//go:build integration\n\npackage plat\n\nfunc itest() int { return \"bad\" }\n",
	"plat/p_plan9.go":    "package plat\n\nfunc p9() int { return \"bad\" }\n",
	"weird dir/w.go":     "package w\n\nfunc W() int { return \"bad\" }\n",
	"gen.go":             "//go:build ignore\n\npackage main\n\nfunc main() { var x int = \"bad\" }\n",
	"testdata/src/td.go": "package td\n\nfunc Td() int { return \"bad\" }\n",
}

// gopls reports nothing about a file that no build has which it can load by itself (0.23.0).
func TestDiagnosticsOfAFileOutsideTheGoBuild(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "gopls")
	session := toolstest.Real(t, project(t, excludedGo), "gopls")
	whole := run(t, session, "get_diagnostics", map[string]any{"wait": "all"})
	if got := fmt.Sprint(excludedFiles(whole)); whole["completeness"] != "partial" ||
		got != "[gen.go plat/p_int.go plat/p_plan9.go weird dir/w.go]" {
		t.Errorf("%s\n%v", got, whole)
	}
	stepsWork(t, session, whole)
	file := func(name string) reply { return run(t, session, "get_diagnostics", map[string]any{"file_path": name}) }
	a := file("plat/p_int.go")
	wantUnchecked(t, a, "//go:build integration", "plat/p_int.go")
	testkit.Holds(t, fmt.Sprint(stepsWork(t, session, a)), `-tags=integration" }`)
	wantUnchecked(t, file("weird dir/w.go"), "import path", "weird dir/w.go")
	wantUnchecked(t, file("testdata/src/td.go"), "testdata", "testdata/src/td.go")
	wantFound(t, file("plat/p_plan9.go"), "complete", "plat/p_plan9.go: 3:24 error compiler")
	wantFound(t, file("gen.go"), "complete", "gen.go: 5:19", "gen.go: 5:27")
	whole = run(t, session, "get_diagnostics", map[string]any{"wait": "all"}) // it has looked at the others by now
	testkit.Equal(t, fmt.Sprint(excludedFiles(whole)), "[plat/p_int.go weird dir/w.go]", whole)

	session = toolstest.Real(t, project(t, excludedGo), "gopls") // what it advises
	session.Workspace.Table.Specs[0].Env = map[string]string{"GOFLAGS": "-tags=integration"}
	wantFound(t, file("plat/p_int.go"), "complete", "plat/p_int.go: 5:27 error compiler")
}

// excludedFiles are the files that an answer says the build leaves out, or the project does.
func excludedFiles(a reply) []string {
	var out []string
	for _, w := range a["warnings"].([]any) {
		warning := w.(map[string]any)
		files, _ := warning["files"].([]any)
		for _, f := range files {
			switch file, _ := f.(map[string]any); {
			case warning["kind"] == "unlisted_sources":
				out = append(out, f.(string))
			case file["reason"] == "not_in_this_build", file["reason"] == "not_listed":
				out = append(out, file["file_path"].(string))
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// gopls reads the files of one build, and none in folders that are no import path; its answers about the whole project
// do not say so (0.23.0).
func TestSourcesOutsideTheGoBuildMakeAnAnswerPartial(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "gopls")
	use := func(pkg string) string {
		return "package " + pkg + "\n\nimport \"ex.com/gp/a\"\n\nfunc Bar" + pkg + "() int { return a.Foo() }\n"
	}
	elsewhere := "a/foo_plan9.go"
	dir := project(t, map[string]string{
		"go.mod": "module ex.com/gp\n\ngo 1.24\n",
		"a/a.go": "package a\n\n// Foo does.\nfunc Foo() int { return Only() }\n\nfunc Only() int { return 1 }\n\n" +
			"type Doer interface{ Do() }\n\ntype Other interface{ Undone() }\n\ntype Base struct{}\n\nfunc (Base) Undone() {}\n",
		elsewhere:            "package a\n\n// Only in a comment.\nvar _ = Foo()\n\nfunc Hidden() {}\n\ntype I struct{}\n\nfunc (I) Do() {}\n",
		"b/b.go":             use("b"),
		"c/c.go":             "//go:build custom\n\n" + use("c"),
		"weird dir#%41/w.go": use("w"),
		"_x/x.go":            use("x"),
		"d/d.go":             "package d\n\nimport \"ex.com/gp/a\"\n\nvar base a.Base\n\nvar _ a.Other = base\n",
		"d/d_plan9.go":       "package d\n\nfunc init() { base.Undone() }\n",
		".dot/x.go":          use("dot"),
		"testdata/x.go":      use("td"),
		"vendor/v/x.go":      use("v"),
	})
	session := toolstest.Real(t, dir, "gopls")
	at := func(name string, more ...any) map[string]any {
		out := map[string]any{"file_path": "a/a.go", "symbol_name": name}
		for i := 0; i < len(more); i += 2 {
			out[more[i].(string)] = more[i+1]
		}
		return out
	}
	for _, c := range []struct {
		tool      string
		arguments map[string]any
		want      []string
	}{
		{"find_references", at("Foo"), []string{elsewhere, "c/c.go", "weird dir#%41/w.go"}},
		{"find_references", at("Only"), nil},
		// by a variable of its package, without an import
		{"find_references", at("Base.Undone"), []string{"d/d_plan9.go"}},
		{"find_references", at("Base"), nil},
		{"symbol_bundle", at("Foo"), []string{elsewhere, "c/c.go", "weird dir#%41/w.go"}},
		{"find_definition", at("Foo"), nil},
		{"call_hierarchy", at("Foo"), []string{elsewhere, "c/c.go", "weird dir#%41/w.go"}},
		{"call_hierarchy", at("Only"), nil},
		{"call_hierarchy", at("Only", "max_depth", 2), []string{elsewhere, "c/c.go", "weird dir#%41/w.go"}},
		{"call_hierarchy", at("Foo", "direction", "outgoing"), nil},
		{"find_implementations", at("Doer"), []string{elsewhere}},
		{"find_implementations", at("Other"), nil},
		{"type_hierarchy", at("Doer"), []string{elsewhere}},
		{"type_hierarchy", at("Other"), nil},
		{"search_workspace_symbols", map[string]any{"query": "Bar"}, []string{"c/c.go", "weird dir#%41/w.go"}},
		{"search_workspace_symbols", map[string]any{"query": "Barc", "match": "exact"}, []string{"c/c.go"}},
		{"search_workspace_symbols", map[string]any{"query": "^Bar[ab]$", "match": "regex"}, nil},
		{"search_workspace_symbols", map[string]any{"query": "I\\.D", "match": "regex"}, []string{elsewhere}},
		{"search_workspace_symbols", map[string]any{"query": "Bar", "path": "b/**"}, nil},
		// Of the build for plan9 the files of other systems are none.
		{"find_references", map[string]any{"file_path": elsewhere, "symbol_name": "Foo"},
			[]string{".dot/x.go", "_x/x.go", "c/c.go", "testdata/x.go", "weird dir#%41/w.go"}},
		// The place that was asked about is in the answer, and unresolved_name tells of its file.
		{"find_references", map[string]any{"file_path": "weird dir#%41/w.go", "symbol_name": "Foo"},
			[]string{elsewhere, "c/c.go"}},
	} {
		a := run(t, session, c.tool, c.arguments)
		completeness := "complete"
		if c.want != nil {
			completeness = "partial"
		}
		if got := excludedFiles(a); !slices.Equal(got, c.want) || a["completeness"] != completeness {
			t.Errorf("%s %v: %v, want %v\n%v", c.tool, c.arguments, got, c.want, a)
		}
	}
	// A question about a file makes gopls know its build.
	a := run(t, toolstest.Real(t, dir, "gopls"), "find_references", map[string]any{"symbol_name": "Hidden"})
	steps := fmt.Sprint(a["next_steps"])
	if a["ok"] != false || len(a["next_steps"].([]any)) == 0 {
		t.Fatalf("%v", a)
	}
	first := a["next_steps"].([]any)[0].(map[string]any)
	if a := run(t, session, first["tool"].(string), first["arguments"].(map[string]any)); a["ok"] != true ||
		a["total"] != 1.0 {
		t.Errorf("%s: %v", steps, a)
	}
	for _, gone := range []string{elsewhere, "c", "weird dir#%41"} {
		testkit.Must(t, os.RemoveAll(filepath.Join(dir, gone)))
	}
	if a := run(t, session, "find_references", at("Foo")); a["completeness"] != "complete" || a["total"] != 5.0 {
		t.Errorf("%v", a)
	}
	write(t, dir, "b/b.go", "//go:build custom\n\n"+use("b"))
	if a := run(t, session, "find_references", at("Foo")); a["completeness"] != "partial" ||
		!slices.Equal(excludedFiles(a), []string{"b/b.go"}) {
		t.Errorf("%v", a)
	}
}

// The build is that of gopls: of the environment, and of its settings.
func TestTheGoBuildIsThatOfTheEnvironment(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "gopls")
	files := map[string]string{
		"go.mod":         "module ex.com/gp\n\ngo 1.24\n",
		"a/a.go":         "package a\n\nfunc Foo() int { return 1 }\n",
		"a/a_windows.go": "package a\n\nvar _ = Foo()\n",
		"a/custom.go":    "//go:build custom\n\npackage a\n\nvar _ = Foo()\n",
	}
	foo := map[string]any{"file_path": "a/a.go", "symbol_name": "Foo"}
	windows := map[string]string{"GOOS": "windows", "GOFLAGS": "-tags=custom"}
	if a := run(t, toolstest.RealWith(t, project(t, files), windows, "gopls"), "find_references",
		foo); a["completeness"] != "complete" || a["total"] != 3.0 {
		t.Errorf("%v", a)
	}
	session := toolstest.RealWith(t, project(t, files), map[string]string{"GOOS": "linux", "GOFLAGS": ""}, "gopls")
	session.Workspace.Table.Specs[0].Settings["gopls"].(map[string]any)["buildFlags"] = []any{"-tags=custom"}
	if a := run(t, session, "find_references", foo); !slices.Equal(excludedFiles(a), []string{"a/a_windows.go"}) ||
		a["total"] != 2.0 {
		t.Errorf("%v", a)
	}
}
