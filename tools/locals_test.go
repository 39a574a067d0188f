package tools

import (
	"fmt"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/tools/toolstest"
)

// A name alone is that of the one declaration outside of functions, whatever functions declare by that name; the
// answer says so, tools that change files refuse it, and a search has what functions declare last.
func TestNamesOfLocals(t *testing.T) {
	for server, c := range map[string]struct{ program, file, text, searched string }{
		"pyright": {"pyright-langserver", "a.py",
			"def first(aim):\n    return aim\n\n\ndef aim():\n    return 1\n\n\nclass AimTaker:\n    pass\n\n\naimless = aim()\n",
			"[a.py:5 function aim a.py:9 class AimTaker a.py:13 variable aimless a.py:1 variable first.aim]"},
		"typescript-language-server": {"typescript-language-server", "a.ts",
			"export function first() { const aim = 1; return aim; }\n\n\n\nexport function aim() { return 2; }\nexport class AimTaker {}\nexport const aimless = aim();\n",
			"[a.ts:5 function aim a.ts:6 class AimTaker a.ts:7 constant aimless a.ts:1 constant first.aim]"},
		"rust-analyzer": {"rust-analyzer", "src/lib.rs",
			"pub fn first() -> i32 { fn aim() -> i32 { 1 } aim() }\n\n\n\npub fn aim() -> i32 { 2 }\npub struct AimTaker;\npub const AIMLESS: i32 = 3;\n",
			"[src/lib.rs:5 function aim src/lib.rs:6 struct AimTaker src/lib.rs:7 constant AIMLESS src/lib.rs:1 function first::aim]"},
	} {
		t.Run(server, func(t *testing.T) {
			testkit.Always(t, server, "typescript-language-server")
			t.Parallel()
			needServer(t, c.program)
			session := toolstest.Real(t,
				project(t, map[string]string{"pyrightconfig.json": "{}", "tsconfig.json": smallLib,
					"rust-project.json": crateWithoutStd, c.file: c.text}), server)
			a := run(t, session, "find_definition", map[string]any{"symbol_name": "aim"})
			testkit.Equal(t, fmt.Sprint(a["completeness"], a.kinds(), firstOf(a, "definitions")["line"]),
				"complete[locals_left_out] 5")
			a = run(t, session, "rename_symbol", map[string]any{"symbol_name": "aim", "new_name": "goal"})
			testkit.Holds(t, fmt.Sprint(a["message"]), "tools that change files need the exact position")
			testkit.Equal(t, fmt.Sprint(firstOf(a, "next_steps")["arguments"].(map[string]any)["line"]), "5")
			a = run(t, session, "search_workspace_symbols", map[string]any{"query": "aim", "max_results": 4})
			var lines []string
			for _, s := range a["symbols"].([]any) {
				line, _, _ := strings.Cut(s.(string), ": ")
				lines = append(lines, line)
			}
			testkit.Equal(t, fmt.Sprint(lines), c.searched)
		})
	}
}
