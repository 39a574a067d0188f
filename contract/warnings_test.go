package contract

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"
)

// Every kind that is declared has its effect on purpose, and one that nobody declared never passes for complete.
func TestEffectOfEveryWarning(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "warnings.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	declared, decided := map[string]bool{}, map[string]int{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ValueSpec:
			for _, name := range n.Names {
				declared[name.Name] = true
			}
		case *ast.CaseClause:
			for _, e := range n.List {
				decided[e.(*ast.Ident).Name]++
			}
		case *ast.BasicLit:
			if kind, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING && kind == "" {
				t.Error("a kind without a name")
			}
		}
		return true
	})
	if len(declared) < 40 {
		t.Fatalf("only %d kinds were found in warnings.go", len(declared))
	}
	for name := range declared {
		if decided[name] != 1 {
			t.Errorf("%s stands in %d cases of Effect, want 1", name, decided[name])
		}
	}
	if effect := WarningKind("of_tomorrow").Effect(); effect == Complete {
		t.Errorf("a kind that nobody knows: %s", effect)
	}
}
