package tools

import (
	"testing"

	"lspi/internal/testkit"
	"lspi/lsp"
	"lspi/lsp/spec"
	"lspi/tools/toolstest"
)

func TestSwitchSourceHeader(t *testing.T) {
	dir := project(t, map[string]string{"a.w": "def a\n", "b.w": "def b\n"})
	pairs := func(s *spec.Spec) { s.Unannounced = []string{lsp.MethodSwitchHeader} }
	session := toolstest.Open(t, dir, toolstest.Fake(t, "words", `{"language":"words","rules":[
		{"method":"textDocument/switchSourceHeader","contains":"a.w","actions":[{"result":"file://`+dir+`/b.w"}]},
		{"method":"textDocument/switchSourceHeader","actions":[{"result":null}]}]}`, pairs))
	a := run(t, session, "switch_source_header", map[string]any{"file_path": "a.w"})
	equal(t, "paired", a["paired"], any("b.w"))
	a = run(t, session, "switch_source_header", map[string]any{"file_path": "b.w"})
	if paired, there := a["paired"]; paired != nil || !there || a["completeness"] != "complete" {
		t.Errorf("%v", a)
	}
}

func TestSwitchSourceHeaderUnsupported(t *testing.T) {
	session := toolstest.Open(t, project(t, map[string]string{"a.w": "def a\n"}),
		toolstest.Fake(t, "words", `{"language":"words"}`))
	a := run(t, session, "switch_source_header", map[string]any{"file_path": "a.w"})
	equal(t, "kind", a["error"].(map[string]any)["kind"], any("unsupported"))
	if len(a["next_steps"].([]any)) == 0 {
		t.Error("no step")
	}
	testkit.Equal(t, len(session.Workspace.Pool.Running()), 0)
}
