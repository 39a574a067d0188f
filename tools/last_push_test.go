//go:build unix

package tools

import (
	"fmt"
	"path/filepath"
	"testing"

	"lspi/lsp"
	"lspi/lsp/lsptest"
)

// A server may push twice for one version, the first time by headers of the past: what counts is the last push, behind the
// work that it tells of and what it has queued then (clangd 22).
func TestTheLastPushForAVersionCounts(t *testing.T) {
	const status = "fake/fileStatus"
	s := newScripted(t, func(specs []lsp.Spec) {
		specs[0].Diagnostics = lsp.Diagnostics{Versioned: true, Status: status}
	}, nil, "a.w", "def X\n")
	uri := "file://" + filepath.Join(s.dir, "a.w")
	push := func(messages ...string) lsptest.Action {
		items := []any{}
		at := map[string]any{"line": 0, "character": 0}
		for _, m := range messages {
			items = append(items, map[string]any{"range": map[string]any{"start": at, "end": at}, "severity": 1, "message": m})
		}
		return tell("textDocument/publishDiagnostics", map[string]any{"uri": uri, "version": 1, "diagnostics": items})
	}
	state := func(state string) lsptest.Action { return tell(status, map[string]any{"uri": uri, "state": state}) }
	s.play(&lsptest.Script{Language: "words", Rules: []lsptest.Rule{
		on("textDocument/didOpen", lsptest.Action{Default: true}, state("parsing includes"), push("old"), state("idle")),
		on(lsp.MethodDocumentSymbol, push("new"), lsptest.Action{Default: true}),
	}})
	a := run(t, s.Env, "get_diagnostics", map[string]any{"file_path": "a.w"})
	got := fmt.Sprint(a["files"].([]any)[0].(map[string]any)["diagnostics"].([]any)[0].(map[string]any)["message"])
	equal(t, "message", got, "new")
	equal(t, "completeness", a["completeness"], any("complete"))
}
