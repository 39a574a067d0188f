package tools

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"lspi/internal/testkit"
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
	testkit.OwnServer(t)
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

var goProject = map[string]string{
	"go.mod":    "module example.com/shop\n\ngo 1.24\n",
	"cart.go":   "package shop\n\n// Cart holds items.\ntype Cart struct{ items []string }\n\n// Add adds an item.\nfunc (c *Cart) Add(item string) { c.items = append(c.items, item) }\n\nfunc Add(a, b int) int { return a + b }\n",
	"main.go":   "package shop\n\nfunc use() int {\n\tvar c Cart\n\tc.Add(\"x\"); c.Add(\"y\")\n\treturn Add(1, 2)\n}\n",
	"README.md": "# shop\n",
}
