package tools

import (
	"fmt"
	"strings"
	"testing"

	"lspi/internal/testkit/sessions"
)

// What a module declares is used by texts, by imports that pyright does not find, of modules that are known only when the program
// runs, by parameters of tests, and by the other names of imports; pyright has none of these in references and callers (1.1.414).
func TestUsesByNameThatPyrightDoesNotFollow(t *testing.T) {
	t.Parallel()
	needServer(t, "pyright-langserver")
	env := sessions.Real(t, project(t, map[string]string{
		"pyrightconfig.json": "{}",
		"pkg/__init__.py":    "def __getattr__(name):\n    from .core import lazy\n    return lazy\n",
		"pkg/core.py": "def load(): pass\ndef lazy(): pass\ndef plain(): pass\ndef named(): pass\ndef found(): pass\ndef given(): pass\n\n\n" +
			"class Box:\n    def open(self): pass\n    def shut(self): pass\n",
		"lib/apart.py":    "def libfun(): pass\ndef get(): pass\n",
		"scripts/tool.py": "import sys\nsys.path.insert(0, \"lib\")\nfrom apart import (\n    libfun,\n)\nfrom missing import get\nlibfun()\nget()\n",
		"app.py": "import importlib\nimport pkg\nfrom pkg import core\nfrom pkg.core import plain as simple, named\n\npkg.lazy()\nm = importlib.import_module(\"pkg.core\")\nm.load()\n" +
			"getattr(core, \"load\")\n\n\ndef caller():\n    simple()\n    named()\n    core.found()\n",
		"more.py": "from app import simple as simplest\nsimplest()\nwith open(\"x\") as simple:\n    pass\n",
		"tests/test_core.py": "import pkg.core\nfrom unittest.mock import patch\n\n\ndef test(monkeypatch, box):\n    box.x\n    patch(\"pkg.core.load\")\n    patch(\"pkg.core.Box.open\")\n" +
			"    monkeypatch.setattr(pkg.core, \"load\", 1)\n    print(\"the load, named\", \"other.named\")  # core.named\n    \"\"\"core.named\"\"\"\n\n\ndef other(found, given): pass\n",
		"beside.py":  "def both(a):\n    return a\n\n\nclass K:\n    def meth(self): return both(1)\n",
		"beside.pyi": "def both(a: int) -> int: ...\nclass K:\n    def meth(self) -> int: ...\n",
		"uses.py":    "from beside import both, K\n\n\ndef user():\n    both(1)\n    K().meth()\n",
		"pkg/kinds.py": "from enum import IntEnum\nfrom typing import NamedTuple, TypedDict\n\n\nclass T(TypedDict):\n    key: int\n    free: int\n\n\nclass Sub(\n    T,\n):\n    below: int\n\n\n" +
			"class Base(IntEnum):\n    pass\n\n\nclass Color(Base):\n    RED = 1\n    BLUE = 2\n\n\nclass Point(NamedTuple):\n    px: int\n    py: int\n\n\nclass Usual:\n    own: int = 1\n",
		"keyed.py": "from pkg.kinds import T, Sub, Color, Point, Usual\n\n\ndef f(t: T, s: Sub, u, p: Point, d: dict[str, T]):\n    t[\"key\"]\n    t.get(\"key\", s[\"key\"])\n    u[\"key\"]\n    d[\"key\"]\n    d[\"own\"]\n" +
			"    a: T = {\"key\": 1, \"free\": 2}\n    b: dict[str, int] = {\"key\": 1}\n    \"key\" in t\n    T(key=1, free=2)\n    Color[\"RED\"]\n    p._replace(px=1)\n    p._replace(\n        px=1,\n    )\n    print(\"key\", \"RED\", p.px == 1)\n",
		"far.py":            "def g(u):\n    return u[\"key\"]\n",
		"tests/conftest.py": "import pytest\n\n\n@pytest.fixture(\n    scope=\"session\",\n)\ndef box():\n    return 1\n",
	}), "pyright")
	for _, q := range []struct {
		file, symbol, want string
		total              float64
	}{
		{"pkg/core.py", "load", "map[app.py:2 tests/test_core.py:2]", 1},
		{"pkg/core.py", "lazy", "map[app.py:1]", 3},
		{"pkg/core.py", "Box.open", "map[tests/test_core.py:1]", 1},
		{"lib/apart.py", "libfun", "map[scripts/tool.py:1]", 1},
		{"tests/conftest.py", "box", "map[tests/test_core.py:1]", 1},
		{"pkg/core.py", "plain", "", 5}, // with simple and simplest
		{"pkg/core.py", "named", "", 3},
		{"pkg/core.py", "found", "", 2},
		{"pkg/core.py", "given", "", 1},
		{"pkg/core.py", "Box.shut", "", 1},
		{"lib/apart.py", "get", "", 1},
		{"pkg/kinds.py", "T.key", "map[keyed.py:6]", 2},
		{"pkg/kinds.py", "T.free", "map[keyed.py:1]", 2},
		{"pkg/kinds.py", "Sub.below", "", 1},
		{"pkg/kinds.py", "Color.RED", "map[keyed.py:1]", 1},
		{"pkg/kinds.py", "Color.BLUE", "", 1},
		{"pkg/kinds.py", "Point.px", "map[keyed.py:2]", 2},
		{"pkg/kinds.py", "Point.py", "", 1},
		{"pkg/kinds.py", "Usual.own", "", 1},
		{"beside.py", "both", "", 5},
		{"beside.py", "K.meth", "", 3},
	} {
		a := run(t, env, "find_references", map[string]any{"file_path": q.file, "symbol_name": q.symbol})
		if got := dynamicOf(a); got != q.want || a["total"] != q.total || (a["completeness"] == "complete") != (q.want == "") {
			t.Errorf("%s: %s of %v, want %s: %v", q.symbol, got, a["total"], q.want, a)
		}
	}
	for _, q := range []struct { // what has no definition because the program decides what it is, and what the server knows
		file   string
		line   int
		symbol string
		want   string
	}{
		{"app.py", 6, "lazy", "__getattr__ at pkg/__init__.py:1"}, {"tests/test_core.py", 6, "x", "no type that it knows"}, {"app.py", 16, "found", ""},
		{"app.py", 8, "load", "__getattr__ at "}, {"uses.py", 6, "meth", ""},
	} {
		a := run(t, env, "find_definition", map[string]any{"file_path": q.file, "line": q.line, "symbol_name": q.symbol})
		if said := fmt.Sprint(a["warnings"]); (a["completeness"] == "complete") != (q.want == "") || !strings.Contains(said, q.want) {
			t.Errorf("definition of %s at %s:%d: %v", q.symbol, q.file, q.line, a)
		}
	}
	callers := run(t, env, "call_hierarchy", map[string]any{"file_path": "pkg/core.py", "symbol_name": "plain"})
	if said := fmt.Sprint(callers["warnings"]); callers["completeness"] != "partial" || !strings.Contains(said, "there are 3 uses by such names, the first at app.py:13") {
		t.Errorf("%v", callers)
	}
	callers = run(t, env, "call_hierarchy", map[string]any{"file_path": "beside.py", "symbol_name": "both"})
	if said := fmt.Sprint(callers["incoming"]); callers["completeness"] != "complete" || !strings.Contains(said, "user") || !strings.Contains(said, "meth") {
		t.Errorf("%v", callers)
	}
	renamed := run(t, env, "rename_symbol", map[string]any{"file_path": "beside.py", "symbol_name": "both", "new_name": "other"})
	if files, _ := renamed["files"].([]any); len(files) != 3 || renamed["completeness"] != "complete" {
		t.Errorf("%v", renamed)
	}
	preview := run(t, env, "rename_symbol", map[string]any{"file_path": "pkg/core.py", "symbol_name": "load", "new_name": "loaded"})
	if dynamicOf(preview) == "" || strings.Contains(fmt.Sprint(preview["next_steps"]), "kind:tool") {
		t.Errorf("%v", preview)
	}
	preview = run(t, env, "rename_symbol", map[string]any{"file_path": "pkg/kinds.py", "symbol_name": "Color.RED", "new_name": "CRIMSON"})
	if dynamicOf(preview) != "map[keyed.py:1]" || strings.Contains(fmt.Sprint(preview["next_steps"]), "kind:tool") {
		t.Errorf("%v", preview)
	}
	wantDynamicTrials(t, env, "pkg/kinds.py", []dynamicTrial{
		{"    px: int\n", "    pz: int\n", "map[keyed.py:2]"}, {"    RED = 1\n", "", "map[keyed.py:1]"}, {"    BLUE = 2\n", "", ""},
	})
}
