package tools

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"lspi/internal/testkit/sessions"
)

var goProject = map[string]string{
	"go.mod":    "module example.com/shop\n\ngo 1.24\n",
	"cart.go":   "package shop\n\n// Cart holds items.\ntype Cart struct{ items []string }\n\n// Add adds an item.\nfunc (c *Cart) Add(item string) { c.items = append(c.items, item) }\n\nfunc Add(a, b int) int { return a + b }\n",
	"main.go":   "package shop\n\nfunc use() int {\n\tvar c Cart\n\tc.Add(\"x\"); c.Add(\"y\")\n\treturn Add(1, 2)\n}\n",
	"README.md": "# shop\n",
}

func TestFindReferencesOfAMethod(t *testing.T) {
	t.Parallel()
	needServer(t, "gopls")
	env := sessions.Real(t, project(t, goProject), "gopls")
	// Its first use is c.Add.
	a := run(t, env, "find_references", map[string]any{"file_path": "main.go", "symbol_name": "Cart.Add"})
	equal(t, "total", a["total"], any(3.0))
	a = run(t, env, "find_references", map[string]any{"file_path": "cart.go", "symbol_name": "Cart.Add"})
	want := []any{
		map[string]any{"file_path": "cart.go", "count": 1.0, "references": []any{
			"7:16 func (c *Cart) Add(item string) { c.items = append(c.items, item) }"}},
		map[string]any{"file_path": "main.go", "count": 2.0, "references": []any{
			`5:4 c.Add("x"); c.Add("y")`, `5:16 c.Add("x"); c.Add("y")`}},
	}
	if diff := cmp.Diff(want, a["files"]); diff != "" || a["completeness"] != "complete" {
		t.Errorf("%s\n%v", diff, a)
	}
}
