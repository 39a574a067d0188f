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

// A definition comes with as many lines around it as the call asks for, or with none.
func TestSnippetsOfDefinitions(t *testing.T) {
	session := toolstest.Open(t, project(t, map[string]string{"a.w": "one\ntwo\ndef X\nthree\nfour\n"}),
		toolstest.Fake(t, "words", `{"language":"words"}`))
	for _, c := range []struct {
		arguments map[string]any
		want      any
	}{
		{map[string]any{"snippet_context_lines": 0}, "def X"},
		{map[string]any{"snippet_context_lines": 1}, "two\ndef X\nthree"},
		{map[string]any{"snippet_context_lines": 2}, "one\ntwo\ndef X\nthree\nfour"},
		{map[string]any{"include_snippet": false}, nil},
	} {
		c.arguments["file_path"], c.arguments["symbol_name"] = "a.w", "X"
		a := run(t, session, "find_definition", c.arguments)
		equal(t, fmt.Sprint(c.arguments), firstOf(a, "definitions")["snippet"], c.want)
	}
}
