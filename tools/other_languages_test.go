package tools

import (
	"testing"

	"lspi/internal/testkit"
	"lspi/tools/toolstest"
)

// A component imports scripts, and the server of scripts does not read it: an answer about a name that one holds is
// not called complete, unless the script keeps the name to itself.
func TestUsesInComponents(t *testing.T) {
	t.Parallel()
	needServer(t, "typescript-language-server")
	dir := project(t, map[string]string{"tsconfig.json": `{"compilerOptions":{"lib":["es2022"],"types":[]}}`,
		"greet.ts":   "export function greet(name: string) {\n  return name;\n}\nexport const other = 1;\n",
		"App.svelte": "<script>\nimport { greet } from \"./greet\";\nlet name = \"you\";\n</script>\n{greet(name)}\n"})
	session := toolstest.Real(t, dir, "typescript-language-server")
	for _, c := range []struct {
		name, want string
		line       int
	}{{"greet", "partial", 1}, {"name", "complete", 1}, {"other", "complete", 4}} {
		a := run(t, session, "find_references", map[string]any{"file_path": "greet.ts", "line": c.line,
			"symbol_name": c.name})
		testkit.Equal(t, a["completeness"], any(c.want), c.name, a["warnings"])
	}
}
