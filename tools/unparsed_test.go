package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/internal/testkit/sessions"
)

// gopls has no uses behind a syntax error, and says nothing of it in its answers (0.23.0).
func TestAUseBehindASyntaxErrorIsTold(t *testing.T) {
	t.Parallel()
	needServer(t, "gopls")
	dir := project(t, map[string]string{
		"go.mod": "module ex.com/gp\n\ngo 1.24\n",
		"a/a.go": "package a\n\nfunc Foo() int { return 1 }\n\nfunc Bar() int { return 2 }\n\nfunc private() int { return 3 }\n\nvar _ = private()\n",
		"b/b.go": "package b\n\nimport \"ex.com/gp/a\"\n\nvar X = a.Foo()\n\nfunc x( {\n\tvar q = a.Foo()\n}\n",
		"c/c.go": "package c\n\nfunc private( {\n}\n",
	})
	env := sessions.Real(t, dir, "gopls")
	ask := func(tool, name string) reply {
		arguments := map[string]any{"file_path": "a/a.go", "symbol_name": name}
		if tool == "rename_symbol" {
			arguments["new_name"] = "Other"
		}
		return run(t, env, tool, arguments)
	}
	told := func(when, want string) {
		t.Helper()
		for _, tool := range []string{"find_references", "symbol_bundle", "call_hierarchy", "rename_symbol"} {
			a := ask(tool, "Foo")
			if w := firstOf(a, "warnings"); a["completeness"] != "partial" || w["kind"] != "not_compiled" || fmt.Sprint(w["files"], w["line"]) != want {
				t.Errorf("%s, %s: %v", tool, when, a)
			}
			if steps := fmt.Sprint(a["next_steps"]); strings.Contains(steps, "dry_run:false") {
				t.Errorf("%s offers to apply: %s", tool, steps)
			}
		}
	}
	told("at first", "[b/b.go] 8")
	for _, name := range []string{"Bar", "private"} {
		if a := ask("find_references", name); a["completeness"] != "complete" {
			t.Errorf("%s: %v", name, a)
		}
	}
	write := func(name, text string) {
		t.Helper()
		testkit.Must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	write("b/b.go", "package b\n\nimport \"ex.com/gp/a\"\n\nvar X = a.Foo()\n")
	if a := ask("find_references", "Foo"); a["completeness"] != "complete" || a["total"] != 2.0 {
		t.Errorf("mended: %v", a)
	}
	write("a/more.go", "package a\n\nfunc more( {\n\tvar q = Foo()\n}\n")
	told("of its own package", "[a/more.go] 4")
}

type behindError struct {
	realProject
	first string
	want  []string
}

var behindErrors = sharing("syntax", []*behindError{
	{realProject{server: "pyright", program: "pyright-langserver", files: map[string]string{"pyrightconfig.json": "{}", "a.py": "def foo():\n    return 1\n",
		"b.py": "from a import foo\n\n\ndef x(a b:\n    q = foo()\n\n\nr = foo()\n"}}, "a.py", []string{"a.py:1", "b.py:1", "b.py:5", "b.py:8"}},
	{realProject{server: "typescript-language-server", program: "typescript-language-server", files: map[string]string{"tsconfig.json": "{}", "a.ts": "export function foo() { return 1; }\n",
		"b.ts": "import { foo } from './a';\n\nfunction x( {\n  var q = foo();\n}\n\nvar r = foo();\n"}}, "a.ts", []string{"a.ts:1", "b.ts:1", "b.ts:4", "b.ts:7"}},
	{realProject{server: "rust-analyzer", program: "rust-analyzer", files: map[string]string{"Cargo.toml": "[package]\nname = \"x\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
		"src/lib.rs": "mod b;\n\npub fn foo() -> u8 { 1 }\n", "src/b.rs": "use crate::foo;\n\nfn x( {\n    let q = foo();\n}\n\nfn y() { foo(); }\n"}}, "src/lib.rs",
		[]string{"src/b.rs:1", "src/b.rs:4", "src/b.rs:7", "src/lib.rs:3"}},
}...)

// Other servers go on behind a syntax error, so that the use is in the answer; pyright behind all but an unclosed bracket or string.
func TestAUseBehindASyntaxErrorIsFound(t *testing.T) {
	for _, c := range behindErrors {
		t.Run(c.server, func(t *testing.T) {
			a := run(t, c.session(t), "find_references", c.in(map[string]any{"file_path": c.first, "symbol_name": "foo"}))
			testkit.Equal(t, c.shown(lines(a["files"], "references")), strings.Join(c.want, " "), a)
		})
	}
}
