package tools

import (
	"testing"

	"lspi/lsp"
)

// Where no server is installed, a question by name says which one the workspace needs and how to get it.
func TestNameAloneWithoutAnyServer(t *testing.T) {
	missing := fake(t, "words", `{"language":"words"}`, func(s *lsp.Spec) {
		s.Commands[0].Name = "lspi-test-no-such-program"
		s.Install = []lsp.Install{{Command: "install words"}}
	})
	env := fakeEnv(t, project(t, map[string]string{"a.w": "def one\n"}), missing)
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
