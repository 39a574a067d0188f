package tools

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/tools/toolstest"
)

// A text that cast, TypeVar or NewType take as a type is in no references and no rename, other than one of an
// annotation (pyright 1.1.414, basedpyright 1.40.1): each is told, and nothing that is no such text.
func TestTypesInTexts(t *testing.T) {
	testkit.OwnServer(t)
	const head = "import typing as t\nfrom typing import cast\nfrom core import Context\n\n\n"
	for _, server := range []string{"pyright", "basedpyright"} {
		t.Run(server, func(t *testing.T) {
			testkit.Always(t, server, "pyright")
			t.Parallel()
			needServer(t, map[string]string{"pyright": "pyright", "basedpyright": "basedpyright-langserver"}[server])
			dir := project(t, map[string]string{"pyrightconfig.json": "{}", "core.py": "class Context:\n    pass\n",
				"other.py": "from typing import cast\n\n\nclass Context:\n    pass\n\n\ncast(\"Context\", 1)\n"})
			session := toolstest.Real(t, dir, server)
			for _, c := range []struct{ code, want string }{
				{"def f(y):\n    return t.cast(\"Context\", y)\n", "use.py:7"},
				{"def f(y):\n    return cast('Context', y)\n", "use.py:7"},
				{"def f(y):\n    return cast(\"t.List[Context]\", y)\n", "use.py:7"},
				{"def f(y):\n    return cast(t.Dict[\"int\", \"Context\"], y)\n", "use.py:7"},
				{"def f(y):\n    return cast(\n        \"Context\",\n        y,\n    )\n", "use.py:8"},
				{"T = t.TypeVar(\"T\", bound=\"Context\")\n", "use.py:6"},
				{"C = t.NewType(\"C\", \"Context\")\n", "use.py:6"},
				{"def f(x: \"Context\") -> \"t.List[Context]\":\n    y: \"Context\" = cast(Context, x)\n    return [y]\n", ""},
				{"def f(y):\n    return cast(str, \"Context\")\n\n\nprint(\"Context\", {\"Context\": 1})\n", ""},
			} {
				testkit.Write(t, filepath.Join(dir, "use.py"), head+c.code)
				class := map[string]any{"file_path": "core.py", "symbol_name": "Context"}
				a := run(t, session, "find_references", class)
				class["new_name"] = "Scope"
				b := run(t, session, "rename_symbol", class)
				for _, a := range []reply{a, b} {
					text := fmt.Sprint(a["warnings"])
					told := c.want == "" || strings.Contains(text, "use.py") && strings.Contains(text, "line:"+c.want[len("use.py:"):])
					if a["completeness"] != "complete" || !strings.Contains(text, "mentions") || !told ||
						strings.Contains(fmt.Sprint(a["next_steps"]), "Apply exactly") {
						t.Errorf("%s: %v", c.code, a)
					}
				}
			}
		})
	}
}
