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

// pyright has no uses behind a bracket or a string that is never closed, and says nothing of it (1.1.414).
func TestAUseBehindAnUnclosedBracketIsTold(t *testing.T) {
	t.Parallel()
	needServer(t, "pyright-langserver")
	broken := "from a import foo\n\nlate = 1\n\n\ndef x((:\n    q = foo()\n    local = late\n\n\nr = foo()\n"
	dir := project(t, map[string]string{
		"pyrightconfig.json": "{}", "b.py": broken,
		"a.py": "def foo():\n    return 1\n\n\ndef bar():\n    local = 1\n    return local\n\n\ndef other():\n    return bar()\n",
	})
	env := sessions.Real(t, dir, "pyright")
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
		testkit.Must(t, os.WriteFile(filepath.Join(dir, "b.py"), []byte(text), 0o644))
	}
	told("[b.py] 7")
	complete(2, map[string]any{"symbol_name": "bar"})
	complete(2, map[string]any{"symbol_name": "local", "line": 6}) // the one in b.py is another
	write(strings.Replace(broken, "def x((:", "def x():", 1))
	complete(4, map[string]any{"symbol_name": "foo"})
	write("from a import foo\n\nz = f'''{\n\nr = foo()\n")
	told("[b.py] 5")
}

// Behind a comment, a template or a string that is never closed servers have no uses, either, and say nothing of it in their answers.
func TestAUseBehindAnUnclosedCommentIsTold(t *testing.T) {
	type texts = map[string]string
	for _, c := range []struct {
		server, program, asked, user string
		files                        texts
		open                         []string // each, on a line of its own in front of the second use, is never closed
	}{
		{"clangd", "clangd", "a.cc", "b.cc", texts{
			"compile_commands.json": `[{"directory":"DIR","file":"a.cc","arguments":["c++","-c","a.cc"]},{"directory":"DIR","file":"b.cc","arguments":["c++","-c","b.cc"]}]`,
			"a.h":                   "int foo();\n", "a.cc": "#include \"a.h\"\nint foo() { return 1; }\n",
			"b.cc": "#include \"a.h\"\nint x = foo();\nint y = foo();\n"}, []string{"/*", "auto s = R\"("}},
		{"gopls", "gopls", "a.go", "b.go", texts{"go.mod": "module m\n\ngo 1.24\n", "a.go": "package m\n\nfunc foo() int { return 1 }\n",
			"b.go": "package m\n\nvar x = foo()\nvar y = foo()\n"}, []string{"/*", "var s = `"}},
		{"rust-analyzer", "rust-analyzer", "src/lib.rs", "src/b.rs", texts{"Cargo.toml": "[package]\nname = \"m\"\nedition = \"2021\"\n",
			"src/lib.rs": "mod b;\n\npub fn foo() -> u8 { 1 }\n", "src/b.rs": "use crate::foo;\n\nfn x() { foo(); }\nfn y() { foo(); }\n"},
			[]string{"/* /* */", "const S: &str = \""}},
		{"typescript-language-server", "typescript-language-server", "a.ts", "b.ts", texts{"tsconfig.json": "{}", "a.ts": "export function foo() { return 1; }\n",
			"b.ts": "import { foo } from './a';\n\nvar x = foo();\nvar y = foo();\n"}, []string{"/*", "var s = `"}},
	} {
		t.Run(c.server, func(t *testing.T) {
			needServer(t, c.program)
			dir := project(t, c.files)
			write := func(name, text string) {
				t.Helper()
				testkit.Must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
			}
			if list := c.files["compile_commands.json"]; list != "" {
				write("compile_commands.json", strings.ReplaceAll(list, "DIR", dir))
			}
			env := sessions.Real(t, dir, c.server)
			ask := func(tool string) reply {
				arguments := map[string]any{"file_path": c.asked, "symbol_name": "foo"}
				if tool == "rename_symbol" {
					arguments["new_name"] = "other_name"
				}
				return run(t, env, tool, arguments)
			}
			whole := c.files[c.user]
			last := strings.Count(whole, "\n")
			lines := strings.SplitAfter(whole, "\n")
			for i, open := range c.open {
				write(c.user, strings.Join(lines[:last-1], "")+open+"\n"+lines[last-1])
				want := fmt.Sprintf("[%s] %d", c.user, last+1)
				for _, tool := range []string{"find_references", "call_hierarchy", "rename_symbol"}[:3-2*i] {
					a := ask(tool)
					if w := firstOf(a, "warnings"); a["completeness"] != "partial" || w["kind"] != "not_compiled" || fmt.Sprint(w["files"], w["line"]) != want {
						t.Errorf("%s behind %s: %v", tool, open, a)
					}
				}
			}
			write(c.user, whole)
			if a := ask("find_references"); a["completeness"] != "complete" {
				t.Errorf("closed again: %v", a)
			}
		})
	}
}
