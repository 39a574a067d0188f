package tools

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"lspi/answer"
	"lspi/internal/testkit"
	"lspi/internal/testkit/sessions"
	"lspi/workspace"
)

// The text beside an envelope that the host shows counts what is there and what of it is shown, as the answer itself does, and says why it is
// not complete.
func TestSummariesCountWhatIsShown(t *testing.T) {
	many := &strings.Builder{}
	for n := range 100 {
		fmt.Fprintf(many, "def word_%d\n", n)
	}
	env := sessions.Open(t, project(t, map[string]string{"a.w": "def alpha\n  alpha\n", "b.w": "def beta\n  alpha\n", "c.w": many.String()}),
		sessions.Fake(t, "w", `{"language":"words"}`))
	for _, c := range []struct{ tool, arguments, want string }{
		{"find_references", `{"file_path":"a.w","symbol_name":"alpha"}`, "3 references in 2 files."},
		{"find_references", `{"file_path":"a.w","symbol_name":"alpha","max_results":1}`,
			"3 references in 2 files; 1 shown. Completeness: partial (truncated)."},
		{"find_references", `{"file_path":"b.w","symbol_name":"beta"}`, "1 reference in 1 file."},
		{"get_document_symbols", `{"file_path":"a.w"}`, "1 symbol."},
		{"get_document_symbols", `{"file_path":"c.w","max_total_chars":1000}`, "100 symbols, RETURNED shown. Completeness: partial (truncated)."},
		{"search_workspace_symbols", `{"query":"alpha"}`, "1 matching symbol."},
		{"symbol_bundle", `{"file_path":"b.w","symbol_name":"beta"}`, "beta: 1 reference, 0 implementations, 0 callers."},
	} {
		r := Run(t.Context(), env, nil, answer.Request{Tool: c.tool, Arguments: json.RawMessage(c.arguments), Host: workspace.Host{Name: "claude-code"}})
		var out struct{ Returned int }
		testkit.Must(t, json.Unmarshal(r.Structured, &out))
		equal(t, c.arguments, r.Text, strings.Replace(c.want, "RETURNED", fmt.Sprint(out.Returned), 1))
	}
}
