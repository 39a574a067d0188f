package tools

import (
	"strings"
	"testing"
	"time"

	"lspi/answer"
	"lspi/change"
	"lspi/contract"
	"lspi/coverage"
	"lspi/internal/testkit"
	"lspi/lsp"
	"lspi/lsp/edit"
	"lspi/workspace"
)

// A place is covered by what begins before it and does not end before it, also when something shorter begins in between.
func TestCoveredBy(t *testing.T) {
	span := func(path string, line, from, to int) lsp.Place {
		return lsp.Place{Path: path, Range: contract.Range{Start: contract.Position{Line: line, Character: from}, End: contract.Position{Line: line, Character: to}}}
	}
	covered := coverage.CoveredBy([]lsp.Place{span("a", 1, 7, 9), span("a", 1, 2, 20), span("a", 1, 3, 4), span("a", 2, 5, 6), span("b", 1, 30, 31)})
	for _, c := range []struct {
		path      string
		line, at  int
		isCovered bool
	}{{"a", 1, 1, false}, {"a", 1, 2, true}, {"a", 1, 12, true}, {"a", 1, 20, true}, {"a", 1, 21, false}, {"a", 2, 5, true}, {"a", 2, 4, false},
		{"b", 1, 3, false}, {"b", 1, 30, true}, {"c", 1, 1, false}} {
		testkit.Equal(t, covered(c.path, contract.Position{Line: c.line, Character: c.at}), c.isCovered, c.path, c.line, c.at, !c.isCovered)
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
		places = append(places, lsp.Place{Path: f.Path, Range: contract.Range{Start: p, End: contract.Position{Line: 1, Character: p.Character + 4}}})
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		testkit.Equal(t, change.EditsInComments(&f), times)
		covered := coverage.CoveredBy(places)
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
		c := answer.NewCall(workspace.Unopened(workspace.Settings{}, nil), registry{}, answer.Request{})
		c.Tool = tool
		one := edit.File{Path: "/w/a.go", ReadOnly: true, Generated: true, OddLineEnds: true, HardLinks: 1, Edits: []edit.Replacement{{}}}
		change.PlanFacts(c, &change.Proposed{Planned: &lsp.Planned{Plan: &edit.Plan{Files: []edit.File{one}, Confirm: []string{"/w/ci.yml"}, Outside: []string{"/x"}}}})
		testkit.Equal(t, len(c.Warnings()), 6)
		for _, w := range c.Warnings() {
			if strings.Contains(w.Message, "1 file") && strings.Contains(w.Message, " are ") || strings.Contains(w.Message, "1 files") || strings.Contains(w.Message, "files, such as") {
				t.Errorf("%s: %s", w.Kind, w.Message)
			}
			if strings.Contains(w.Message, "dry_run") && tool == checkEdit {
				t.Errorf("check_edit has no dry_run: %s", w.Message)
			}
		}
	}
}
