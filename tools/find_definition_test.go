package tools

import (
	"fmt"
	"strings"
	"testing"

	"lspi/lsp/spec"
	"lspi/tools/toolstest"
)

// Of many definitions only the first few get their name and kind where each file has to be opened for that.
func TestManyDefinitionsOpenFewFiles(t *testing.T) {
	files := map[string]string{"a.w": "X\n"}
	for i := range 9 {
		files[fmt.Sprintf("d%d.w", i)] = "def X\n  body\n"
	}
	dir := project(t, files)
	var places []string
	for i := range 9 {
		places = append(places, fmt.Sprintf(`{"uri": "file://%s/d%d.w", "range": `+
			`{"start": {"line": 0, "character": 4}, "end": {"line": 0, "character": 5}}}`, dir, i))
	}
	script := `{"language": "words", "rules": [{"method": "textDocument/definition", "actions": [{"result": [` +
		strings.Join(places, ",") + `]}]}]}`
	for closed, want := range map[bool]int{true: 9, false: maxShaped} {
		session := toolstest.Open(t, dir, toolstest.Fake(t, "fake", script, func(s *spec.Spec) {
			s.Freshness.QueryClosed = closed
		}))
		a := run(t, session, "find_definition", map[string]any{"file_path": "a.w", "line": 1, "character": 1})
		all, _ := a["definitions"].([]any)
		named := 0
		for _, d := range all {
			if d.(map[string]any)["symbol"] == "X" {
				named++
			}
		}
		if len(all) != 9 || named != want || a["completeness"] != "complete" {
			t.Errorf("closed files can be asked about: %v: %d definitions, %d with their names; want 9 and %d", closed,
				len(all), named, want)
		}
	}
}
