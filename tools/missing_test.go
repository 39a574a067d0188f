package tools

import (
	"fmt"
	"testing"
)

// Without a compilation database an answer says so, and how to have one written by what the folder is built with.
func TestHowToMakeACompilationDatabase(t *testing.T) {
	needServer(t, "clangd")
	for _, c := range []struct{ file, want string }{
		{"CMakeLists.txt", "command cmake -S . -B build -DCMAKE_EXPORT_COMPILE_COMMANDS=ON"},
		{"Makefile", "command bear -- make"},
		{"notes.txt", "config <nil>"},
	} {
		t.Run(c.file, func(t *testing.T) {
			env := newEnv(t, project(t, map[string]string{"a.cc": "int one() { return 1; }\nint two() { return one(); }\n", c.file: "\n"}), "clangd")
			a := run(t, env, "find_references", map[string]any{"file_path": "a.cc", "symbol_name": "one"})
			equal(t, "completeness", a["completeness"], any("partial"))
			equal(t, "warning", a["warnings"].([]any)[0].(map[string]any)["kind"], any("no_compilation_database"))
			step := a["next_steps"].([]any)[0].(map[string]any)
			equal(t, "step", fmt.Sprint(step["kind"], " ", step["command"]), c.want)
		})
	}
}
