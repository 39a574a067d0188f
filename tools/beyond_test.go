package tools

import (
	"os"
	"path/filepath"
	"testing"

	"lspi/internal/testkit"
	"lspi/internal/testkit/sessions"
)

// A module that go.mod replaces by a path outside of the workspace is a part of the project: what changes there is in the
// next answer.
func TestReplacedModulesOutsideAreFollowed(t *testing.T) {
	t.Parallel()
	needServer(t, "gopls")
	dir := project(t, map[string]string{
		"work/.git/HEAD": "",
		"work/go.mod":    "module m\n\ngo 1.24\n\nrequire example.com/dep v0.0.0\n\nreplace example.com/dep => ../dep\n",
		"work/a.go":      "package m\n\nimport \"example.com/dep\"\n\nvar X = dep.Z()\n",
		"dep/go.mod":     "module example.com/dep\n\ngo 1.24\n",
		"dep/d.go":       "package dep\n\nfunc Z() int { return 1 }\n",
	})
	env := sessions.Real(t, filepath.Join(dir, "work"), "gopls")
	write := func(text string) {
		t.Helper()
		testkit.Must(t, os.WriteFile(filepath.Join(dir, "dep", "d.go"), []byte(text), 0o644))
	}
	check := func(errors float64, line any) {
		t.Helper()
		if a := run(t, env, "get_diagnostics", map[string]any{"file_path": "a.go"}); a["total"] != errors || a["completeness"] != "complete" {
			t.Errorf("%v errors wanted: %v", errors, a)
		}
		a := run(t, env, "find_definition", map[string]any{"file_path": "a.go", "line": 5, "symbol_name": "Z"})
		all := a["definitions"].([]any)
		if line == nil {
			equal(t, "definitions", len(all), 0)
		} else {
			equal(t, "line", all[0].(map[string]any)["line"], line)
		}
	}
	check(0, 3.0)
	write("package dep\n\n\n\n// Z moved.\nfunc Z() int { return 1 }\n")
	check(0, 6.0)
	write("package dep\n\nfunc Z2() int { return 1 }\n")
	check(1, nil)
	write("package dep\n\nfunc Z() int { return 1 }\n")
	check(0, 3.0)
}
