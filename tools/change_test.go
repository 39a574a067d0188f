package tools

import (
	"fmt"
	"strings"
	"testing"

	"lspi/contract"
	"lspi/internal/testkit"
	"lspi/lsp"
	"lspi/lsp/edit"
	"lspi/tools/answer"
	"lspi/tools/edits"
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
