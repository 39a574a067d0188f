package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// pyright has no uses behind a bracket or a string that is never closed, and says nothing of it (1.1.414).
func TestAUseBehindAnUnclosedBracketIsTold(t *testing.T) {
	needServer(t, "pyright-langserver")
	broken := "from a import foo\n\nlate = 1\n\n\ndef x((:\n    q = foo()\n    local = late\n\n\nr = foo()\n"
	dir := project(t, map[string]string{
		"pyrightconfig.json": "{}", "b.py": broken,
		"a.py": "def foo():\n    return 1\n\n\ndef bar():\n    local = 1\n    return local\n\n\ndef other():\n    return bar()\n",
	})
	env := newEnv(t, dir, "pyright")
	told := func(want string) {
		t.Helper()
		for _, tool := range []string{"find_references", "symbol_bundle", "call_hierarchy", "rename_symbol"} {
			arguments := map[string]any{"file_path": "a.py", "symbol_name": "foo"}
			if tool == "rename_symbol" {
				arguments["new_name"] = "other_name"
			}
			a := run(t, env, tool, arguments)
			if w := firstOf(a, "warnings"); a["completeness"] != "partial" || w["kind"] != "not_compiled" || fmt.Sprint(w["files"], w["line"]) != want {
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
		if a := run(t, env, "find_references", arguments); a["completeness"] != "complete" || a["total"] != total {
			t.Errorf("%v: %v", arguments, a)
		}
	}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "b.py"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	told("[b.py] 7")
	complete(2, map[string]any{"symbol_name": "bar"})
	complete(2, map[string]any{"symbol_name": "local", "line": 6}) // the one in b.py is another
	write(strings.Replace(broken, "def x((:", "def x():", 1))
	complete(4, map[string]any{"symbol_name": "foo"})
	write("from a import foo\n\nz = f'''{\n\nr = foo()\n")
	told("[b.py] 5")
}
