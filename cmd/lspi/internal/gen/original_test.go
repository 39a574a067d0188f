package main

import (
	"slices"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/tools"
)

// unsaid are the fields of every answer that output schemas leave out.
var unsaid = []string{"schema_version", "tool", "server_id", "input"}

// The recorded answers are those of today: each fits the schema of its tool, so that a tool that changes its fields has
// them recorded anew.
func TestRecordedAnswersFitTheirSchemas(t *testing.T) {
	r, err := readRecorded()
	testkit.Must(t, err)
	seen := map[string]bool{}
	for _, c := range r.Calls {
		name, _ := c.Answer["tool"].(string)
		tool, err := tools.Lookup(name)
		testkit.Must(t, err)
		schema, err := tool.Output().Resolve(nil)
		testkit.Must(t, err)
		if err := schema.Validate(c.Answer); err != nil {
			t.Errorf("%s: %v", c.Called, err)
		}
		for field := range c.Answer {
			if tool.Output().Properties[field] == nil && !slices.Contains(unsaid, field) && c.Answer["ok"] == true {
				t.Errorf("%s has no field %s", name, field)
			}
		}
		seen[name] = true
	}
	for _, name := range []string{"find_definition", "find_references", "find_implementations", "hover", "call_hierarchy",
		"get_document_symbols", "search_workspace_symbols", "get_diagnostics", "rename_symbol", "get_server_status",
		"list_servers", "restart_server", "stop_server"} {
		if !seen[name] {
			t.Errorf("no answer of %s is recorded", name)
		}
	}
}

// The list has what the issue of the original's users names.
func TestDifferencesTable(t *testing.T) {
	table, err := differencesTable()
	testkit.Must(t, err)
	for row, want := range map[string][]string{
		"find_definition`, an error": {"needs_disambiguation", "candidates", "error.kind_today"},
		"find_definition`":           {"`results`", "`used_lsp_position`", "`definitions`"},
		"find_references`":           {"`files`", "`reference_locations`"},
		"get_diagnostics`":           {"`diagnostics`"},
		"get_server_status`":         {"`statuses`"},
		"rename_symbol`":             {"`edit`", "`files`"},
	} {
		_, line, _ := strings.Cut(table, "| `"+row+" |")
		line, _, _ = strings.Cut(line, "\n")
		for _, name := range want {
			if !strings.Contains(line, name) {
				t.Errorf("%s has no %s: %s", row, name, line)
			}
		}
	}
}
