package tools

import (
	"fmt"
	"strings"
	"testing"

	"lspi/internal/testkit"
)

var overridesProject = sharing("overrides", &realProject{server: "pyright", program: "pyright-langserver", files: map[string]string{
	"pyrightconfig.json": "{}",
	"base.py": "from typing import Protocol\nimport threading\n\n\nclass Base:\n    limit = 1\n    def draw(self) -> int: ...\n    def alone(self) -> int: ...\n\n\n" +
		"class Renders(Protocol):\n    def render(self) -> int: ...\n\n\nclass Task(threading.Thread):\n    def run(self) -> None: ...\n",
	"kid.py": "import base as shapes\nfrom base import Base as B\n\n\nclass Kid(B):\n    limit = 2\n\n\nclass Grand(\n    Kid,  # of a kid\n):\n    def draw(self) -> int: ...\n\n\n" +
		"class Other:\n    def draw(self) -> int: ...\n    def alone(self) -> int: ...\n    def run(self) -> None: ...\n    def render(self) -> int: ...\n",
}})[0]

// pyright renames a member in one class and leaves the classes that override it, or that it overrides, so that the program
// breaks when it runs (pyright 1.1.414).
func TestARenameThatLeavesOverridesIsNotOffered(t *testing.T) {
	t.Parallel()
	env := overridesProject.session(t)
	for _, q := range []struct{ file, symbol, left string }{
		{"base.py", "Base.draw", "kid.py:12"},
		{"kid.py", "Grand.draw", "base.py:7"},
		{"base.py", "Base.limit", "kid.py:6"},
		{"base.py", "Renders.render", "kid.py:19"},
		{"kid.py", "Other.render", "base.py:12"},
		{"base.py", "Task.run", "threading.py"},
		{"base.py", "Base.alone", ""},
		{"kid.py", "Other.draw", ""},
	} {
		a := run(t, env, "rename_symbol", overridesProject.in(map[string]any{"file_path": q.file, "symbol_name": q.symbol, "new_name": "zz"}))
		said := fmt.Sprint(a["warnings"])
		if q.left == "" {
			testkit.Equal(t, a["completeness"], "complete", q.symbol, a)
			continue
		}
		if !strings.Contains(said, "uses_left") || !strings.Contains(said, q.left) || strings.Contains(said, "kid.py:16") ||
			a["completeness"] != "partial" || strings.Contains(fmt.Sprint(a["next_steps"]), "kind:tool") {
			t.Errorf("%s: %s, want %s: %v", q.symbol, said, q.left, a)
		}
	}
}
