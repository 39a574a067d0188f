package tools

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"lspi/contract"
	"lspi/internal/testkit"
	"lspi/lsp"
	"lspi/lsp/edit"
	"lspi/tools/answer"
	"lspi/tools/audit"
	"lspi/tools/edits"
	"lspi/tools/resolve"
	"lspi/tools/session"
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
	at := func(path, code, message string, line int) lsp.Finding {
		return lsp.Finding{Path: path, Code: code, Message: message, Severity: "error",
			Range: contract.Range{Start: contract.Position{Line: line, Character: 1}}}
	}
	before := []lsp.Finding{at("a", "1", "undefined: Old", 3), at("a", "1", "twice", 4), at("a", "1", "twice", 5),
		at("gone", "", "x", 1)}
	after := []lsp.Finding{at("b", "1", "undefined: New", 30), at("b", "1", "twice", 1), at("b", "2", "twice", 1),
		at("c", "", "fresh", 1)}
	appeared, gone := edits.CompareErrors(before, after, map[string]string{"a": "b"}, wordsTo("Old", "New"), nil)
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
			places = append(places,
				lsp.Place{Path: "f", Range: contract.Range{Start: contract.Position{Line: 9, Character: to}}})
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

// What a rename inserts, also at the end of a line, replaces no name in a comment.
func TestInsertsAreNotInComments(t *testing.T) {
	c := answer.NewCall(session.Unopened(session.Settings{}, nil), known{}, answer.Request{})
	text := "let a // b\nb // a\n"
	edits.InComments(c, &edit.Plan{Files: []edit.File{{Path: "/w/a.rs", Old: text, Edits: []edit.Replacement{
		{Start: 10, Line: 1, New: ": b"}, {Start: 9, Line: 1, New: "x"}, {Start: 11, Line: 2, Old: "b", New: "c"}}}}})
	equal(t, "warnings", len(c.Warnings()), 0)
	edits.InComments(c,
		&edit.Plan{Files: []edit.File{{Path: "/w/a.rs", Old: text,
			Edits: []edit.Replacement{{Start: 9, Line: 1, Old: "b", New: "c"}}}}})
	equal(t, "warnings", len(c.Warnings()), 1)
}

// A place is covered by what begins before it and does not end before it, also when something shorter begins in
// between.
func TestCoveredBy(t *testing.T) {
	span := func(path string, line, from, to int) lsp.Place {
		return lsp.Place{Path: path, Range: contract.Range{Start: contract.Position{Line: line, Character: from},
			End: contract.Position{Line: line, Character: to}}}
	}
	covered := audit.CoveredBy([]lsp.Place{span("a", 1, 7, 9), span("a", 1, 2, 20), span("a", 1, 3, 4),
		span("a", 2, 5, 6), span("b", 1, 30, 31)})
	for _, c := range []struct {
		path      string
		line, at  int
		isCovered bool
	}{{"a", 1, 1, false}, {"a", 1, 2, true}, {"a", 1, 12, true}, {"a", 1, 20, true}, {"a", 1, 21, false},
		{"a", 2, 5, true}, {"a", 2, 4, false},
		{"b", 1, 3, false}, {"b", 1, 30, true}, {"c", 1, 1, false}} {
		testkit.Equal(t, covered(c.path, contract.Position{Line: c.line, Character: c.at}), c.isCovered, c.path,
			c.line, c.at, !c.isCovered)
	}
}

// What a program writes is one line of megabytes; looking at its edits and places takes time in proportion to it.
func TestOneLineOfManyEdits(t *testing.T) {
	const unit, times = "name(\"name\",1);// ", 100_000
	line := strings.ReplaceAll(strings.Repeat(unit, times), "// ", "   ")
	f := edit.File{Path: "/w/a.js", Old: line}
	var places []lsp.Place
	for i := range times {
		for _, at := range []int{0, 6} {
			f.Edits = append(f.Edits, edit.Replacement{Start: i*len(unit) + at, Line: 1, Old: "name", New: "x"})
		}
		p := contract.Position{Line: 1, Character: i*len(unit) + 1}
		places = append(places,
			lsp.Place{Path: f.Path,
				Range: contract.Range{Start: p, End: contract.Position{Line: 1, Character: p.Character + 4}}})
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		testkit.Equal(t, edits.EditsInComments(&f), times)
		covered := audit.CoveredBy(places)
		for _, p := range places {
			if !covered(p.Path, p.Range.Start) {
				t.Errorf("%v is not covered", p.Range)
				return
			}
		}
	}()
	select {
	case <-done:
	case <-time.After(20 * time.Second): // once for each edit, this would take hours
		t.Fatal("it takes too long")
	}
}

// Words about files agree with their number, and do not name arguments that a tool does not have.
func TestFactsOfFiles(t *testing.T) {
	for _, tool := range []*answer.Tool{checkEdit, renameSymbol} {
		c := answer.NewCall(session.Unopened(session.Settings{}, nil), known{}, answer.Request{})
		c.Tool = tool
		one := edit.File{Path: "/w/a.go", ReadOnly: true, Generated: true, OddLineEnds: true, HardLinks: 1,
			Edits: []edit.Replacement{{}}}
		edits.PlanFacts(c,
			&edits.Proposed{Planned: &lsp.Planned{Plan: &edit.Plan{Files: []edit.File{one},
				Confirm: []string{"/w/ci.yml"}, Outside: []string{"/x"}}}})
		testkit.Equal(t, len(c.Warnings()), 6)
		for _, w := range c.Warnings() {
			if strings.Contains(w.Message, "1 file") && strings.Contains(w.Message, " are ") ||
				strings.Contains(w.Message, "1 files") || strings.Contains(w.Message, "files, such as") {
				t.Errorf("%s: %s", w.Kind, w.Message)
			}
			if strings.Contains(w.Message, "dry_run") && tool == checkEdit {
				t.Errorf("check_edit has no dry_run: %s", w.Message)
			}
		}
	}
}
