package contract

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"
)

// declared are the constants of type kind in file.
func declared(t *testing.T, file, kind string) []string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	ast.Inspect(parsed, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok {
			if of, ok := spec.Type.(*ast.Ident); ok && of.Name == kind {
				names = append(names, spec.Names[0].Name)
			}
		}
		return true
	})
	if len(names) < 40 {
		t.Fatalf("only %d constants of type %s were found in %s", len(names), kind, file)
	}
	return names
}

// Every kind that is declared has its row, and one that nobody declared never passes for complete.
func TestEffectOfEveryWarning(t *testing.T) {
	if declared := declared(t, "warnings.go", "WarningKind"); len(declared) != len(warningRows) ||
		len(warningRows) != len(warningTable) {
		t.Errorf("%d kinds are declared, %d have a row, there are %d rows", len(declared), len(warningRows),
			len(warningTable))
	}
	for _, w := range warningTable {
		if w.Kind == "" || w.Means == "" || w.Effect == NoClaim {
			t.Errorf("the row of %q is not whole: %+v", w.Kind, w)
		}
	}
	if effect := WarningKind("of_tomorrow").Effect(); effect == Complete {
		t.Errorf("a kind that nobody knows: %s", effect)
	}
}

// Every kind of error that is declared has its row.
func TestRowOfEveryError(t *testing.T) {
	if declared := declared(t, "errors.go", "Kind"); len(declared) != len(errorRows) ||
		len(errorRows) != len(errorTable) {
		t.Errorf("%d kinds are declared, %d have a row, there are %d rows", len(declared), len(errorRows),
			len(errorTable))
	}
	for _, k := range errorTable {
		if k.Kind == "" || k.Means == "" || k.Category == "" {
			t.Errorf("the row of %q is not whole: %+v", k.Kind, k)
		}
	}
}
