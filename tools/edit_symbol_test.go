//go:build unix

package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/tools/toolstest"
)

// editedProject is a project of a language with the same three functions: used is called by user, unused by nobody.
type editedProject struct {
	server, home      string
	files             map[string]string
	used, unused      string // names
	replaced, becomes string // a whole declaration that breaks nothing, and what the file has then
	body, hasBody     string
	broken            string // a declaration of used that its caller does not fit
	open              string // one with a bracket that is never closed
	gone              string // what delete takes out of the file
}

var editedProjects = []editedProject{
	{"gopls", "a.go", map[string]string{"go.mod": "module ex.com/m\n\ngo 1.24\n",
		"b.go": "package a\n\nvar user = used(1)\n",
		"a.go": "package a\n\n// used is.\nfunc used(n int) int {\n\treturn n\n}\n\n// unused is not.\n//go:noinline\nfunc unused() {\n}\n"}, "used", "unused",
		"func used(n int) int { return n + 1 }", "// used is.\nfunc used(n int) int { return n + 1 }\n",
		"n++\nreturn n", "{\n\tn++\n\treturn n\n}\n", "func used() int {\n\treturn 1\n}", "func used(n int) int {",
		"\n// unused is not.\n//go:noinline\nfunc unused() {\n}\n"},
	{"clangd", "a.cc",
		map[string]string{
			"compile_commands.json": `[{"directory":"$DIR","file":"a.cc","command":"c++ -std=c++17 -c a.cc"}]`,
			"a.cc":                  "// used is.\ntemplate <typename T>\nT used(T n) {\n  return n;\n}\n\n// unused is not.\n[[maybe_unused]]\nstatic int unused() {\n  return 1;\n}\n\nint main() { return used(1); }\n"}, "used", "unused",
		"T used(T n) { return n + 1; }", "template <typename T>\nT used(T n) { return n + 1; }\n",
		"n++;\nreturn n;", "{\n  n++;\n  return n;\n}\n", "T used() {\n  return T();\n}", "T used(T n) {",
		"\n// unused is not.\n[[maybe_unused]]\nstatic int unused() {\n  return 1;\n}\n"},
	{"rust-analyzer", "src/lib.rs",
		map[string]string{"Cargo.toml": "[package]\nname = \"m\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
			"src/lib.rs": "/// used is.\n#[inline]\nfn used(n: u32) -> u32 {\n    n\n}\n\n/// unused is not.\n#[allow(\n    dead_code,\n)]\nfn unused() {}\n\npub fn user() -> u32 {\n    used(1)\n}\n"}, "used", "unused",
		"fn used(n: u32) -> u32 {\n    n + 1\n}", "#[inline]\nfn used(n: u32) -> u32 {\n    n + 1\n}\n",
		"let m = n;\nm", "{\n    let m = n;\n    m\n}\n", "fn used() -> u32 {\n    1\n}", "fn used(n: u32) -> u32 {",
		"\n/// unused is not.\n#[allow(\n    dead_code,\n)]\nfn unused() {}\n"},
	{"typescript-language-server", "a.ts",
		map[string]string{"tsconfig.json": "{\"compilerOptions\": {\"strict\": true, \"types\": []}}\n",
			"b.ts": "import { used } from './a';\nexport const user = used(1);\n",
			"a.ts": "/**\n * used is.\n */\nexport function used(n: number): number {\n  return n;\n}\n\n/** unused is not. */\nconst unused = 1;\n"}, "used", "unused",
		"export function used(n: number): number {\n  return n + 1;\n}",
		"/**\n * used is.\n */\nexport function used(n: number): number {\n  return n + 1;\n}\n",
		"n++;\nreturn n;", "{\n  n++;\n  return n;\n}\n", "export function used(): number {\n  return 1;\n}",
		"export function used(n: number): number {", "\n/** unused is not. */\nconst unused = 1;\n"},
	{"pyright", "a.py", map[string]string{"pyproject.toml": "[project]\nname = \"m\"\nversion = \"0\"\n",
		"b.py": "from a import used\n\nuser = used(1)\n",
		"a.py": "import functools\n\n\n# used is.\ndef used(n: int) -> int:\n    return n\n\n\n# unused is not.\ndef unused() -> None:\n    pass\n"}, "used", "unused",
		"def used(n: int) -> int:\n    return n + 1", "# used is.\ndef used(n: int) -> int:\n    return n + 1\n",
		"n += 1\nreturn n", ":\n    n += 1\n    return n\n", "def used() -> int:\n    return 1",
		"def used(n: int) -> int:\n    return (n", "\n# unused is not.\ndef unused() -> None:\n    pass\n"},
}

func TestEditSymbol(t *testing.T) {
	for _, p := range editedProjects {
		t.Run(p.server, func(t *testing.T) {
			testkit.Always(t, p.server, "gopls")
			t.Parallel()
			needServer(t, p.server)
			dir := project(t, p.files)
			session := toolstest.Real(t, dir, p.server)
			home := func() string { raw, _ := os.ReadFile(filepath.Join(dir, p.home)); return string(raw) }
			before := home()
			call := func(name, operation, text string, more map[string]any) reply {
				t.Helper()
				arguments := map[string]any{"file_path": p.home, "symbol_name": name, "operation": operation}
				if text != "" {
					arguments["new_text"] = text
				}
				for k, v := range more {
					arguments[k] = v
				}
				return run(t, session, "edit_symbol", arguments)
			}
			safe := map[string]any{"apply": "if_safe"}
			same := func(what string, a reply) {
				t.Helper()
				if home() != before {
					t.Fatalf("%s wrote: %v\n%s", what, a, home())
				}
			}
			// What is refused, and what brings an error.
			a := call(p.used, "delete", "", nil)
			if text := fmt.Sprint(a["error"]); a.fault() != "edit_rejected used" || !strings.Contains(text, "lines:[") {
				t.Errorf("deleting what is used: %v", a)
			}
			a = call(p.used, "replace", p.broken, safe)
			if text := fmt.Sprint(a["not_applied"], a["new_errors"]); a["applied"] != any(false) ||
				!strings.Contains(text, "introduced new errors") {
				t.Errorf("what its caller does not fit: %v", a)
			}
			same("a broken edit", a)
			if a = call(p.used, "replace", p.open, safe); a["applied"] == any(true) {
				t.Errorf("what does not parse: %v", a)
			}
			same("an edit that does not parse", a)
			if a = call(p.used, "replace_body", p.body+"\n}", nil); !strings.Contains(fmt.Sprint(a["message"]),
				"'}' in its line 3 without") {
				t.Errorf("a body with the brace behind it: %v", a)
			}
			// A preview, and the same applied.
			a = call(p.used, "replace", p.replaced, nil)
			same("a preview", a)
			if a = run(t, session, "edit_symbol", a.ready()); a["applied"] != any(true) || a["new_errors"] != nil ||
				!strings.Contains(home(), p.becomes) {
				t.Errorf("replaced: %v\n%s", a, home())
			}
			before = home()
			if a = call(p.used, "replace_body", p.body, safe); a["applied"] != any(true) ||
				!strings.Contains(home(), p.hasBody) {
				t.Errorf("the body: %v\n%s", a, home())
			}
			more := strings.ReplaceAll(p.becomes, "used", "added")
			if a = call(p.used, "insert_after", more, safe); a["applied"] != any(true) ||
				!strings.Contains(home(), strings.TrimPrefix(p.hasBody, ":")+"\n"+more) {
				t.Errorf("inserted: %v\n%s", a, home())
			}
			if a = call(p.used, "insert_before", strings.ReplaceAll(more, "added", "first"),
				safe); a["applied"] != any(true) || !strings.Contains(home(), "n + 1") {
				t.Errorf("inserted in front: %v\n%s", a, home())
			}
			if raw := mustJSON(t, a); len(raw) > 350 {
				t.Errorf("%d bytes: %s", len(raw), raw)
			}
			text := home()
			if a = call(p.unused, "delete", "", safe); a["applied"] != any(true) {
				t.Fatalf("deleting what nobody uses: %v", a)
			}
			testkit.Equal(t, home(), strings.Replace(text, p.gone, "", 1), "without it")
		})
	}
}
