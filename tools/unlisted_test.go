package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// clangd knows nothing of a source that the compilation database does not list, and does not say so (22.1.8).
func TestSourcesOutsideTheDatabaseMakeAnAnswerPartial(t *testing.T) {
	needServer(t, "clangd")
	dir := project(t, map[string]string{
		"a.h":  "int foo();\n",
		"a.cc": "#include \"a.h\"\nint foo() { return 1; }\n",
		"b.cc": "#include \"a.h\"\nint bar() { return foo(); }\n",
	})
	database := func(files ...string) {
		t.Helper()
		text := "["
		for i, f := range files {
			if i > 0 {
				text += ","
			}
			text += fmt.Sprintf(`{"directory":%q,"file":%q,"command":"c++ -c %s"}`, dir, f, f)
		}
		if err := os.WriteFile(filepath.Join(dir, "compile_commands.json"), []byte(text+"]"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	database("a.cc")
	env := newEnv(t, dir, "clangd")
	foo := map[string]any{"file_path": "a.cc", "symbol_name": "foo"}
	a := run(t, env, "find_references", foo)
	warning := fmt.Sprint(a["warnings"])
	if a["completeness"] != "partial" || len(a["warnings"].([]any)) != 1 {
		t.Errorf("%v\n%s", a, warning)
	}
	if a := run(t, env, "hover", foo); a["completeness"] != "complete" {
		t.Errorf("a hover needs no other file: %v", a)
	}
	database("a.cc", "b.cc")
	if a := run(t, env, "find_references", foo); a["completeness"] != "complete" || a["total"] != 3.0 {
		t.Errorf("%v", a)
	}
}
