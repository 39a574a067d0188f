//go:build unix

package tools

import (
	"fmt"
	"strings"
	"testing"

	"lspi/internal/testkit/sessions"
)

// Behind an error in a package gopls runs few of its analysers, and behind one in the syntax ruff runs no rule (gopls 0.23.0, ruff
// 0.17.5): what these said before is not cured by the edit that brings the error.
func TestAnErrorCuresNothing(t *testing.T) {
	for _, c := range []struct {
		server, program string
		files           map[string]string
		edits           []string
		want            []string // the vanishing findings of a real cure
		cure            []string
	}{
		{"gopls", "gopls", map[string]string{"go.mod": "module ex.com/gp\n\ngo 1.24\n",
			"a/a.go": "package a\n\nimport \"fmt\"\n\nfunc Foo() int {\n\tfmt.Printf(\"%d\\n\", \"x\")\n\treturn 1\n}\n",
			"a/b.go": "package a\n\nfunc Bar() int { return Foo() }\n"},
			[]string{"a/b.go", "return Foo()", "return \"x\""}, []string{"-a/a.go:6"}, []string{"a/a.go", "\"x\"", "1"}},
		{"ruff", "ruff", map[string]string{"pyproject.toml": "[tool.ruff]\n", "a.py": "import os\n\n\ndef f():\n    return 1\n"},
			[]string{"a.py", "return 1", "return (1"}, []string{"-a.py:1"}, []string{"a.py", "import os\n", "\n"}},
	} {
		t.Run(c.server, func(t *testing.T) {
			needServer(t, c.program)
			env := sessions.Real(t, project(t, c.files), c.server)
			a := tryEdits(t, env, c.edits...)
			if a["ok"] != true || fmt.Sprint(a["vanishes"]) != "[]" || fmt.Sprint(a["appears"]) == "[]" {
				t.Errorf("an error: %v", a)
			}
			a = tryEdits(t, env, c.cure...)
			var gone []string
			for _, d := range differs(a) {
				if strings.HasPrefix(d, c.want[0]) {
					gone = append(gone, d)
				}
			}
			if len(gone) != 1 || fmt.Sprint(a["appears"]) != "[]" {
				t.Errorf("a cure: %v", a)
			}
		})
	}
}
