package tools

import (
	"fmt"
	"testing"

	"lspi/tools/toolstest"
)

// rust-analyzer has no type hierarchy; the first step is one that answers.
func TestTypeHierarchyWhereThereIsNone(t *testing.T) {
	session := toolstest.Open(t, project(t, map[string]string{"a.w": "def target\nimpl target\n"}),
		toolstest.Fake(t, "words", `{"language":"words"}`))
	a := run(t, session, "type_hierarchy", map[string]any{"file_path": "a.w", "symbol_name": "target"})
	equal(t, "kind", a["error"].(map[string]any)["kind"], any("unsupported"))
	step := a["next_steps"].([]any)[0].(map[string]any)
	equal(t, "step", step["tool"], any("find_implementations"))
	equal(t, "arguments", step["arguments"], any(map[string]any{"file_path": "a.w", "symbol_name": "target"}))
}

func TestTypeHierarchyCycle(t *testing.T) {
	dir := project(t, map[string]string{"a.w": "def first\ndef second\n"})
	item := func(name string, line int) string {
		return fmt.Sprintf(`{"name":%q,"kind":5,"uri":"file://%s/a.w","range":{"start":{"line":%d,"character":0},"end":{"line":%d,"character":9}},
			"selectionRange":{"start":{"line":%d,"character":4},"end":{"line":%d,"character":10}},"data":1}`, name, dir, line, line, line, line)
	}
	first, second := item("first", 0), item("second", 1)
	session := toolstest.Open(t, dir, toolstest.Fake(t, "words", `{"language":"words","capabilities_patch":{"typeHierarchyProvider":true},"rules":[
		{"method":"textDocument/prepareTypeHierarchy","actions":[{"result":[`+first+`]}]},
		{"method":"typeHierarchy/supertypes","contains":"\"name\":\"first\"","actions":[{"result":[`+second+`]}]},
		{"method":"typeHierarchy/supertypes","actions":[{"result":[`+first+`,`+second+`]}]},
		{"method":"typeHierarchy/subtypes","actions":[{"result":null}]}]}`))
	a := run(t, session, "type_hierarchy", map[string]any{"file_path": "a.w", "symbol_name": "first", "max_depth": 10})
	equal(t, "supertypes", outline(t, a["supertypes"]), "second@a.w:2{first@a.w:1 seen second@a.w:2 seen}")
	equal(t, "subtypes", outline(t, a["subtypes"]), "")
}
