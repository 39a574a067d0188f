package tools

import (
	"os"
	"path/filepath"
	"testing"

	"lspi/internal/testkit"
	"lspi/internal/testkit/sessions"
)

// gopls learns of a created file by the notification and still does not load the package that it begins; asked at once
// it gave complete answers without it (0.23.0).
func TestNewGoPackagesAreSeenAtOnce(t *testing.T) {
	t.Parallel()
	needServer(t, "gopls")
	dir := project(t, map[string]string{
		"go.mod": "module ex.com/gp\n\ngo 1.24\n",
		"a/a.go": "package a\n\n// Foo does.\nfunc Foo() int { return 1 }\n\ntype Doer interface{ Do() }\n",
	})
	env := sessions.Real(t, dir, "gopls")
	foo := map[string]any{"file_path": "a/a.go", "symbol_name": "Foo"}
	total := func(want float64) {
		t.Helper()
		if a := run(t, env, "find_references", foo); a["total"] != want || a["completeness"] != "complete" {
			t.Errorf("want %v: %v", want, a)
		}
	}
	total(1)
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		testkit.Must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		testkit.Must(t, os.WriteFile(path, []byte(text), 0o644))
	}
	write("b/b.go", "package b\n\nimport \"ex.com/gp/a\"\n\nvar X = a.Foo()\n")
	total(2)
	write("a/a_test.go", "package a_test\n\nimport \"ex.com/gp/a\"\n\nvar Y = a.Foo()\n")
	total(3)
	write("mm/m.go", "package mm\n\ntype Impl struct{}\n\nfunc (Impl) Do() {}\n")
	if a := run(t, env, "find_definition", map[string]any{"symbol_name": "Impl"}); a["ok"] != true {
		t.Errorf("%v", a)
	}
	if a := run(t, env, "find_implementations", map[string]any{"file_path": "a/a.go", "symbol_name": "Doer"}); a["total"] != 1.0 {
		t.Errorf("%v", a)
	}
	testkit.Must(t, os.Rename(filepath.Join(dir, "b"), filepath.Join(dir, "c")))
	total(3)
	testkit.Must(t, os.RemoveAll(filepath.Join(dir, "c")))
	total(2)
}

// Once packages imported each other, if only in a trial, gopls found no uses in the package whose imports did not change, under
// "complete" and for good (0.23.0).
func TestUsesAreFoundAfterAnImportCycle(t *testing.T) {
	t.Parallel()
	needServer(t, "gopls")
	a := "package a\n\n// Foo does.\nfunc Foo() int { return 1 }\n"
	cycle := "package a\n\nimport \"ex.com/cy/b\"\n\n// Foo does.\nfunc Foo() int { return b.X }\n"
	dir := project(t, map[string]string{
		"go.mod":      "module ex.com/cy\n\ngo 1.24\n",
		"a/a.go":      a,
		"a/a_test.go": "package a_test\n\nimport \"ex.com/cy/a\"\n\nvar _ = a.Foo()\n",
		"b/b.go":      "package b\n\nimport \"ex.com/cy/a\"\n\nvar X = a.Foo()\n",
	})
	env := sessions.Real(t, dir, "gopls")
	foo := map[string]any{"file_path": "a/a.go", "symbol_name": "Foo"}
	all := func(when string) {
		t.Helper()
		if a := run(t, env, "find_references", foo); a["total"] != 3.0 || a["completeness"] != "complete" {
			t.Errorf("%s: %v", when, a)
		}
	}
	all("before")
	tried := run(t, env, "check_edit", map[string]any{"edits": []any{map[string]any{"file_path": "a/a.go", "new_text": cycle}}})
	if tried["total"] == 0.0 {
		t.Errorf("the cycle is no error: %v", tried)
	}
	all("after a trial")
	write := func(text string) {
		t.Helper()
		testkit.Must(t, os.WriteFile(filepath.Join(dir, "a", "a.go"), []byte(text), 0o644))
	}
	write(cycle)
	run(t, env, "get_diagnostics", map[string]any{"file_path": "b/b.go"})
	if a := run(t, env, "find_references", foo); a["total"] != 3.0 && a["completeness"] == "complete" {
		t.Errorf("with the cycle: %v", a)
	}
	write(a)
	all("after the cycle")
}
