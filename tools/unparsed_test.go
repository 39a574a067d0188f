package tools

import (
	"fmt"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/tools/toolstest"
)

// pyright has no uses behind a bracket or a string that is never closed, and says nothing of it (1.1.414).
func TestAUseBehindAnUnclosedBracketIsTold(t *testing.T) {
	testkit.Always(t, "pyright") // scripts/gopls/syntax_error.txtar is the same of gopls
	t.Parallel()
	needServer(t, "pyright-langserver")
	broken := "from a import foo\n\nlate = 1\n\n\ndef x((:\n    q = foo()\n    local = late\n\n\nr = foo()\n"
	dir := project(t, map[string]string{
		"pyrightconfig.json": "{}", "b.py": broken,
		"a.py": "def foo():\n    return 1\n\n\ndef bar():\n    local = 1\n    return local\n\n\ndef other():\n    return bar()\n",
	})
	session := toolstest.Real(t, dir, "pyright")
	told := func(want string) {
		t.Helper()
		for _, tool := range []string{"find_references", "symbol_bundle", "call_hierarchy", "rename_symbol"} {
			a := run(t, session, tool, about(tool, "a.py", "foo"))
			if w := firstOf(a, "warnings"); a["completeness"] != "partial" || w["kind"] != "unexplained" ||
				!strings.Contains(fmt.Sprint(w["files"]), want+" reason:unclosed") {
				t.Errorf("%s: %v", tool, a)
			}
			if steps := fmt.Sprint(a["next_steps"]); strings.Contains(steps, "dry_run:false") {
				t.Errorf("%s offers to apply: %s", tool, steps)
			}
		}
	}
	complete := func(total float64, arguments map[string]any) {
		t.Helper()
		arguments["file_path"] = "a.py"
		if a := run(t, session, "find_references", arguments); a["completeness"] != "complete" || a["total"] != total {
			t.Errorf("%v: %v", arguments, a)
		}
	}
	told("file_path:b.py line:7")
	complete(2, map[string]any{"symbol_name": "bar"})
	complete(2, map[string]any{"symbol_name": "local", "line": 6}) // the one in b.py is another
	write(t, dir, "b.py", strings.Replace(broken, "def x((:", "def x():", 1))
	complete(4, map[string]any{"symbol_name": "foo"})
	write(t, dir, "b.py", "from a import foo\n\nz = f'''{\n\nr = foo()\n")
	told("file_path:b.py line:5")
}
