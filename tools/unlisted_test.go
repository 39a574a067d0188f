package tools

import (
	"fmt"
	"strings"
	"testing"

	"lspi/coverage"
	"lspi/internal/testkit/sessions"
)

// clangd knows nothing of a source that the compilation database does not list, nor of a header that only such ones include,
// and does not say so; opened, they are in its answers (22.1.8). One with errors may hide a use.
func TestSourcesOutsideTheDatabase(t *testing.T) {
	t.Parallel()
	needServer(t, "clangd")
	files := map[string]string{
		"a.h":    "int foo();\nint bad();\nint many();\n",
		"a.cc":   "#include \"a.h\"\nint foo() { return 1; }\nint bad() { return 1; }\nint many() { return 1; }\n",
		"b.cc":   "#include \"a.h\"\n#include \"only.h\"\nint bar() { return foo(); }\n",
		"only.h": "#include \"a.h\"\ninline int only() { return foo(); }\n",
		"bad.cc": "#include \"a.h\"\n#include \"gone.h\"\nint good() { return bad(); }\nGONE(bad)\n",
	}
	for n := range coverage.MaxIncluded + 1 {
		files[fmt.Sprintf("m%d.cc", n)] = fmt.Sprintf("#include \"a.h\"\nint m%d() { return many(); }\n", n)
	}
	dir := project(t, files)
	compileCommands(t, dir, "a.cc")
	env := sessions.Real(t, dir, "clangd")
	for _, c := range []struct {
		tool, name, missing string
		total               float64
	}{
		{"find_references", "foo", "", 4},
		{"call_hierarchy", "foo", "", 0},
		{"search_workspace_symbols", "only", "", 1},
		{"find_references", "bad", "could not compile bad.cc:4", 3},
		{"find_references", "many", "m0.cc:2", 2},
		{"hover", "many", "", 0},
	} {
		arguments := map[string]any{"file_path": "a.cc", "symbol_name": c.name}
		if c.tool == "search_workspace_symbols" {
			arguments = map[string]any{"query": c.name, "match": "exact"}
		}
		a := run(t, env, c.tool, arguments)
		claim := map[bool]string{true: "complete", false: "partial"}[c.missing == ""]
		if warnings := fmt.Sprint(a["warnings"]); a["completeness"] != claim || !strings.Contains(warnings, c.missing) || c.missing == "" && warnings != "[]" {
			t.Errorf("%s of %s: %s wanted (%s): %v", c.tool, c.name, claim, c.missing, a)
		}
		if c.total > 0 && a["total"] != c.total {
			t.Errorf("%s of %s: %v of %v: %v", c.tool, c.name, a["total"], c.total, a)
		}
	}
}
