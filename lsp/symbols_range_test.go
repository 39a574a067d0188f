package lsp

import (
	"testing"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/internal/testkit"
)

// A declaration ends with its last text, and not where the next one begins.
func TestRangesEndWithText(t *testing.T) {
	text := source.New("a.py", "class A:\n    x = 1\n\n\ndef f(): pass\n")
	at := func(line, character int) contract.Position {
		return contract.Position{Line: line, Character: character}
	}
	for _, c := range []struct{ end, want contract.Position }{
		{at(5, 1), at(2, 10)},
		{at(4, 1), at(2, 10)},
		{at(2, 10), at(2, 10)},
		{at(2, 5), at(1, 9)},
		{at(2, 6), at(2, 6)},
		{at(1, 9), at(1, 9)},
	} {
		got := toLastText(text, contract.Range{Start: at(1, 1), End: c.end})
		testkit.Equal(t, got.End, c.want, c.end)
	}
}
