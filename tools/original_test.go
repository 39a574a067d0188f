package tools

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"lspi/contract"
	"lspi/internal/testkit"
	"lspi/tools/answer"
	"lspi/tools/session"
)

// original are the tools of the original lspi with all arguments that they took.
var original = map[string]string{
	"find_definition":          "file_path symbol_name symbol_kind max_results max_total_chars include_snippet snippet_context_lines max_snippet_chars",
	"find_definition_at":       "file_path line character max_results max_total_chars include_snippet snippet_context_lines max_snippet_chars",
	"find_references":          "file_path symbol_name symbol_kind include_declaration max_results max_total_chars include_snippet snippet_context_lines max_snippet_chars",
	"find_references_at":       "file_path line character include_declaration max_results max_total_chars include_snippet snippet_context_lines max_snippet_chars",
	"hover_at":                 "file_path line character max_total_chars",
	"find_implementation_at":   "file_path line character max_results max_total_chars",
	"find_type_definition_at":  "file_path line character max_results max_total_chars",
	"find_incoming_calls":      "file_path symbol_name symbol_kind max_symbols max_results max_total_chars include_snippet max_snippet_chars",
	"find_outgoing_calls":      "file_path symbol_name symbol_kind max_symbols max_results max_total_chars include_snippet max_snippet_chars",
	"find_incoming_calls_at":   "file_path line character max_results max_total_chars",
	"find_outgoing_calls_at":   "file_path line character max_results max_total_chars",
	"get_document_symbols":     "file_path max_results max_total_chars",
	"search_workspace_symbols": "query file_path max_results max_total_chars",
	"rename_symbol":            "file_path symbol_name symbol_kind new_name dry_run expected_before_sha256 create_backups backup_suffix",
	"rename_symbol_strict":     "file_path line character new_name dry_run expected_before_sha256 create_backups backup_suffix",
	"get_diagnostics":          "file_path max_results max_total_chars",
	"restart_server":           "extensions",
	"stop_server":              "extensions",
	"get_current_config":       "max_total_chars include_env",
	"list_servers":             "max_total_chars include_env",
	"get_server_status":        "server_id max_total_chars",
}

var originalValues = map[string]string{
	"symbol_kind": `"function"`, "line": "3", "character": "4", "max_results": "50", "max_total_chars": "20000",
	"include_snippet": "true", "snippet_context_lines": "1", "max_snippet_chars": "200",
	"include_declaration": "true", "max_symbols": "9", "dry_run": "true", "expected_before_sha256": "{}",
	"create_backups": "true", "extensions": `["go"]`, "include_env": "false",
}

// Every call of the original, with every argument, is a call that a tool of today takes, and what differs is said.
func TestCallsOfTheOriginal(t *testing.T) {
	for name, arguments := range original {
		var parts []string
		for _, argument := range strings.Fields(arguments) {
			value := originalValues[argument]
			if value == "" {
				value = `"x"`
			}
			parts = append(parts, fmt.Sprintf("%q: %s", argument, value))
		}
		given := json.RawMessage("{" + strings.Join(parts, ", ") + "}")
		now, changed, notes := today(name, given)
		tool, err := Lookup(now)
		if err != nil {
			t.Errorf("%s is %s: %v", name, now, err)
			continue
		}
		if err := tool.Check(changed); err != nil {
			t.Errorf("%s %s is %s %s: %v", name, given, now, changed, err)
		}
		if same := string(changed) == string(given) && now == name; same != (notes == nil) {
			t.Errorf("%s is %s with %s, and %q is said", name, now, changed, notes)
		}
		if position := strings.Contains(arguments, " line "); position &&
			!strings.Contains(string(changed), `"line":3`) {
			t.Errorf("%s lost its position: %s", name, changed)
		}
	}
	for _, name := range session.OriginalTools() {
		if _, err := Lookup(name); err == nil {
			t.Errorf("%s is a tool of today", name)
		}
	}
}

// An old name is no way around what a configuration refuses, and an edit by an old name is known as one.
func TestOldNamesAreFiltered(t *testing.T) {
	given := json.RawMessage(`{"file_path": "a.go", "line": 1, "character": 1, "new_name": "x", "dry_run": false}`)
	for name, settings := range map[string]session.Settings{
		"read-only": {ReadOnly: true},
		"excluded": {Exclude: []string{"rename_symbol", "find_definition", "find_implementations", "hover",
			"call_hierarchy", "find_references"}},
		"not allowed": {Allow: []string{"get_diagnostics"}},
	} {
		for _, old := range session.OriginalTools() {
			now, _ := session.OriginalTool(old)
			tool, err := Lookup(now)
			testkit.Must(t, err)
			want := answer.Refuses(&settings, tool)
			for _, spelling := range []string{old, strings.ToUpper(old), " " + old} {
				called, _, _ := today(spelling, given)
				if again, err := Lookup(called); err != nil ||
					fmt.Sprint(answer.Refuses(&settings, again)) != fmt.Sprint(want) {
					t.Errorf("%s: %q is called as %s: %v", name, spelling, called, err)
				}
			}
		}
	}
	testkit.Equal(t, Edits("rename_symbol_strict", given), true, "an edit")
	testkit.Equal(t, Edits("find_references_at", given), false, "no edit")
	testkit.Equal(t, Controls("hover_at"), false)
	r := Run(t.Context(), nil, contract.Errorf(contract.KindUnknownTool, nil, "not opened"),
		answer.Request{Tool: "hover_at", Arguments: json.RawMessage(`{}`)})
	if text := r.Text; !strings.Contains(text, "hover_at is hover today") {
		t.Errorf("the answer does not name the tool of today: %s", text)
	}
}
