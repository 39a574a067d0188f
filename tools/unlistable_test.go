//go:build linux

package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/internal/testkit/sessions"
)

// Nobody knows what a folder holds that this user may not list or enter. One that no build looks into does not matter.
func TestFoldersThatCannotBeListed(t *testing.T) {
	if !asUser(t) {
		return
	}
	for _, c := range []struct {
		server, program, home, name string
		files                       map[string]string
		more                        string // a file in a folder of its own, which uses the name once
		beside                      string // a folder that does not matter
		total                       float64
	}{
		{"gopls", "gopls", "lib/lib.go", "Greet", map[string]string{
			"go.mod": "module ex.com/m\n\ngo 1.24\n", "lib/lib.go": "package lib\n\nfunc Greet() int { return 1 }\n",
			"more/a.go": "package more\n\nimport \"ex.com/m/lib\"\n\nvar A = lib.Greet()\n", "testdata/x.go": "package x\n",
		}, "more/a.go", "testdata", 2},
		{"pyright", "pyright-langserver", "lib.py", "greet", map[string]string{
			"pyproject.toml": "[tool.pyright]\n", "lib.py": "def greet():\n    return 1\n",
			"more/a.py": "import lib\n\nx: int = lib.greet()\n", "node_modules/x.py": "",
		}, "more/a.py", "node_modules", 2},
		{"typescript-language-server", "typescript-language-server", "src/lib.ts", "greet", map[string]string{
			"tsconfig.json": `{"compilerOptions": {"strict": true}, "include": ["src"]}`, "src/lib.ts": "export function greet() {\n  return 1;\n}\n",
			"src/more/a.ts": "import { greet } from \"../lib\";\nexport const a = greet();\n", ".cache/x.ts": "",
		}, "src/more/a.ts", ".cache", 3},
	} {
		t.Run(c.server, func(t *testing.T) {
			needServer(t, c.program)
			dir := project(t, c.files)
			mode := func(name string, mode os.FileMode) {
				t.Helper()
				testkit.Must(t, os.Chmod(filepath.Join(dir, name), mode))
			}
			folder := filepath.Dir(c.more)
			t.Cleanup(func() { mode(folder, 0o755); mode(c.beside, 0o755) })
			mode(c.beside, 0)
			env := sessions.Real(t, dir, c.server)
			symbol := map[string]any{"file_path": c.home, "symbol_name": c.name}
			rename := map[string]any{"file_path": c.home, "symbol_name": c.name, "new_name": "welcome"}
			whole := func(when string) {
				t.Helper()
				if a := run(t, env, "find_references", symbol); a["completeness"] != "complete" || a["total"] != c.total {
					t.Errorf("%s: %v", when, a)
				}
			}
			lacks := func(when string) {
				t.Helper()
				for tool, arguments := range map[string]map[string]any{"find_references": symbol, "rename_symbol": rename} {
					a := run(t, env, tool, arguments)
					if a["completeness"] == "complete" || !strings.Contains(fmt.Sprint(a["warnings"], a["error"]), folder+"/") {
						t.Errorf("%s, %s: %v", when, tool, a)
					}
				}
				file := firstOf(run(t, env, "rename_symbol", rename), "files")
				if file["before_sha256"] == nil {
					return // there was not even a preview
				}
				a := run(t, env, "rename_symbol", map[string]any{"file_path": c.home, "symbol_name": c.name, "new_name": "welcome", "dry_run": false,
					"expected_before_sha256": map[string]any{c.home: file["before_sha256"]}})
				if a["ok"] != false || !strings.Contains(fmt.Sprint(a["error"]), "file_unreadable") {
					t.Errorf("%s, applied: %v", when, a)
				}
			}
			mode(folder, 0)
			lacks("from the beginning")
			mode(folder, 0o755)
			whole("listed again")
			mode(folder, 0o444)
			lacks("not to be entered")
			mode(folder, 0o755)
			whole("entered again")
		})
	}
}
