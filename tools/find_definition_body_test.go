package tools

import (
	"fmt"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/tools/toolstest"
)

// The body of a definition is the whole declaration, however long, with what belongs to it above; where it is cut,
// the answer tells the lines that are missing.
func TestDefinitionWithItsBody(t *testing.T) {
	testkit.OwnServer(t)
	long := strings.Repeat("\tn++\n", 300)
	for name, c := range map[string]struct {
		server, program, file, before, body string
	}{
		"go": {"gopls", "gopls", "a.go", "package a\n\n", "// aim is größer.\nfunc aim(n int) int {\n" + long +
			"\treturn n\n}"},
		"go, crlf": {"gopls", "gopls", "a.go", "package a\r\n\r\n", "// aim is.\r\nfunc aim(n int) int {\r\n" +
			strings.ReplaceAll(long, "\n", "\r\n") + "\treturn n\r\n}"},
		"c++": {"clangd", "clangd", "a.cc", "int x;\n\n", "// Is.\ntemplate <class T>\nint aim(T n) {\n" +
			strings.ReplaceAll(long, "++", "++;") + "\treturn 1;\n}"},
		"python": {"pyright", "pyright", "a.py", "import functools\n\n\n", "@functools.lru_cache\ndef aim(n):\n" +
			strings.ReplaceAll(long, "++", " += 1  # ö") + "\treturn n"},
		"ts": {"typescript-language-server", "typescript-language-server", "a.ts", "export const x = 1;\n\n",
			"/** Is. */\nexport const aim = (n: number) => {\n" + long + "\treturn n;\n};"},
		"rust": {"rust-analyzer", "rust-analyzer", "src/lib.rs", "struct S;\n\n",
			"/// Is.\n#[inline]\npub fn aim(mut n: u32) -> u32 {\n" + strings.ReplaceAll(long, "++", " += 1;") +
				"\tn\n}"},
	} {
		t.Run(name, func(t *testing.T) {
			testkit.Always(t, name, "go", "c++", "rust")
			t.Parallel()
			needServer(t, c.program)
			dir := project(t, map[string]string{"go.mod": "module a\n\ngo 1.24\n", "tsconfig.json": smallLib,
				"pyproject.toml": "",
				"Cargo.toml":     "[package]\nname = \"a\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
				c.file: c.before +
					c.body + "\n\n"})
			session := toolstest.Real(t, dir, c.server)
			ask := func(limit int) (reply, map[string]any) {
				a := run(t, session, "find_definition", map[string]any{"file_path": c.file, "symbol_name": "aim",
					"include_body": true, "max_total_chars": limit})
				return a, firstOf(a, "definitions")
			}
			want := strings.ReplaceAll(c.body, "\r\n", "\n")
			_, d := ask(12000)
			equal(t, "the body", fmt.Sprint(d["body"]), want)
			equal(t, "where it begins", fmt.Sprint(d["body_line"], d["snippet"]),
				fmt.Sprint(strings.Count(c.before, "\n")+1, nil))
			// A body that is cut goes on in the line that the answer names.
			a, d := ask(1300)
			got := fmt.Sprint(d["body"])
			shown := strings.Count(got, "\n") + 1
			first := strings.Count(c.before, "\n") + 1
			rest := fmt.Sprintf("%d-%d", first+shown, first+strings.Count(want, "\n"))
			equal(t, "cut", fmt.Sprint(a["truncated"], d["rest_lines"]), fmt.Sprint(true, rest))
			equal(t, "whole lines", strings.HasPrefix(want, got+"\n"), true)
			if step := firstOf(a, "next_steps"); !strings.Contains(fmt.Sprint(step["message"]), rest) {
				t.Errorf("no step to %s: %v", rest, a["next_steps"])
			}
		})
	}
}
