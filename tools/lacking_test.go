package tools

import (
	"fmt"
	"testing"

	"lspi/internal/testkit/sessions"
	"lspi/lsp/spec"
)

// Where no server is installed, a question by name says which one the workspace needs and how to get it.
func TestNameAloneWithoutAnyServer(t *testing.T) {
	missing := sessions.Fake(t, "words", `{"language":"words"}`, func(s *spec.Spec) {
		s.Commands[0].Name = "lspi-test-no-such-program"
		s.Install = []spec.Install{{Command: "install words"}}
	})
	env := sessions.Open(t, project(t, map[string]string{"a.w": "def one\n"}), missing)
	for tool, arguments := range map[string]map[string]any{
		"hover": {"symbol_name": "one"}, "search_workspace_symbols": {"query": "one"}, "find_references": {"symbol_name": "one"},
	} {
		a := run(t, env, tool, arguments)
		reason := a["error"].(map[string]any)["data"].(map[string]any)["lspi_error"].(map[string]any)
		equal(t, tool, reason["kind"], any("server_not_installed"))
		if step := a["next_steps"].([]any)[0].(map[string]any); step["command"] != "install words" {
			t.Errorf("%s: first step %v", tool, step)
		}
	}
}

// Without a go.mod the callers in an answer stand in files that gopls has read for it (0.23.0).
func TestCallersOfTheAnswerAreNoFilesThatWereNotRead(t *testing.T) {
	t.Parallel()
	needServer(t, "gopls")
	env := sessions.Real(t, project(t, map[string]string{
		"a.go":   "package a\n\nfunc Foo() {}\n",
		"b.go":   "package a\n\nfunc Bar() { Foo() }\n",
		"c/c.go": "package c\n\nfunc Foo() {}\n",
	}), "gopls")
	a := run(t, env, "call_hierarchy", map[string]any{"file_path": "a.go", "symbol_name": "Foo", "direction": "incoming"})
	calls, _ := a["incoming"].([]any)
	w := firstOf(a, "warnings")
	if len(calls) != 1 || w["kind"] != "no_project_file" || fmt.Sprint(w["files"]) != "[c/c.go]" {
		t.Errorf("%v", a)
	}
}
