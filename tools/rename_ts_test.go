//go:build unix

package tools

import (
	"strings"
	"testing"

	"lspi/internal/testkit/sessions"
)

// The server would change the import and leave the file where it is, so it is kept from it.
func TestRenameOfATypeScriptImportPath(t *testing.T) {
	t.Parallel()
	needServer(t, "typescript-language-server")
	env := sessions.Real(t, project(t, map[string]string{"tsconfig.json": "{}", "a.ts": "export const v = 1;\n", "b.ts": "import { v } from './a';\nv;\n"}),
		"typescript-language-server")
	a := run(t, env, "rename_symbol", map[string]any{"file_path": "b.ts", "line": 1, "character": 22, "new_name": "z"})
	if a["ok"] != false || !strings.HasPrefix(a.fault(), "request_failed") {
		t.Errorf("%v", a)
	}
}
