package tools

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/tools/toolstest"
)

var usesPython = map[string]string{"pyproject.toml": "", "a.py": "def aim():\n    pass\naim()\n",
	"b.py": "import a\na.aim()\n"}

type realUses struct {
	realProject
	places []string // file:line:column, definition first
}

var realUsesOf = sharing("uses", []*realUses{
	{realProject{server: "pyright", program: "pyright-langserver", files: usesPython},
		[]string{"a.py:1:5", "a.py:3:1", "b.py:2:3"}},
	{realProject{server: "basedpyright", program: "basedpyright-langserver", files: usesPython},
		[]string{"a.py:1:5", "a.py:3:1", "b.py:2:3"}},
	{realProject{server: "typescript-language-server", program: "typescript-language-server",
		files: map[string]string{"tsconfig.json": smallLib,
			"a.ts": "export function aim() {}\naim();\n", "b.ts": "import * as a from \"./a\";\na.aim();\n"}},
		[]string{"a.ts:1:17", "a.ts:2:1", "b.ts:2:3"}},
	{realProject{server: "gopls", program: "gopls", files: map[string]string{"go.mod": "module m\n",
		"a.go": "package m\n\nfunc aim() {}\n\nvar _ = aim\n",
		"b.go": "package m\n\nfunc other() { aim() }\n"}}, []string{"a.go:3:6", "a.go:5:9", "b.go:3:16"}},
	{realProject{server: "rust-analyzer", program: "rust-analyzer",
		files: map[string]string{"rust-project.json": crateWithoutStd,
			"src/lib.rs": "mod b;\nfn aim() {}\nfn other() { aim() }\n", "src/b.rs": "fn third() { crate::aim() }\n"}},
		[]string{"src/lib.rs:2:4", "src/lib.rs:3:14", "src/b.rs:1:21"}},
}...)

// Asked without the declaration, the definition is left out and nothing else, wherever one asks: at the definition,
// at a use, and at a use elsewhere.
func TestUsesWithoutDeclaration(t *testing.T) {
	for _, c := range realUsesOf {
		t.Run(c.server, func(t *testing.T) {
			testkit.Always(t, c.server, "gopls", "typescript-language-server", "pyright", "clangd")
			t.Parallel()
			session := c.session(t)
			want := slices.Sorted(slices.Values(c.places[1:]))
			for _, at := range c.places {
				place := strings.Split(at, ":")
				a := run(t, session, "find_references",
					c.in(map[string]any{"file_path": place[0], "line": json.Number(place[1]),
						"character":           json.Number(place[2]),
						"include_declaration": false, "include_snippet": false}))
				testkit.Equal(t, a["completeness"], "complete", at, a)
				testkit.Diff(t,
					strings.Fields(c.shown(strings.Join(slices.Sorted(slices.Values(grouped("references")(a))), " "))),
					want, "asked at", at)
			}
		})
	}
}

// The signatures of an overload are declarations, and a call of the function within itself is none, wherever one asks.
func TestUsesWithoutOverloads(t *testing.T) {
	for _, c := range []struct {
		server, program, file string
		files                 map[string]string
		places                [][2]int // where to ask
		want                  string
	}{
		{"typescript-language-server", "typescript-language-server", "a.ts",
			map[string]string{"tsconfig.json": smallLib,
				"a.ts": "export function aim(x: number): number;\nexport function aim(x: string): string;\nexport function aim(x: any): any { return aim(x) }\naim(1);\n" +
					"class C {\n  hit(x: number): void;\n  hit(x: string): void;\n  hit(x: any) {}\n}\nnew C().hit(1);\n"},
			[][2]int{{1, 17}, {2, 17}, {3, 17}, {4, 1}}, "[a.ts:3:43 a.ts:4:1]"},
		{"pyright", "pyright-langserver", "a.py", map[string]string{"pyproject.toml": "",
			"a.py": "from typing import overload\n@overload\ndef aim(x: int) -> int: ...\n@overload\ndef aim(x: str) -> str: ...\ndef aim(x): return aim(x)\naim(1)\n"},
			[][2]int{{3, 5}, {6, 5}, {7, 1}}, "[a.py:6:20 a.py:7:1]"},
		{"clangd", "clangd", "a.cc", map[string]string{"compile_flags.txt": "",
			"a.cc": "void aim(int);\nvoid aim(int) {}\nvoid use() { aim(1); }\n"},
			[][2]int{{1, 6}, {2, 6}, {3, 14}}, "[a.cc:3:14]"},
		{"clangd", "clangd", "a.cc", map[string]string{"compile_flags.txt": "",
			"a.h":  "struct S {\n  int aim(int n);\n  int aim(double d);\n};\n",
			"a.cc": "#include \"a.h\"\nint S::aim(int n) { return aim(1.0); }\nint S::aim(double d) { return 1; }\nint use() { return S().aim(2); }\n"},
			[][2]int{{2, 8}, {4, 24}}, "[a.cc:4:24]"},
	} {
		t.Run(c.server, func(t *testing.T) {
			testkit.Always(t, c.server, "typescript-language-server", "clangd")
			t.Parallel()
			needServer(t, c.program)
			session := toolstest.Real(t, project(t, c.files), c.server)
			for _, at := range c.places {
				a := run(t, session, "find_references", map[string]any{"file_path": c.file, "line": at[0],
					"character":           at[1],
					"include_declaration": false, "include_snippet": false})
				testkit.Equal(t, fmt.Sprint(grouped("references")(a)), c.want, "asked at", at)
			}
			if c.server == "typescript-language-server" {
				a := run(t, session, "find_references", map[string]any{"file_path": c.file, "line": 10, "character": 9,
					"include_declaration": false, "include_snippet": false})
				testkit.Equal(t, fmt.Sprint(grouped("references")(a)), "[a.ts:10:9]", "of a method")
			}
		})
	}
}

var goProject = map[string]string{
	"go.mod":    "module example.com/shop\n\ngo 1.24\n",
	"cart.go":   "package shop\n\n// Cart holds items.\ntype Cart struct{ items []string }\n\n// Add adds an item.\nfunc (c *Cart) Add(item string) { c.items = append(c.items, item) }\n\nfunc Add(a, b int) int { return a + b }\n",
	"main.go":   "package shop\n\nfunc use() int {\n\tvar c Cart\n\tc.Add(\"x\"); c.Add(\"y\")\n\treturn Add(1, 2)\n}\n",
	"README.md": "# shop\n",
}
