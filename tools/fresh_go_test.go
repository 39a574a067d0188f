package tools

import (
	"os"
	"path/filepath"
	"testing"
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
	env := newEnv(t, dir, "gopls")
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
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
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
	if err := os.Rename(filepath.Join(dir, "b"), filepath.Join(dir, "c")); err != nil {
		t.Fatal(err)
	}
	total(3)
	if err := os.RemoveAll(filepath.Join(dir, "c")); err != nil {
		t.Fatal(err)
	}
	total(2)
}
