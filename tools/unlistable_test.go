//go:build linux

package tools

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lspi/internal/testkit"
	"lspi/tools/toolstest"
)

// Nobody knows what a folder holds that this user may not list or enter. One that no build looks into does not matter.
func TestFoldersThatCannotBeListed(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
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
			"more/a.go":     "package more\n\nimport \"ex.com/m/lib\"\n\nvar A = lib.Greet()\n",
			"testdata/x.go": "package x\n",
		}, "more/a.go", "testdata", 2},
		{"pyright", "pyright-langserver", "lib.py", "greet", map[string]string{
			"pyproject.toml": "[tool.pyright]\n", "lib.py": "def greet():\n    return 1\n",
			"more/a.py": "import lib\n\nx: int = lib.greet()\n", "node_modules/x.py": "",
		}, "more/a.py", "node_modules", 2},
		{"typescript-language-server", "typescript-language-server", "src/lib.ts", "greet", map[string]string{
			"tsconfig.json": `{"compilerOptions": {"lib": ["es2022"], "strict": true}, "include": ["src"]}`,
			"src/lib.ts":    "export function greet() {\n  return 1;\n}\n",
			"src/more/a.ts": "import { greet } from \"../lib\";\nexport const a = greet();\n", ".cache/x.ts": "",
		}, "src/more/a.ts", ".cache", 3},
	} {
		t.Run(c.server, func(t *testing.T) {
			testkit.Always(t, c.server, "gopls")
			needServer(t, c.program)
			dir := project(t, c.files)
			mode := func(name string, mode os.FileMode) {
				t.Helper()
				testkit.Must(t, os.Chmod(filepath.Join(dir, name), mode))
			}
			folder := filepath.Dir(c.more)
			t.Cleanup(func() { mode(folder, 0o755); mode(c.beside, 0o755) })
			mode(c.beside, 0)
			session := toolstest.Real(t, dir, c.server)
			symbol := map[string]any{"file_path": c.home, "symbol_name": c.name}
			rename := map[string]any{"file_path": c.home, "symbol_name": c.name, "new_name": "welcome"}
			whole := func(when string) {
				t.Helper()
				if a := run(t, session, "find_references", symbol); a["completeness"] != "complete" ||
					a["total"] != c.total {
					t.Errorf("%s: %v", when, a)
				}
			}
			lacks := func(when string) {
				t.Helper()
				for tool, arguments := range map[string]map[string]any{"find_references": symbol,
					"rename_symbol": rename} {
					a := run(t, session, tool, arguments)
					if a["completeness"] == "complete" || !strings.Contains(fmt.Sprint(a["warnings"], a["error"]),
						folder+"/") {
						t.Errorf("%s, %s: %v", when, tool, a)
					}
				}
				preview := run(t, session, "rename_symbol", rename)
				if preview["preview_id"] == nil {
					return // there was not even a preview
				}
				a := run(t, session, "rename_symbol", map[string]any{"file_path": c.home, "symbol_name": c.name,
					"new_name": "welcome", "dry_run": false,
					"preview_id": preview["preview_id"]})
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

// asUser reports whether modes count for this process. For root the test runs once more without root's right to read
// everything, and is over here.
func asUser(t *testing.T) bool {
	t.Helper()
	const marker = "LSPI_TEST_AS_USER"
	if os.Geteuid() != 0 || os.Getenv(marker) != "" {
		return true
	}
	const rights = "-dac_override,-dac_read_search"
	cmd := exec.Command("setpriv", "--bounding-set="+rights, "--inh-caps="+rights, os.Args[0], "-test.run=^"+t.Name()+
		"$", "-test.v")
	cmd.Env = append(os.Environ(), marker+"=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	return false
}

// A source that cannot be read, or has no name that a server could be told, is missing from every answer about the
// project, and the servers say nothing of it.
func TestFilesThatCannotBeReadOrNamed(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	if !asUser(t) {
		return
	}
	use := func(word string) string {
		return fmt.Sprintf("from lib import greet\n\n\ndef %s():\n    return greet()\n", word)
	}
	for _, c := range []struct {
		server, program, home, bad, beside string
		files                              map[string]string
		total                              float64
	}{
		{"gopls", "gopls", "lib/lib.go", "app/two.go", "testdata/x.go", map[string]string{
			"go.mod":        "module ex.com/m\n\ngo 1.24\n",
			"lib/lib.go":    "package lib\n\nfunc greet() int { return 1 }\nfunc Greet() int { return greet() }\n",
			"app/one.go":    "package app\n\nimport \"ex.com/m/lib\"\n\nvar One string = lib.Greet()\n",
			"app/two.go":    "package app\n\nimport \"ex.com/m/lib\"\n\nvar Two = lib.Greet()\n",
			"testdata/x.go": "package x\n",
		}, 3},
		{"pyright", "pyright-langserver", "lib.py", "two.py", "node_modules/x.py", map[string]string{
			"pyproject.toml": "[tool.pyright]\n", "lib.py": "def greet():\n    return 1\n", "one.py": use("one") +
				"\n\nx: int = \"\"\n", "two.py": use("two"),
			"node_modules/x.py": "",
		}, 5},
	} {
		t.Run(c.server, func(t *testing.T) {
			testkit.Always(t, c.server, "gopls")
			needServer(t, c.program)
			dir := project(t, c.files)
			session := toolstest.Real(t, dir, c.server)
			name := map[string]string{"gopls": "Greet", "pyright": "greet"}[c.server]
			symbol := map[string]any{"file_path": c.home, "symbol_name": name}
			if a := run(t, session, "find_references", symbol); a["completeness"] != "complete" ||
				a["total"] != c.total {
				t.Fatalf("at first: %v", a)
			}
			lacks := func(when, shown string) {
				t.Helper()
				for tool, arguments := range map[string]map[string]any{"find_references": symbol,
					"get_diagnostics": {"file_path": filepath.Dir(c.bad) + "/one" + filepath.Ext(c.bad)},
					"rename_symbol":   {"file_path": c.home, "symbol_name": name, "new_name": "welcome"}} {
					a := run(t, session, tool, arguments)
					if e := fmt.Sprint(a["error"]); a["ok"] == false && strings.Contains(e, "file_unreadable") &&
						strings.Contains(e, shown) {
						continue // refused, for this reason
					}
					if w := firstOf(a, "warnings"); a["completeness"] != "partial" ||
						w["kind"] != "unreadable_files" || fmt.Sprint(w["files"]) != "["+shown+"]" {
						t.Errorf("%s, %s: %v", when, tool, a)
					}
				}
				preview := run(t, session, "rename_symbol", map[string]any{"file_path": c.home, "symbol_name": name,
					"new_name": "welcome"})
				if preview["preview_id"] == nil {
					return // there was not even a preview
				}
				a := run(t, session, "rename_symbol", map[string]any{"file_path": c.home, "symbol_name": name,
					"new_name": "welcome", "dry_run": false,
					"preview_id": preview["preview_id"]})
				if a["ok"] != false || !strings.Contains(fmt.Sprint(a["error"]), "file_unreadable") {
					t.Errorf("%s, applied: %v", when, a)
				}
			}
			mode := func(name string, mode os.FileMode) {
				t.Helper()
				testkit.Must(t, os.Chmod(filepath.Join(dir, name), mode))
			}
			// The go command (1.26.8) keeps what it found in a folder by the names, times and sizes of its files,
			// once all are older than 2 s.
			for name := range c.files {
				testkit.Must(t, os.Chtimes(filepath.Join(dir, name), time.Time{}, time.Now().Add(-time.Hour)))
			}
			mode(c.beside, 0)
			mode(c.bad, 0)
			lacks("not readable", c.bad)
			mode(c.bad, 0o644)
			odd := filepath.Join(dir, filepath.Dir(c.bad), "caf\xe9"+filepath.Ext(c.bad))
			if err := os.Rename(filepath.Join(dir, c.bad), odd); err != nil {
				t.Skipf("this file system has names in UTF-8 only: %v", err)
			}
			lacks("not UTF-8", filepath.Join(filepath.Dir(c.bad), `caf\xe9`+filepath.Ext(c.bad)))
			testkit.Must(t, os.Rename(odd, filepath.Join(dir, c.bad)))
			mode(c.beside, 0o644) // no server reads it, but it may use the name
			if a := run(t, session, "find_references", symbol); a["completeness"] != "complete" ||
				a["total"] != c.total {
				t.Errorf("mended: %v", a)
			}
		})
	}
}
