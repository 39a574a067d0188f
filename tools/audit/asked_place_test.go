package audit

import (
	"testing"

	"lspi/contract"
	"lspi/lsp"
)

// A name lies in a place of one line around it, and not in a whole file to which a server leads from a module.
func TestHoldsPlace(t *testing.T) {
	at := func(line, from, toLine, to int) lsp.Place {
		return lsp.Place{Path: "/x.rs", Range: contract.Range{Start: contract.Position{Line: line, Character: from},
			End: contract.Position{Line: toLine, Character: to}}}
	}
	for _, c := range []struct {
		place, name lsp.Place
		want        bool
	}{
		{at(3, 5, 3, 9), at(3, 5, 3, 9), true},
		{at(3, 5, 3, 11), at(3, 6, 3, 10), true}, // in quotes
		{at(3, 1, 3, 5), at(3, 5, 3, 9), false},
		{at(3, 5, 3, 9), at(4, 5, 4, 9), false},
		{at(1, 1, 90, 2), at(30, 5, 30, 9), false}, // all of a file
		{at(1, 1, 90, 2), at(1, 1, 1, 4), true},
	} {
		if got := holdsPlace([]lsp.Place{c.place}, c.name); got != c.want {
			t.Errorf("%+v in %+v: %v", c.name.Range, c.place.Range, got)
		}
	}
}
