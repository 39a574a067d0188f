package pyright

import (
	"testing"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/internal/testkit"
	"lspi/lsp"
)

// A variable has the range of the statement that assigns to it, where that does nothing else.
func TestRangesOfVariables(t *testing.T) {
	text := source.New("/m.py", "A = 1\nB = {\n    1: 2,\n}\nC: int\na, b = 1, 2\nD = 1; E = 2\nF = 1 + \\\n    2\nG == 1\n")
	var symbols []lsp.Symbol
	for _, n := range []int{1, 2, 5, 6, 7, 8, 10} {
		name := contract.Range{Start: contract.Position{Line: n, Character: 1}, End: contract.Position{Line: n, Character: 2}}
		symbols = append(symbols, lsp.Symbol{Name: text.Line(n)[:1], Kind: "variable", Range: name, NameAt: name})
	}
	got := map[string]contract.Position{}
	for _, s := range complete(text, symbols) {
		got[s.Name] = s.Range.End
	}
	testkit.Diff(t, got, map[string]contract.Position{"A": {Line: 1, Character: 6}, "B": {Line: 4, Character: 2},
		"C": {Line: 5, Character: 7}, "a": {Line: 6, Character: 2}, "D": {Line: 7, Character: 2},
		"F": {Line: 9, Character: 6}, "G": {Line: 10, Character: 2}})
}
