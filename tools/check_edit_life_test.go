//go:build unix

package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"lspi/answer"
	"lspi/contract"
	"lspi/internal/testkit"
	"lspi/lsp"
	"lspi/lsp/lsptest"
	"lspi/lsp/spec"
)

// trialEvents are what the first server received about texts, and the questions, in order: "open a.w 1 text".
func (s *scripted) trialEvents() []string {
	s.Helper()
	var out []string
	for _, e := range s.got(0, "") {
		var p struct {
			TextDocument struct {
				URI     string
				Version int
				Text    string
			}
			ContentChanges []struct{ Text string }
		}
		_ = json.Unmarshal(e.Params, &p)
		name, text := filepath.Base(p.TextDocument.URI), p.TextDocument.Text
		for _, c := range p.ContentChanges {
			text = c.Text
		}
		switch e.Method {
		case "textDocument/didOpen", "textDocument/didChange", "textDocument/didClose", "textDocument/didSave", lsp.MethodDocumentDiag,
			lsp.MethodReferences:
			out = append(out, strings.TrimSpace(fmt.Sprintf("%s %s %s", strings.TrimPrefix(e.Method, "textDocument/"), name,
				strings.ReplaceAll(strings.TrimSpace(text), "\n", "|"))))
		}
	}
	return out
}

// edit is the arguments of check_edit for one edit by text.
func editOf(file, old, text string) map[string]any {
	return map[string]any{"edits": []map[string]any{{"file_path": file, "old_text": old, "new_text": text}}}
}

// The texts come back before anything else is asked: the save only for the text that is on disk, and a file that is not
// there is closed.
func TestCheckEditPutsBack(t *testing.T) {
	s := newScripted(t, nil, playing(), "a.w", "def X\n", "b.w", "X\n")
	a := run(t, s.Session, "check_edit", map[string]any{"edits": []map[string]any{
		{"file_path": "a.w", "old_text": "X", "new_text": "BAD"}, {"file_path": "n.w", "new_text": "BAD\n"}}})
	wantDiffers(t, a, "complete", "+a.w:1:5 error <nil>", "+n.w:1:1 error <nil>")
	s.want(s.references(), "fake1 complete 2")
	got := strings.Join(s.trialEvents(), "\n")
	want := strings.Join([]string{
		"didOpen a.w def X", "diagnostic a.w", "didOpen b.w X", "diagnostic b.w",
		"didChange a.w def BAD", "didOpen n.w BAD", "diagnostic a.w", "diagnostic n.w", "diagnostic b.w",
		"didChange a.w def X", "didSave a.w", "didClose n.w",
		"references a.w"}, "\n")
	testkit.Equal(t, got, want)
	if _, err := os.Stat(filepath.Join(s.dir, "n.w")); err == nil {
		t.Error("n.w was written")
	}
}

// hangsTrying is a server that never answers about a text with BAD in it.
func hangsTrying() []*lsptest.Script {
	return playing(lsptest.Rule{Method: lsp.MethodDocumentDiag, Nth: 2, Actions: []lsptest.Action{hangs}})
}

// A call that is cancelled in the middle puts everything back, and a call that waited meanwhile never sees what was tried.
func TestCheckEditCancelled(t *testing.T) {
	s := newScripted(t, nil, hangsTrying(), "a.w", "def X\nX\n")
	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	group.Go(func() {
		raw, _ := json.Marshal(editOf("a.w", "def X", "def BAD"))
		r := Run(ctx, s.Session, nil, answer.Request{Tool: "check_edit", Arguments: raw})
		if r.OK || !strings.Contains(string(r.Structured), string(contract.KindCancelled)) {
			t.Errorf("%s", r.Structured)
		}
	})
	until(t, "the trial", func() bool { return len(s.got(0, lsp.MethodDocumentDiag)) == 2 })
	for range 3 { // which of them waits for the trial, and which comes after it, is all the same
		group.Go(func() { s.want(s.references(), "fake1 complete 2") })
	}
	run(t, s.Session, "get_server_status", nil) // waits for nobody
	cancel()
	group.Wait()
	got := strings.Join(s.trialEvents(), "\n")
	if !strings.HasPrefix(got, "didOpen a.w def X|X\ndiagnostic a.w\ndidChange a.w def BAD|X\ndiagnostic a.w\ndidChange a.w def X|X\ndidSave a.w\nreferences a.w") {
		t.Errorf("got\n%s", got)
	}
}

// A server that dies in the middle takes what was tried with it; the next process answers.
func TestCheckEditServerDies(t *testing.T) {
	s := newScripted(t, nil, playing(inRun(1, lsptest.Rule{Method: lsp.MethodDocumentDiag, Nth: 2, Actions: []lsptest.Action{dies}})), "a.w", "def X\nX\n")
	a := run(t, s.Session, "check_edit", editOf("a.w", "def X", "def BAD"))
	wantDiffers(t, a, "complete", "+a.w:1:5 error <nil>")
	equal(t, "warnings", kinds(a), "server_restarted")
	s.want(s.references(), "fake1 complete 2")
}

// A server that does not take the texts back is not asked again: its successor is.
func TestCheckEditThatCannotBePutBack(t *testing.T) {
	s := newScripted(t, func(specs []spec.Spec) {
		specs[0].Timeouts.Requests = map[string]time.Duration{"lspi/fence": 100 * time.Millisecond}
	},
		playing(inRun(1, on("lspi/fence", hangs))), "a.w", "def X\nX\n")
	a := run(t, s.Session, "check_edit", editOf("a.w", "def X", "def BAD"))
	wantDiffers(t, a, "complete", "+a.w:1:5 error <nil>")
	s.want(s.references(), "fake1 complete 2")
	testkit.Equal(t, len(s.got(0, "initialize")), 2)
}
