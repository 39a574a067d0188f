package tools

import "testing"

// gopls answers for the module of the file; a module that replaces it by a path is another view (0.23.0).
func TestModulesThatReplaceEachOtherMakeAnAnswerPartial(t *testing.T) {
	needServer(t, "gopls")
	files := map[string]string{
		"go.mod":     "module ex.com/gp\n\ngo 1.24\n",
		"a/a.go":     "package a\n\nfunc Foo() int { return 1 }\n",
		"sub/go.mod": "module ex.com/sub\n\ngo 1.24\n\nrequire ex.com/gp v0.0.0\n\nreplace ex.com/gp => ../\n",
		"sub/s.go":   "package sub\n\nimport \"ex.com/gp/a\"\n\nvar S = a.Foo()\n",
	}
	foo := map[string]any{"file_path": "a/a.go", "symbol_name": "Foo"}
	env := newEnv(t, project(t, files), "gopls")
	if a := run(t, env, "find_references", foo); a["completeness"] != "partial" {
		t.Errorf("%v", a)
	}
	if a := run(t, env, "find_definition", foo); a["completeness"] != "complete" {
		t.Errorf("%v", a)
	}
	files["go.work"] = "go 1.24\n\nuse (\n\t.\n\t./sub\n)\n"
	env = newEnv(t, project(t, files), "gopls")
	if a := run(t, env, "find_references", foo); a["completeness"] != "complete" || a["total"] != 2.0 {
		t.Errorf("%v", a)
	}
}
