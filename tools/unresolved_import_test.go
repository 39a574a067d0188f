package tools

import (
	"fmt"
	"strings"
	"testing"

	"lspi/internal/testkit/sessions"
)

// What goes through a package that is not installed pyright cannot follow (1.1.414): such a use is named, and the rename of what it may
// use is not offered. Whom the package does not concern has a complete answer.
func TestUsesThroughAPackageThatIsNotInstalled(t *testing.T) {
	t.Parallel()
	needServer(t, "pyright")
	env := sessions.Real(t, project(t, map[string]string{"pyproject.toml": "[project]\nname = \"x\"\nversion = \"0\"\n",
		"base.py": "class A:\n    def render(self) -> int:\n        return 1\n\n\ndef plain() -> int:\n    return 1\n",
		"use.py": "from missing_dep import Mixin, make\nfrom base import A, plain\n\n\nclass B(Mixin, A):\n    pass\n\n\n" +
			"B().render()\nmake(A).render()\nplain()\n",
	}), "pyright")
	render := map[string]any{"file_path": "base.py", "symbol_name": "render"}
	a := run(t, env, "find_references", render)
	if text := fmt.Sprint(a["warnings"]); a["completeness"] != "partial" || !strings.Contains(text, "dynamic_uses") || !strings.Contains(text, "use.py:10") {
		t.Errorf("through the package: %v", a)
	}
	render["new_name"] = "draw"
	if a := run(t, env, "rename_symbol", render); a["completeness"] != "partial" || strings.Contains(fmt.Sprint(a["next_steps"]), "Apply exactly") {
		t.Errorf("the rename: %v", a)
	}
	if a := run(t, env, "find_references", map[string]any{"file_path": "base.py", "symbol_name": "plain"}); a["completeness"] != "complete" || a["total"] != 3.0 {
		t.Errorf("beside the package: %v", a)
	}
	if a := run(t, env, "get_diagnostics", map[string]any{"file_path": "use.py"}); a["total"] != 1.0 || !strings.Contains(fmt.Sprint(a["files"]), "reportMissingImports") {
		t.Errorf("diagnostics: %v", a)
	}
}
