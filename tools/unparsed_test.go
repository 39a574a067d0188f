package tools

import (
	"fmt"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/tools/toolstest"
)

type behindError struct {
	realProject
	first string
	want  []string
}

var behindErrors = sharing("syntax", []*behindError{
	{realProject{server: "pyright", program: "pyright-langserver", files: map[string]string{"pyrightconfig.json": "{}",
		"a.py": "def foo():\n    return 1\n",
		"b.py": "from a import foo\n\n\ndef x(a b:\n    q = foo()\n\n\nr = foo()\n"}}, "a.py",
		[]string{"a.py:1", "b.py:1", "b.py:5", "b.py:8"}},
	{realProject{server: "typescript-language-server", program: "typescript-language-server",
		files: map[string]string{"tsconfig.json": smallLib, "a.ts": "export function foo() { return 1; }\n",
			"b.ts": "import { foo } from './a';\n\nfunction x( {\n  var q = foo();\n}\n\nvar r = foo();\n"}}, "a.ts",
		[]string{"a.ts:1", "b.ts:1", "b.ts:4", "b.ts:7"}},
	{realProject{server: "rust-analyzer", program: "rust-analyzer",
		files: map[string]string{"Cargo.toml": "[package]\nname = \"x\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
			"src/lib.rs": "mod b;\n\npub fn foo() -> u8 { 1 }\n",
			"src/b.rs":   "use crate::foo;\n\nfn x( {\n    let q = foo();\n}\n\nfn y() { foo(); }\n"}}, "src/lib.rs",
		[]string{"src/b.rs:1", "src/b.rs:4", "src/b.rs:7", "src/lib.rs:3"}},
}...)

// Other servers go on behind a syntax error, so that the use is in the answer; pyright behind all but an unclosed
// bracket or string.
func TestAUseBehindASyntaxErrorIsFound(t *testing.T) {
	for _, c := range behindErrors {
		t.Run(c.server, func(t *testing.T) {
			testkit.Always(t, c.server, "pyright", "typescript-language-server")
			t.Parallel()
			a := run(t, c.session(t), "find_references",
				c.in(map[string]any{"file_path": c.first, "symbol_name": "foo"}))
			testkit.Equal(t, c.shown(lines(a["files"], "references")), strings.Join(c.want, " "), a)
		})
	}
}

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
			if w := firstOf(a, "warnings"); a["completeness"] != "partial" || w["kind"] != "not_compiled" ||
				fmt.Sprint(w["files"], w["line"]) != want {
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
	told("[b.py] 7")
	complete(2, map[string]any{"symbol_name": "bar"})
	complete(2, map[string]any{"symbol_name": "local", "line": 6}) // the one in b.py is another
	write(t, dir, "b.py", strings.Replace(broken, "def x((:", "def x():", 1))
	complete(4, map[string]any{"symbol_name": "foo"})
	write(t, dir, "b.py", "from a import foo\n\nz = f'''{\n\nr = foo()\n")
	told("[b.py] 5")
}
