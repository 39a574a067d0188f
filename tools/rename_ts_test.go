//go:build unix

package tools

import (
	"strings"
	"testing"
)

var importPathProject = sharing("path", &realProject{server: "typescript-language-server",
	program: "typescript-language-server", files: map[string]string{
		"tsconfig.json": smallLib, "a.ts": "export const v = 1;\n", "b.ts": "import { v } from './a';\nv;\n"}})[0]

// The server would change the import and leave the file where it is, so it is kept from it.
func TestRenameOfATypeScriptImportPath(t *testing.T) {
	t.Parallel()
	a := run(t, importPathProject.session(t), "rename_symbol",
		importPathProject.in(map[string]any{"file_path": "b.ts", "line": 1, "character": 22, "new_name": "z"}))
	if a["ok"] != false || !strings.HasPrefix(a.fault(), "request_failed") {
		t.Errorf("%v", a)
	}
}
