package tools

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/tools/toolstest"
)

// Declarations that share a name in a scope are all in the outline, and an edit by the name alone means none of them,
// but where only one has a body to replace; each of the steps edits its own.
func TestDeclarationsThatShareAName(t *testing.T) {
	t.Parallel()
	for server, p := range map[string]struct {
		file, text, outline string
		ambiguous           []string // with replace_body
		lines               [][2]int // of each
		one                 string   // of these one has a body
		at                  int      // its line
	}{
		"pyright": {"m.py", `from typing import overload


class Tank:
    @property
    def level(self):
        return 1

    @level.setter
    def level(self, value):
        print(value)

    @overload
    def pick(self, k: str) -> str: ...
    @overload
    def pick(self, k: int) -> int: ...
    def pick(self, k):
        return k


try:
    import json

    def dump(x):
        return json.dumps(x)
except ImportError:
    def dump(x):
        return str(x)

text = """
def dump(x):
    pass
"""
`, "methods level:6, level:10, pick:14, pick:16, pick:17", []string{"Tank.level", "dump"}, [][2]int{{6, 10}, {24, 27}},
			"Tank.pick", 18},
		"typescript-language-server": {"m.ts", `export class Box {
  get size(): number { return 1; }
  set size(v: number) { console.log(v); }
}
export interface Opt { a: string }
export interface Opt { b: string }
export function pick(x: string): string;
export function pick(x: number): number;
export function pick(x: any): any { return x; }
`, "methods size:2, size:3", []string{"Box.size", "Opt"}, [][2]int{{2, 3}, {5, 6}}, "pick", 9},
	} {
		t.Run(server, func(t *testing.T) {
			t.Parallel()
			needServer(t, server)
			dir := project(t, map[string]string{p.file: p.text, "tsconfig.json": "{}"})
			env := toolstest.Real(t, dir, server)
			ask := func(tool string, arguments map[string]any) string {
				arguments["file_path"] = p.file
				raw, err := json.Marshal(run(t, env, tool, arguments))
				testkit.Must(t, err)
				return string(raw)
			}
			testkit.Holds(t, ask("get_document_symbols", map[string]any{}), p.outline)
			edit := func(name string, line int, operation string) string {
				arguments := map[string]any{"operation": operation, "new_text": "return 7"}
				if line > 0 {
					arguments["line"] = line
				}
				arguments["symbol_name"] = name
				return ask("edit_symbol", arguments)
			}
			for i, name := range p.ambiguous {
				answer := edit(name, 0, "replace_body")
				testkit.Holds(t, answer, `"kind":"ambiguous_symbol"`, name)
				for _, line := range p.lines[i] {
					testkit.Holds(t, answer, fmt.Sprintf(`"line":%d,"new_text":"return 7"`, line), name)
					testkit.Holds(t, edit(name, line, "insert_before"), fmt.Sprintf(`"line":%d,`, line), name, line)
				}
			}
			testkit.Holds(t, edit(p.one, 0, "replace"), `"kind":"ambiguous_symbol"`, p.one)
			testkit.Holds(t, edit(p.one, 0, "replace_body"), fmt.Sprint(p.at), p.one)
		})
	}
}

// What a condition of the preprocessor leaves out of the build may declare something: an outline says so, and an edit
// of a name that stands there is not offered to be applied.
func TestOutlineOfConditionalCode(t *testing.T) {
	t.Parallel()
	needServer(t, "clangd")
	dir := project(t, map[string]string{
		"a.c": "#ifdef FAST\nint run(void) { return 1; }\n#else\nint run(void) { return 2; }\n#endif\nint main(void) { return run(); }\n",
		"b.h": "#ifndef B_H\n#define B_H\n#ifdef _WIN32\n#include <windows.h>\n/* nothing */\n#endif\nint b(void);\n#endif\n"})
	testkit.Must(t, os.WriteFile(filepath.Join(dir, "compile_commands.json"),
		[]byte(`[{"directory":"`+dir+`","file":"a.c","arguments":["cc","-c","a.c"]}]`), 0o644))
	env := toolstest.Real(t, dir, "clangd")
	outline := func(file string) map[string]any {
		return run(t, env, "get_document_symbols", map[string]any{"file_path": file})
	}
	a := outline("a.c")
	testkit.Equal(t, a["completeness"], any("partial"))
	testkit.Holds(t, fmt.Sprint(a["warnings"]), "1 part of a.c, the first from line 2 on")
	testkit.Equal(t, outline("b.h")["completeness"], any("complete"))
	edited := fmt.Sprint(run(t, env, "edit_symbol", map[string]any{"file_path": "a.c", "symbol_name": "run",
		"operation": "replace_body", "new_text": "return 3;"}))
	testkit.Holds(t, edited, "run may be declared there, too")
	if strings.Contains(edited, "Apply exactly this") {
		t.Errorf("%s", edited)
	}
}
