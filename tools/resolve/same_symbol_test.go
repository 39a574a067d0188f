package resolve

import (
	"fmt"
	"testing"

	"lspi/contract"
	"lspi/internal/testkit"
	"lspi/lsp"
)

// Uses are one symbol when they lead to one place, also over a third use.
func TestJoinUses(t *testing.T) {
	use := func(character int, leads ...int) SameSymbol {
		var places []lsp.Place
		for _, to := range leads {
			places = append(places,
				lsp.Place{Path: "f", Range: contract.Range{Start: contract.Position{Line: 9, Character: to}}})
		}
		return NewSameSymbol("f", contract.Position{Line: 1, Character: character}, places)
	}
	for _, c := range []struct {
		name string
		uses []SameSymbol
		want string
	}{
		{"one", []SameSymbol{use(1, 1), use(2, 1), use(3, 1)}, "1"},
		{"two", []SameSymbol{use(1, 1), use(2, 2), use(3, 1)}, "1 2"},
		{"over a third", []SameSymbol{use(1, 1), use(2, 2), use(3, 3), use(4, 1, 3)}, "1 2"},
		{"all over the last", []SameSymbol{use(1, 1), use(2, 2), use(3, 1, 2)}, "1"},
	} {
		var groups []SameSymbol
		for _, u := range c.uses {
			groups = Join(groups, u)
		}
		got := ""
		for _, g := range groups {
			if got != "" {
				got += " "
			}
			got += fmt.Sprint(g.First.Character)
		}
		testkit.Diff(t, got, c.want, c.name)
	}
}
