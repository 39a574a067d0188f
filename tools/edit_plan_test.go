//go:build unix

package tools

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lspi/contract"
	"lspi/internal/testkit"
	"lspi/tools/answer"
	"lspi/tools/edits"
	"lspi/tools/toolstest"
)

func ptr(s string) *string { return &s }

func TestPlanEdits(t *testing.T) {
	dir := project(t, map[string]string{"a.w": "one\ntwo é𝛼 two\nthree\n", "crlf.w": "one\r\ntwo\r\n",
		"mark.w": "\ufeffone\n",
		"bad.w":  "\xff\n", "sub/b.w": "b\n"})
	testkit.Must(t, os.Symlink("..", filepath.Join(dir, "sub", "up")))
	testkit.Must(t, os.Symlink(t.TempDir(), filepath.Join(dir, "out")))
	session := toolstest.Open(t, dir, toolstest.Fake(t, "fake1", `{"language":"words"}`))
	c := answer.NewCall(session, known{}, answer.Request{})
	text := func(file, old, text string) edits.EditIn {
		return edits.EditIn{FilePath: file, OldText: ptr(old), NewText: text}
	}
	at := func(line, character, endLine, endCharacter int, text string) edits.EditIn {
		return edits.EditIn{FilePath: "a.w", Line: line, Character: character, EndLine: endLine,
			EndCharacter: endCharacter, NewText: text}
	}
	for _, k := range []struct {
		name  string
		edits []edits.EditIn
		want  string // of the first file
		kind  contract.Kind
		says  string
	}{
		{name: "by text", edits: []edits.EditIn{text("a.w", "one", "1"), text("a.w", "three", "3")},
			want: "1\ntwo é𝛼 two\n3\n"},
		{name: "by range", edits: []edits.EditIn{at(2, 6, 2, 7, "!")}, want: "one\ntwo é! two\nthree\n"},
		{name: "over lines", edits: []edits.EditIn{at(1, 4, 3, 1, " ")}, want: "one three\n"},
		{name: "inserts keep their order", edits: []edits.EditIn{at(1, 1, 1, 1, "a"), at(1, 1, 1, 1, "b"),
			at(1, 1, 1, 2, "O")}, want: "abOne\ntwo é𝛼 two\nthree\n"},
		{name: "whole", edits: []edits.EditIn{{FilePath: "a.w", NewText: "x"}}, want: "x"},
		{name: "deleted", edits: []edits.EditIn{text("a.w", "one\n", "")}, want: "two é𝛼 two\nthree\n"},
		{name: "new", edits: []edits.EditIn{{FilePath: "sub/deep/n.w", NewText: "n"}}, want: "n"},
		{name: "new, by a link", edits: []edits.EditIn{{FilePath: "sub/up/n.w", NewText: "n"}}, want: "n"},
		{name: "with a mark",
			edits: []edits.EditIn{{FilePath: "mark.w", Line: 1, Character: 1, EndLine: 1, EndCharacter: 2,
				NewText: "O"}}, want: "\ufeffOne\n"},
		{name: "whole, with the mark and the line ends that the file has",
			edits: []edits.EditIn{{FilePath: "mark.w", NewText: "x\r\n"}}, want: "\ufeffx\n"},
		{name: "lines into a file with others", edits: []edits.EditIn{text("crlf.w", "one", "one\nmore")},
			want: "one\r\nmore\r\ntwo\r\n"},
		{name: "one file by two names", edits: []edits.EditIn{text("a.w", "one", "1"),
			text("sub/up/a.w", "three", "3")}, want: "1\ntwo é𝛼 two\n3\n"},

		{name: "twice", edits: []edits.EditIn{text("a.w", "two", "2")}, kind: contract.KindEditRejected,
			says: "occurs 2 times in a.w, in lines 2"},
		{name: "twice, overlapping", edits: []edits.EditIn{{FilePath: "a.w", OldText: ptr("e"), NewText: ""}},
			kind: contract.KindEditRejected, says: "occurs 3 times"},
		{name: "nowhere", edits: []edits.EditIn{text("a.w", "four", "4")}, kind: contract.KindEditRejected,
			says: "does not occur in a.w"},
		{name: "nearly", edits: []edits.EditIn{text("a.w", "three\nfour", "4")}, kind: contract.KindEditRejected,
			says: "its first line occurs in lines 3"},
		{name: "line ends", edits: []edits.EditIn{text("crlf.w", "one\ntwo", "1")}, kind: contract.KindEditRejected,
			says: `end with \r\n`},
		{name: "not UTF-8", edits: []edits.EditIn{text("bad.w", "a", "1")}, kind: contract.KindEditRejected,
			says: "not UTF-8"},
		{name: "overlap", edits: []edits.EditIn{text("a.w", "one\ntwo", "1"), text("a.w", "two é", "2")},
			kind: contract.KindEditRejected, says: "edits[1] changes text"},
		{name: "whole and part", edits: []edits.EditIn{{FilePath: "a.w", NewText: "x"}, text("a.w", "one", "1")},
			kind: contract.KindEditRejected, says: "replaces all of"},
		{name: "outside of the file", edits: []edits.EditIn{at(9, 1, 9, 2, "")}, kind: contract.KindPositionOutOfRange},
		{name: "backwards", edits: []edits.EditIn{at(2, 1, 1, 1, "")}, kind: contract.KindInvalidArgument},
		{name: "half a range", edits: []edits.EditIn{{FilePath: "a.w", Line: 1, NewText: ""}},
			kind: contract.KindMissingArgument, says: "edits[0].character"},
		{name: "both forms", edits: []edits.EditIn{{FilePath: "a.w", OldText: ptr("x"), Line: 1, NewText: ""}},
			kind: contract.KindInvalidArgument},
		{name: "nothing to look for", edits: []edits.EditIn{text("a.w", "", "x")}, kind: contract.KindInvalidArgument},
		{name: "no edits", kind: contract.KindInvalidArgument},
		{name: "part of a file that is not there", edits: []edits.EditIn{text("n.w", "a", "b")},
			kind: contract.KindFileNotFound},
		{name: "new, outside", edits: []edits.EditIn{{FilePath: "../n.w", NewText: "n"}},
			kind: contract.KindOutsideWorkspace},
		{name: "new, outside by a link", edits: []edits.EditIn{{FilePath: "out/n.w", NewText: "n"}},
			kind: contract.KindOutsideWorkspace},
		{name: "no server", edits: []edits.EditIn{{FilePath: "n.zzz", NewText: "n"}},
			kind: contract.KindNoServerForExtension},
	} {
		plan, err := edits.PlanEdits(c, k.edits)
		var e *contract.Error
		if errors.As(err, &e); k.kind != "" {
			if e == nil || e.Kind != k.kind || !strings.Contains(e.Message, k.says) {
				t.Errorf("%s: %v", k.name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", k.name, err)
			continue
		}
		texts, err := plan.Texts(session.Workspace.Text, plan.Paths)
		if err != nil || len(plan.Paths) != 1 || texts[plan.Paths[0]].After.Content() != k.want {
			t.Errorf("%s: %v, %q", k.name, err, texts[plan.Paths[0]].After.Content())
		}
	}
	a := run(t, session, "check_edit",
		map[string]any{"edits": []map[string]any{{"file_path": "bad.w", "old_text": "a", "new_text": "b"}}})
	if steps := fmt.Sprint(a["next_steps"]); !strings.Contains(steps, "convert the file") ||
		strings.Contains(steps, "exactly as in the file") {
		t.Errorf("the steps behind an edit of a file that is not UTF-8: %s", steps)
	}
}

// Read-only mode has it only where the configuration names it; then it looks, and writes nothing.
func TestCheckEditReadOnly(t *testing.T) {
	session := toolstest.Open(t, project(t, map[string]string{"a.w": "def X\n"}),
		toolstest.Fake(t, "fake1", `{"language":"words"}`))
	listed := func() bool {
		for _, tool := range Served(&session.Settings) {
			if tool.Name == "check_edit" {
				return true
			}
		}
		return false
	}
	equal(t, "listed", listed(), true)
	session.Settings.ReadOnly = true
	equal(t, "listed read-only", listed(), false)
	a := run(t, session, "check_edit",
		map[string]any{"edits": []map[string]any{{"file_path": "a.w", "new_text": "BAD\n"}}})
	equal(t, "kind", a["error"].(map[string]any)["kind"], any("read_only"))
	session.Settings.Allow = []string{"hover", "check_edit"}
	equal(t, "listed when it is named", listed(), true)
	a = run(t, session, "check_edit",
		map[string]any{"edits": []map[string]any{{"file_path": "a.w", "new_text": "BAD\n"}}})
	wantDiffers(t, a, "complete", "+a.w:1:1 error <nil>")
	session.Settings.Allow = []string{"hover"}
	a = run(t, session, "check_edit",
		map[string]any{"edits": []map[string]any{{"file_path": "a.w", "new_text": "BAD\n"}}})
	equal(t, "kind", a["error"].(map[string]any)["kind"], any("unsupported"))
	for _, arguments := range []map[string]any{{}, {"edits": []string{"x"}},
		{"edits": []map[string]any{{"file_path": "a.w"}}},
		{"edits": []map[string]any{{"file_path": "a.w", "new_text": "", "line": 0}}},
		{"edits": []map[string]any{{"file": "a.w"}}}, {"edits": "x"}} {
		session.Settings.Allow = []string{"check_edit"}
		if a := run(t, session, "check_edit", arguments); a["ok"] != false || len(a["next_steps"].([]any)) == 0 {
			t.Errorf("%v: %v", arguments, a)
		}
	}
}
