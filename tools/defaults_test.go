package tools

import (
	"slices"
	"strings"
	"testing"

	"lspi/internal/testkit"
)

// withDefault are the arguments that may have a default: they say how much is shown, and how it is looked for.
var withDefault = []string{"all", "backup_suffix", "call_max_breadth", "call_max_depth", "detail", "diff", "direction",
	"implementations_limit", "include_body",
	"include_declaration", "include_env", "include_generated", "include_snippet", "kinds", "limit", "match", "max_breadth", "max_depth",
	"max_results", "max_total_chars", "path", "references_limit",
	"server_id", "severities", "snippet_context_lines", "target", "wait", "wait_ms"}

// Each argument of each tool may have a default, or there is a reason why not: a new one has to be put on one side.
func TestWhichArgumentsHaveDefaults(t *testing.T) {
	for _, tool := range All() {
		for _, argument := range tool.Input.PropertyOrder {
			err := CheckDefault(tool.Name, argument, []any{nil}) // a value that none has
			refused := err != nil && strings.Contains(err.Error(), "has no default")
			may := slices.Contains(withDefault, argument) &&
				!(argument == "server_id" && slices.Contains([]string{"restart_server", "stop_server"}, tool.Name))
			testkit.Equal(t, refused, !may, tool.Name, argument, err)
		}
	}
	for argument, says := range map[string]string{
		"symbol_name": "symbol_name says what a call is about, so that it has no default",
		"line":        "line says what a call is about, so that it has no default",
		"file_path":   "file_path says what a call is about, so that it has no default",
		"symbols":     "symbols says what a call is about, so that it has no default",
	} {
		for _, value := range []any{"x", int64(1), []any{"x"}} {
			if err := CheckDefault("find_references", argument, value); err == nil ||
				!strings.Contains(err.Error(), says) {
				t.Errorf("%s = %v: %v", argument, value, err)
			}
		}
	}
	testkit.Must(t, CheckDefault("find_references", "max_results", int64(50)))
	testkit.Must(t, CheckDefault("find_references", "server_id", "gopls"))
	testkit.Must(t, CheckDefault("everything__find", "symbol_name", "x")) // nobody knows what it means there
}
