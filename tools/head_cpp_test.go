package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"lspi/internal/testkit"
	"lspi/internal/testkit/sessions"
)

// A line before the first #include of an open file: clangd answered from a tree with the directives of before, in which
// later lines stood where they had been and inactive code was active (22.1.8).
func TestClangdSeesALineBeforeTheFirstInclude(t *testing.T) {
	t.Parallel()
	needServer(t, "clangd")
	const body = "#include \"w.hpp\"\n#ifdef FEATURE\nint feature() { return helper(99); }\n#endif\n\nint use() { return helper(3); }\n"
	dir := project(t, map[string]string{
		"w.hpp":    "#pragma once\nint helper(int n);\n",
		"w.cpp":    "#include \"w.hpp\"\nint helper(int n) { return n; }\n",
		"main.cpp": body,
	})
	list := fmt.Sprintf(`[{"directory":%[1]q,"file":"main.cpp","arguments":["clang++","-c","main.cpp"]},
{"directory":%[1]q,"file":"w.cpp","arguments":["clang++","-c","w.cpp"]}]`, dir)
	testkit.Must(t, os.WriteFile(filepath.Join(dir, "compile_commands.json"), []byte(list), 0o644))
	env := sessions.Real(t, dir, "clangd")
	run(t, env, "find_definition", map[string]any{"file_path": "main.cpp", "line": 6, "symbol_name": "helper"}) // opens it
	for range 3 {
		for text, want := range map[string]string{body: "6:20 int use() { return helper(3); }",
			"int pad1;\nint pad2;\n" + body: "8:20 int use() { return helper(3); }"} {
			testkit.Must(t, os.WriteFile(filepath.Join(dir, "main.cpp"), []byte(text), 0o644))
			a := run(t, env, "find_references", map[string]any{"file_path": "w.hpp", "line": 2, "symbol_name": "helper"})
			var got []any
			for _, f := range a["files"].([]any) {
				if f := f.(map[string]any); f["file_path"] == "main.cpp" {
					got = f["references"].([]any)
				}
			}
			equal(t, fmt.Sprint(a["completeness"]), got, []any{want})
		}
	}
}
