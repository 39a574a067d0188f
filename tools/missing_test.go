package tools

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"lspi/internal/testkit/sessions"
)

// Without a compilation database an answer says so, and how to have one written by what the folder is built with.
func TestHowToMakeACompilationDatabase(t *testing.T) {
	needServer(t, "clangd")
	t.Setenv("PATH", os.Getenv("PATH")+string(os.PathListSeparator)+fakePrograms(t, "cmake", "bear"))
	for _, c := range []struct{ file, want string }{
		{"CMakeLists.txt", "command cmake -S . -B build -DCMAKE_EXPORT_COMPILE_COMMANDS=ON"},
		{"Makefile", "command bear -- make"},
		{"meson.build", "doc <nil>"}, // which is not there
		{"notes.txt", "config <nil>"},
		{"compile_flags.txt", "config <nil>"},
	} {
		t.Run(c.file, func(t *testing.T) {
			env := sessions.Real(t, project(t, map[string]string{"a.cc": "int one() { return 1; }\nint two() { return one(); }\n",
				"b.cc": "int one();\nint three() { return one(); }\n", c.file: "\n"}), "clangd")
			a := run(t, env, "find_references", map[string]any{"file_path": "a.cc", "symbol_name": "one"})
			equal(t, "completeness", a["completeness"], any("partial"))
			warning := a["warnings"].([]any)[0].(map[string]any)
			equal(t, "warning", warning["kind"], any("no_compilation_database"))
			message := "the workspace has no compile_commands.json, so answers across files are incomplete. b.cc:1 was not read for this."
			if c.file == "compile_flags.txt" {
				message = "the workspace has compile_flags.txt, which is enough for questions about one file, but no " +
					"compile_commands.json: other files are not indexed, so answers across files are incomplete. b.cc:1 was not read for this."
			}
			equal(t, "message", warning["message"], any(message))
			step := a["next_steps"].([]any)[0].(map[string]any)
			equal(t, "step", fmt.Sprint(step["kind"], " ", step["command"]), c.want)
			equal(t, "advises flags", strings.Contains(step["message"].(string), "compile_flags.txt"), false)
			a = run(t, env, "get_diagnostics", map[string]any{"file_path": "a.cc"})
			equal(t, "enough for one file", fmt.Sprint(kinds(a)), map[bool]string{true: "", false: "no_compilation_database"}[c.file == "compile_flags.txt"])
		})
	}
}
