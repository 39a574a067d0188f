package tools

import (
	"fmt"
	"testing"

	"lspi/change"
	"lspi/contract"
	"lspi/diagnose"
	"lspi/internal/testkit"
	"lspi/lsp"
	"lspi/resolve"
)

func TestTakesName(t *testing.T) {
	for _, c := range []struct {
		old  string
		want bool
	}{
		{"load", true}, {"Load", true}, {"r#load", true}, {`"ex.com/load"`, true}, {"", true}, {"loader", true},
		{"loa", true}, {"lo", false}, {"x", false}, {"other", false}, {"\n", false},
	} {
		testkit.Equal(t, takesName(c.old, []string{"", "load"}), c.want, c.old)
	}
}

func TestCompareErrors(t *testing.T) {
	at := func(path, code, message string, line int) diagnose.Finding {
		return diagnose.Finding{Finding: lsp.Finding{Code: code, Message: message, Severity: "error",
			Range: contract.Range{Start: contract.Position{Line: line, Character: 1}}}, Path: path, Text: nil}
	}
	before := []diagnose.Finding{at("a", "1", "undefined: Old", 3), at("a", "1", "twice", 4), at("a", "1", "twice", 5), at("gone", "", "x", 1)}
	after := []diagnose.Finding{at("b", "1", "undefined: New", 30), at("b", "1", "twice", 1), at("b", "2", "twice", 1), at("c", "", "fresh", 1)}
	appeared, gone := change.CompareErrors(before, after, map[string]string{"a": "b"}, wordsTo("Old", "New"), nil)
	var got []string
	for _, f := range appeared {
		got = append(got, f.Path+" "+f.Code+" "+f.Message)
	}
	equal(t, "appeared", fmt.Sprint(got), "[b 2 twice c  fresh]")
	equal(t, "gone", gone, 2)
}

func TestWordsTo(t *testing.T) {
	equal(t, "words", wordsTo("a", "bb")("a.a is a, not aa nor ba: a"), "bb.bb is bb, not aa nor ba: bb")
}

// Uses are one symbol when they lead to one place, also over a third use.
func TestJoinUses(t *testing.T) {
	use := func(character int, leads ...int) resolve.SameSymbol {
		var places []lsp.Place
		for _, to := range leads {
			places = append(places, lsp.Place{Path: "f", Range: contract.Range{Start: contract.Position{Line: 9, Character: to}}})
		}
		return resolve.NewSameSymbol("f", contract.Position{Line: 1, Character: character}, places)
	}
	for _, c := range []struct {
		name string
		uses []resolve.SameSymbol
		want string
	}{
		{"one", []resolve.SameSymbol{use(1, 1), use(2, 1), use(3, 1)}, "1"},
		{"two", []resolve.SameSymbol{use(1, 1), use(2, 2), use(3, 1)}, "1 2"},
		{"over a third", []resolve.SameSymbol{use(1, 1), use(2, 2), use(3, 3), use(4, 1, 3)}, "1 2"},
		{"all over the last", []resolve.SameSymbol{use(1, 1), use(2, 2), use(3, 1, 2)}, "1"},
	} {
		var groups []resolve.SameSymbol
		for _, u := range c.uses {
			groups = resolve.Join(groups, u)
		}
		got := ""
		for _, g := range groups {
			if got != "" {
				got += " "
			}
			got += fmt.Sprint(g.First.Character)
		}
		equal(t, c.name, got, c.want)
	}
}
