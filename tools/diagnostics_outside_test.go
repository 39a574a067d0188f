package tools

import (
	"path/filepath"
	"testing"

	"lspi/internal/testkit/sessions"
)

// What a server says of a dependency's source that it has open is nothing about the workspace: pyright finds 59 errors in
// Python's own os.py once a definition led there.
func TestWorkspaceDiagnosticsAreOfTheWorkspace(t *testing.T) {
	t.Parallel()
	needServer(t, "pyright")
	dir := project(t, map[string]string{"a.py": "import os\n\nx: int = os.getcwd()\n"})
	env := sessions.Real(t, dir, "pyright")
	def := run(t, env, "find_definition", map[string]any{"file_path": "a.py", "line": 1, "symbol_name": "os"})
	places, _ := def["definitions"].([]any)
	if len(places) != 1 || !filepath.IsAbs(places[0].(map[string]any)["file_path"].(string)) {
		t.Fatalf("the definition is not outside: %v", def)
	}
	a := run(t, env, "get_diagnostics", map[string]any{"severities": []string{"error"}})
	files, _ := a["files"].([]any)
	if a["total"] != float64(1) || len(files) != 1 || files[0].(map[string]any)["file_path"] != "a.py" {
		t.Errorf("%.1500v", a)
	}
}
