package tools

import (
	"testing"

	"lspi/answer"
	"lspi/change"
	"lspi/lsp/edit"
	"lspi/workspace"
)

// What a rename inserts, also at the end of a line, replaces no name in a comment.
func TestInsertsAreNotInComments(t *testing.T) {
	c := answer.NewCall(workspace.Unopened(workspace.Settings{}, nil), registry{}, answer.Request{})
	text := "let a // b\nb // a\n"
	change.InComments(c, &edit.Plan{Files: []edit.File{{Path: "/w/a.rs", Old: text, Edits: []edit.Replacement{
		{Start: 10, Line: 1, New: ": b"}, {Start: 9, Line: 1, New: "x"}, {Start: 11, Line: 2, Old: "b", New: "c"}}}}})
	equal(t, "warnings", len(c.Warnings()), 0)
	change.InComments(c, &edit.Plan{Files: []edit.File{{Path: "/w/a.rs", Old: text, Edits: []edit.Replacement{{Start: 9, Line: 1, Old: "b", New: "c"}}}}})
	equal(t, "warnings", len(c.Warnings()), 1)
}
