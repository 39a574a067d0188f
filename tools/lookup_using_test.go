package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"lspi/internal/testkit"
	"lspi/internal/testkit/sessions"
)

// A using declaration, which clangd tells among the symbols (22.1.8), is no second meaning of a name.
func TestAUsingDeclarationIsNoCandidate(t *testing.T) {
	t.Parallel()
	needServer(t, "clangd")
	dir := project(t, map[string]string{
		"thing.h": "#pragma once\nnamespace ns {\nclass Thing {};\n}\n",
		"use.cc":  "#include \"thing.h\"\nusing ns::Thing;\nThing *make() { return new Thing; }\n",
	})
	list := fmt.Sprintf(`[{"directory": %q, "file": "use.cc", "arguments": ["clang++", "-I.", "-c", "use.cc"]}]`, dir)
	testkit.Must(t, os.WriteFile(filepath.Join(dir, "compile_commands.json"), []byte(list), 0o644))
	a := run(t, sessions.Real(t, dir, "clangd"), "find_definition", map[string]any{"symbol_name": "Thing"})
	if d := firstOf(a, "definitions"); a["completeness"] != "complete" || d["file_path"] != "thing.h" || d["line"] != 3.0 {
		t.Errorf("%v", a)
	}
}
