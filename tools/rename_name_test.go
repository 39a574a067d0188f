//go:build unix

package tools

import (
	"fmt"
	"testing"

	"lspi/internal/testkit"
	"lspi/tools/toolstest"
)

// A name that may break the code is offered only with the check that if_safe makes; where that cannot be made there
// is no step that applies.
func TestRenameToADoubtfulName(t *testing.T) {
	files := []string{"a.w", "def X\n  Taken\n", "b.w", "use X\n// Y\n"}
	for name, because := range map[string]string{
		"Taken": "Taken is in use already, in line 2 of a.w",
		"2x":    "2x may be no name in this language",
	} {
		s := newScripted(t, nil, playing(), files...)
		preview := s.rename(renameX(map[string]any{"new_name": name}))
		ready, _ := firstOf(preview, "next_steps")["arguments"].(map[string]any)
		if ready["apply"] != "if_safe" || ready["dry_run"] != nil || ready["preview_id"] != preview["preview_id"] {
			t.Fatalf("%s: the step %v of %v", name, ready, preview)
		}
		testkit.Holds(t, fmt.Sprint(preview["next_steps"]), "Apply it if that brings no error, because "+because+".")
		equal(t, "applied by the step", s.rename(ready)["applied"], any(true))

		s = newScripted(t, nil, playing(), files...)
		s.Workspace.Process.EditDir = ""
		preview = s.rename(renameX(map[string]any{"new_name": name, "apply": "if_safe"}))
		if firstOf(preview, "next_steps")["arguments"] != nil {
			t.Errorf("%s: a step where if_safe cannot be tried: %v", name, preview)
		}
		testkit.Holds(t, fmt.Sprint(preview["next_steps"]), "because "+because+". Look there first")
	}
	s := newScripted(t, nil, playing(), files...)
	equal(t, "a name in a comment", s.rename(renameX(nil)).ready()["dry_run"], any(false))
}

// What cannot be a name in the language is refused though the server has an edit for it (pyright 1.1.411).
func TestRenameToNoName(t *testing.T) {
	for _, c := range []struct{ server, file, text string }{
		{"pyright", "a.py", "def load() -> int:\n    return 1\n"},
		{"typescript-language-server", "a.ts", "export function load(): number {\n  return 1;\n}\n"},
		{"gopls", "a.go", "package a\n\nfunc load() {}\n"},
	} {
		t.Run(c.server, func(t *testing.T) {
			testkit.Always(t, c.server, "gopls")
			t.Parallel()
			needServer(t, c.server)
			dir := project(t, map[string]string{c.file: c.text, "go.mod": "module m\n\ngo 1.24\n",
				"pyproject.toml": "[project]\nname = \"m\"\nversion = \"0\"\n", "tsconfig.json": smallLib})
			session := toolstest.Real(t, dir, c.server)
			for _, name := range []string{"2x", "a-b", "a.b"} {
				a := run(t, session, "rename_symbol", map[string]any{"file_path": c.file, "symbol_name": "load",
					"new_name": name})
				testkit.Holds(t, a.fault(), "invalid_argument is no name in the language ", "the error", a)
			}
			if a := run(t, session, "rename_symbol", map[string]any{"file_path": c.file, "symbol_name": "load",
				"new_name": "größe"}); a["ok"] != any(true) {
				t.Errorf("%v", a)
			}
		})
	}
}
