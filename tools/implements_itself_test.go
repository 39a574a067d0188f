package tools

import (
	"fmt"
	"strings"
	"testing"

	"lspi/internal/testkit/sessions"
)

// basedpyright counts the definition itself, asked from wherever (1.40.1).
func TestImplementationsWithoutTheDefinition(t *testing.T) {
	t.Parallel()
	needServer(t, "basedpyright-langserver")
	env := sessions.Real(t, project(t, map[string]string{"pyrightconfig.json": "{}",
		"a.py": "class A:\n    def m(self) -> int:\n        return 1\n\n\nclass B(A):\n    def m(self) -> int:\n        return 2\n\n\nclass C(B):\n    pass\n\n\nx = A()\nx.m()\n"}), "basedpyright")
	for _, c := range []struct {
		name  string
		line  int
		total float64
		not   string
	}{
		{"A", 1, 2, "1:7"}, {"A", 15, 2, "1:7"}, {"m", 2, 1, "2:9"}, {"m", 16, 1, "2:9"}, {"C", 11, 0, "11:7"},
	} {
		a := run(t, env, "find_implementations", map[string]any{"file_path": "a.py", "line": c.line, "symbol_name": c.name})
		if a["total"] != c.total || a["completeness"] != "complete" || strings.Contains(fmt.Sprint(a["files"]), "["+c.not) {
			t.Errorf("%s in line %d: %v", c.name, c.line, a)
		}
	}
}
