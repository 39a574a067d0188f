package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"lspi/internal/testkit"
	"lspi/internal/testkit/sessions"
)

// leftOutOf are the files that an answer says the build leaves out.
func leftOutOf(a reply) []string {
	var out []string
	for _, w := range a["warnings"].([]any) {
		warning := w.(map[string]any)
		if warning["kind"] != "unlisted_sources" {
			continue
		}
		files, _ := warning["files"].([]any)
		for _, f := range files {
			out = append(out, f.(string))
		}
	}
	return out
}

// gopls reads the files of one build, and none in folders that are no import path; its answers about the whole project
// do not say so (0.23.0).
func TestSourcesOutsideTheGoBuildMakeAnAnswerPartial(t *testing.T) {
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
	env := sessions.Real(t, dir, "gopls")
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
		{"find_references", at("Base.Undone"), []string{"d/d_plan9.go"}}, // by a variable of its package, without an import
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
		{"find_references", map[string]any{"file_path": elsewhere, "symbol_name": "Foo"}, []string{"c/c.go", "weird dir#%41/w.go"}},
		// The place that was asked about is in the answer, and unresolved_name tells of its file.
		{"find_references", map[string]any{"file_path": "weird dir#%41/w.go", "symbol_name": "Foo"}, []string{elsewhere, "c/c.go"}},
	} {
		a := run(t, env, c.tool, c.arguments)
		completeness := "complete"
		if c.want != nil {
			completeness = "partial"
		}
		if got := leftOutOf(a); !slices.Equal(got, c.want) || a["completeness"] != completeness {
			t.Errorf("%s %v: %v, want %v\n%v", c.tool, c.arguments, got, c.want, a)
		}
	}
	// A question about a file makes gopls know its build.
	a := run(t, sessions.Real(t, dir, "gopls"), "find_references", map[string]any{"symbol_name": "Hidden"})
	steps := fmt.Sprint(a["next_steps"])
	if a["ok"] != false || len(a["next_steps"].([]any)) == 0 {
		t.Fatalf("%v", a)
	}
	first := a["next_steps"].([]any)[0].(map[string]any)
	if a := run(t, env, first["tool"].(string), first["arguments"].(map[string]any)); a["ok"] != true || a["total"] != 1.0 {
		t.Errorf("%s: %v", steps, a)
	}
	for _, gone := range []string{elsewhere, "c", "weird dir#%41"} {
		testkit.Must(t, os.RemoveAll(filepath.Join(dir, gone)))
	}
	if a := run(t, env, "find_references", at("Foo")); a["completeness"] != "complete" || a["total"] != 2.0 {
		t.Errorf("%v", a)
	}
	testkit.Must(t, os.WriteFile(filepath.Join(dir, "b/b.go"), []byte("//go:build custom\n\n"+use("b")), 0o644))
	if a := run(t, env, "find_references", at("Foo")); a["completeness"] != "partial" || !slices.Equal(leftOutOf(a), []string{"b/b.go"}) {
		t.Errorf("%v", a)
	}
}

// The build is that of gopls: of the environment, and of its settings.
func TestTheGoBuildIsThatOfTheEnvironment(t *testing.T) {
	needServer(t, "gopls")
	files := map[string]string{
		"go.mod":         "module ex.com/gp\n\ngo 1.24\n",
		"a/a.go":         "package a\n\nfunc Foo() int { return 1 }\n",
		"a/a_windows.go": "package a\n\nvar _ = Foo()\n",
		"a/custom.go":    "//go:build custom\n\npackage a\n\nvar _ = Foo()\n",
	}
	foo := map[string]any{"file_path": "a/a.go", "symbol_name": "Foo"}
	t.Setenv("GOOS", "windows")
	t.Setenv("GOFLAGS", "-tags=custom")
	if a := run(t, sessions.Real(t, project(t, files), "gopls"), "find_references", foo); a["completeness"] != "complete" || a["total"] != 3.0 {
		t.Errorf("%v", a)
	}
	t.Setenv("GOOS", "linux")
	t.Setenv("GOFLAGS", "")
	env := sessions.Real(t, project(t, files), "gopls")
	env.Workspace.Table.Specs[0].Settings["gopls"].(map[string]any)["buildFlags"] = []any{"-tags=custom"}
	if a := run(t, env, "find_references", foo); !slices.Equal(leftOutOf(a), []string{"a/a_windows.go"}) || a["total"] != 2.0 {
		t.Errorf("%v", a)
	}
}
