package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lspi/internal/testkit"
	"lspi/tools/answer"
	"lspi/tools/toolstest"
)

// What a module declares is used by texts, by imports that pyright does not find, of modules that are known only
// when the program runs, by parameters of tests, and by the other names of imports; pyright has none of these in
// references and callers (1.1.414).
func TestUsesByNameThatPyrightDoesNotFollow(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "pyright-langserver")
	session := toolstest.Real(t, project(t, map[string]string{
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
	// so that the search for names does not end early on a busy machine
	session.Settings.CallTimeout = 10 * testkit.Patience
	for _, q := range []struct {
		file, symbol, want string
		total              float64
	}{
		{"pkg/core.py", "load", "map[app.py:2 tests/test_core.py:2]", 1},
		{"pkg/core.py", "lazy", "map[app.py:1]", 3},
		{"pkg/core.py", "Box.open", "map[tests/test_core.py:1]", 1},
		{"lib/apart.py", "libfun", "map[scripts/tool.py:2]", 1},
		{"tests/conftest.py", "box", "map[tests/test_core.py:1]", 1},
		{"pkg/core.py", "plain", "", 5}, // with simple and simplest
		{"pkg/core.py", "named", "", 3},
		{"pkg/core.py", "found", "", 2},
		{"pkg/core.py", "given", "", 1},
		{"pkg/core.py", "Box.shut", "", 1},
		{"lib/apart.py", "get", "", 1},
		{"pkg/kinds.py", "T.key", "map[far.py:1 keyed.py:8]", 3},
		{"pkg/kinds.py", "T.free", "", 3},
		{"pkg/kinds.py", "Sub.below", "", 1},
		{"pkg/kinds.py", "Color.RED", "map[keyed.py:2]", 1},
		{"pkg/kinds.py", "Color.BLUE", "", 1},
		{"pkg/kinds.py", "Point.px", "map[keyed.py:2]", 2},
		{"pkg/kinds.py", "Point.py", "", 1},
		{"pkg/kinds.py", "Usual.own", "map[keyed.py:1]", 1},
		{"beside.py", "both", "", 5},
		{"beside.py", "K.meth", "", 3},
	} {
		a := run(t, session, "find_references", map[string]any{"file_path": q.file, "symbol_name": q.symbol})
		if got := dynamicOf(a); got != q.want || a["total"] != q.total ||
			(a["completeness"] == "complete") != (warningOf(a, "unexplained") == nil) {
			t.Errorf("%s: %s of %v, want %s: %v", q.symbol, got, a["total"], q.want, a)
		}
	}
	// what has no definition because the program decides what it is, and what the server knows
	for _, q := range []struct {
		file   string
		line   int
		symbol string
		want   string
	}{
		{"app.py", 6, "lazy", "does not find what lazy means at app.py:6"},
		{"tests/test_core.py", 6, "x", "does not find what x means"}, {"app.py", 16, "found", ""},
		{"app.py", 8, "load", "does not find what load means"}, {"uses.py", 6, "meth", ""},
	} {
		a := run(t, session, "find_definition", map[string]any{"file_path": q.file, "line": q.line,
			"symbol_name": q.symbol})
		if said := fmt.Sprint(a["warnings"]); (a["completeness"] == "complete") != (q.want == "") ||
			!strings.Contains(said, q.want) {
			t.Errorf("definition of %s at %s:%d: %v", q.symbol, q.file, q.line, a)
		}
	}
	callers := run(t, session, "call_hierarchy", map[string]any{"file_path": "pkg/core.py", "symbol_name": "plain"})
	if said := fmt.Sprint(callers["warnings"]); callers["completeness"] != "partial" ||
		!strings.Contains(said, "there are 3 uses by such names, the first at app.py:13") {
		t.Errorf("%v", callers)
	}
	callers = run(t, session, "call_hierarchy", map[string]any{"file_path": "beside.py", "symbol_name": "both"})
	if said := fmt.Sprint(callers["incoming"]); callers["completeness"] != "complete" ||
		!strings.Contains(said, "user") || !strings.Contains(said, "meth") {
		t.Errorf("%v", callers)
	}
	renamed := run(t, session, "rename_symbol", map[string]any{"file_path": "beside.py", "symbol_name": "both",
		"new_name": "other"})
	if files, _ := renamed["files"].([]any); len(files) != 3 || renamed["completeness"] != "complete" {
		t.Errorf("%v", renamed)
	}
	preview := run(t, session, "rename_symbol", map[string]any{"file_path": "pkg/core.py", "symbol_name": "load",
		"new_name": "loaded"})
	if dynamicOf(preview) == "" || strings.Contains(fmt.Sprint(preview["next_steps"]), "kind:tool") {
		t.Errorf("%v", preview)
	}
	preview = run(t, session, "rename_symbol", map[string]any{"file_path": "pkg/kinds.py", "symbol_name": "Color.RED",
		"new_name": "CRIMSON"})
	if dynamicOf(preview) != "map[keyed.py:2]" || strings.Contains(fmt.Sprint(preview["next_steps"]), "kind:tool") {
		t.Errorf("%v", preview)
	}
	wantDynamicTrials(t, session, "pkg/kinds.py", []dynamicTrial{
		{"    px: int\n", "    pz: int\n", "map[keyed.py:2]"}, {"    RED = 1\n", "", "map[keyed.py:2]"},
		{"    BLUE = 2\n", "", ""},
	})
}

// What a server says of a dependency's source that it has open is nothing about the workspace: pyright finds 59
// errors in Python's own os.py once a definition led there.
func TestWorkspaceDiagnosticsAreOfTheWorkspace(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "pyright")
	dir := project(t, map[string]string{"a.py": "import os\n\nx: int = os.getcwd()\n"})
	session := toolstest.Real(t, dir, "pyright")
	def := run(t, session, "find_definition", map[string]any{"file_path": "a.py", "line": 1, "symbol_name": "os"})
	places, _ := def["definitions"].([]any)
	if len(places) != 1 || !filepath.IsAbs(places[0].(map[string]any)["file_path"].(string)) {
		t.Fatalf("the definition is not outside: %v", def)
	}
	a := run(t, session, "get_diagnostics", map[string]any{"severities": []string{"error"}, "wait": "all"})
	files, _ := a["files"].([]any)
	if a["total"] != float64(1) || len(files) != 1 || files[0].(map[string]any)["file_path"] != "a.py" {
		t.Errorf("%.1500v", a)
	}
}

// basedpyright counts the definition itself, asked from wherever (1.40.1).
func TestImplementationsWithoutTheDefinition(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	for _, program := range []string{"basedpyright-langserver", "pyright-langserver", "ruff", "gopls"} {
		needServer(t, program)
	}
	dir := project(t, map[string]string{"pyrightconfig.json": "{}",
		"a.py": "class A:\n    def m(self) -> int:\n        return 1\n\n\nclass B(A):\n    def m(self) -> int:\n        return 2\n\n\nclass C(B):\n    pass\n\n\nx = A()\nx.m()\n",
		"w.py": "import textwrap\n\n\nclass W(textwrap.TextWrapper):\n    pass\n",
		// It leaves out folders whose names begin with a dot.
		".demo/d.py": "from a import A\n\n\nclass D(A):\n    def m(self) -> int:\n        return 3\n"})
	both := toolstest.Real(t, dir, "pyright", "basedpyright", "ruff", "gopls")
	for _, c := range []struct {
		name  string
		line  int
		total float64
		not   string
	}{
		{"A", 1, 3, "1:7"}, {"A", 15, 3, "1:7"}, {"m", 2, 2, "2:9"}, {"m", 16, 2, "2:9"}, {"C", 11, 0, "11:7"},
	} {
		a := run(t, both, "find_implementations", map[string]any{"file_path": "a.py", "line": c.line,
			"symbol_name": c.name})
		if a["total"] != c.total || a["completeness"] != "complete" || strings.Contains(fmt.Sprint(a["files"]),
			"["+c.not) {
			t.Errorf("%s in line %d: %v", c.name, c.line, a)
		}
	}
	// Once it has read the library, it lists the stub of it as well.
	wrapper := map[string]any{"file_path": "w.py", "line": 4, "symbol_name": "TextWrapper"}
	for _, tool := range []string{"find_implementations", "find_definition", "find_implementations"} {
		if a := run(t, both, tool, wrapper); tool == "find_implementations" && a["total"] != 1.0 {
			t.Errorf("of a class of the library: %v", a)
		}
	}
	// Beside pyright, which answers first and offers no implementations, a bundle has those of basedpyright.
	alone := run(t, both, "find_implementations", map[string]any{"file_path": "a.py", "symbol_name": "A"})
	equal(t, "who finds implementations", alone["server_id"], any("basedpyright"))
	a := run(t, both, "symbol_bundle", map[string]any{"file_path": "a.py", "symbol_name": "A"})
	equal(t, "implementations of a bundle", a["implementations"], alone["files"])
	equal(t, "bundle of two servers", fmt.Sprint(a["server_id"], kinds(a), a["completeness"]), "<nil>complete")
	// server_id picks one of the two, whichever would answer first.
	for tool, arguments := range map[string]map[string]any{
		"find_definition": {"file_path": "a.py", "line": 15, "symbol_name": "A"},
		"hover":           {"file_path": "a.py", "symbol_name": "A"},
		"find_references": {"symbol_name": "C"}, "call_hierarchy": {"file_path": "a.py", "line": 2, "symbol_name": "m"},
		"get_document_symbols": {"file_path": "a.py"}, "symbol_bundle": {"query": "C"},
	} {
		for _, server := range []string{"pyright", "basedpyright"} {
			arguments["server_id"] = server
			a := run(t, both, tool, arguments)
			equal(t, tool+" at "+server, fmt.Sprint(a["server_id"], a["ok"]), server+"true")
		}
	}
	picked := func(tool, server string) reply {
		return run(t, both, tool, map[string]any{"file_path": "a.py", "symbol_name": "A", "server_id": server})
	}
	a = picked("symbol_bundle", "pyright")
	equal(t, "bundle of pyright", fmt.Sprint(a["server_id"], kinds(a), a["implementations"]), "pyrightnot_offered<nil>")
	a = picked("find_implementations", "pyright")
	equal(t, "implementations of pyright", a["error"].(map[string]any)["kind"], any("unsupported"))
	follow := func(a reply, want string) {
		t.Helper()
		equal(t, "error", a["error"].(map[string]any)["kind"], any("invalid_params"))
		for _, s := range a["next_steps"].([]any) {
			if step := s.(map[string]any); step["message"] == "Ask basedpyright, which serves the file too." {
				equal(t, "step", run(t, both, step["tool"].(string), step["arguments"].(map[string]any))["server_id"],
					any("basedpyright"))
				testkit.Holds(t, a["error"].(map[string]any)["message"].(string), want,
					"the error does not name the servers")
				return
			}
		}
		t.Errorf("no step to the server of the file: %v", a)
	}
	for _, other := range []string{"ruff", "gopls"} {
		follow(picked("find_references", other), "pyright, basedpyright")
	}
	a = run(t, both, "find_references", map[string]any{"symbol_name": "A", "server_id": "gopls"})
	equal(t, "serves nothing here", a["error"].(map[string]any)["kind"], any("invalid_params"))
	a = picked("hover", "pyrigth")
	testkit.Holds(t, a["error"].(map[string]any)["message"].(string), `closest is "pyright"`, "unknown server")
	a = run(t, both, "get_document_symbols", map[string]any{"file_path": ".", "server_id": "pyright"})
	equal(t, "a folder", a["error"].(map[string]any)["kind"], any("invalid_params"))
}

// References that somebody gave up leave pyright and basedpyright as they were.
func TestPyrightAfterCancelledReferences(t *testing.T) {
	for _, c := range []struct{ server, program string }{{"pyright", "pyright-langserver"},
		{"basedpyright", "basedpyright-langserver"}} {
		t.Run(c.server, func(t *testing.T) {
			testkit.Always(t, c.server)
			t.Parallel()
			needServer(t, c.program)
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			session := toolstest.Real(t,
				project(t, map[string]string{"pyproject.toml": "", "a.py": "def aim():\n    pass\naim()\n",
					"b.py": "import a\na.aim()\n"}), c.server)
			aim := func(ctx context.Context) Result {
				return Run(ctx, session, nil,
					answer.Request{Tool: "find_references",
						Arguments: json.RawMessage(`{"file_path":"a.py","line":1,"character":5}`)})
			}
			aim(ctx)
			for n := range 30 {
				short, giveUp := context.WithTimeout(ctx, time.Duration(n)*100*time.Microsecond)
				aim(short)
				giveUp()
			}
			if r := aim(ctx); !r.OK {
				t.Errorf("%s", r.Structured)
			}
		})
	}
}

// What goes through a package that is not installed pyright cannot follow (1.1.414): such a use is named, and the
// rename of what it may use is not offered. Whom the package does not concern has a complete answer.
func TestUsesThroughAPackageThatIsNotInstalled(t *testing.T) {
	testkit.Always(t, "pyright") // TestMissingPackagesLimitWhatGoesThroughThem is the same of TypeScript
	t.Parallel()
	needServer(t, "pyright")
	session := toolstest.Real(t,
		project(t, map[string]string{"pyproject.toml": "[project]\nname = \"x\"\nversion = \"0\"\n",
			"base.py": "class A:\n    def render(self) -> int:\n        return 1\n\n\ndef plain() -> int:\n    return 1\n",
			"use.py": "from missing_dep import Mixin, make\nfrom base import A, plain\n\n\nclass B(Mixin, A):\n    pass\n\n\n" +
				"B().render()\nmake(A).render()\nplain()\n",
		}), "pyright")
	render := map[string]any{"file_path": "base.py", "symbol_name": "render"}
	a := run(t, session, "find_references", render)
	if text := fmt.Sprint(a["warnings"]); a["completeness"] != "partial" || !strings.Contains(text, "unexplained") ||
		!strings.Contains(text, "use.py:10") {
		t.Errorf("through the package: %v", a)
	}
	render["new_name"] = "draw"
	if a := run(t, session, "rename_symbol", render); a["completeness"] != "partial" ||
		strings.Contains(fmt.Sprint(a["next_steps"]), "Apply exactly") {
		t.Errorf("the rename: %v", a)
	}
	if a := run(t, session, "find_references",
		map[string]any{"file_path": "base.py", "symbol_name": "plain"}); a["completeness"] != "complete" ||
		a["total"] != 3.0 {
		t.Errorf("beside the package: %v", a)
	}
	if a := run(t, session, "get_diagnostics", map[string]any{"file_path": "use.py"}); a["total"] != 1.0 ||
		!strings.Contains(fmt.Sprint(a["files"]), "reportMissingImports") {
		t.Errorf("diagnostics: %v", a)
	}
}

// The overloads of a function lead to each other. They are no callers of another one that has the name, and looked at
// once.
func TestCallersBesideOverloads(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "pyright-langserver")
	dir := project(t, map[string]string{"pyrightconfig.json": "{}",
		"types.py": "from typing import overload\n\n\nclass Box:\n" +
			"    @overload\n    def convert(self, value: int) -> int: ...\n" +
			"    @overload\n    def convert(self, value: str) -> str: ...\n" +
			"    def convert(self, value):\n        return value\n\n\ndef boxed() -> int:\n    return Box().convert(1)\n",
		"units.py": "class Unit:\n    def convert(self) -> int:\n        return 1\n\n\n" +
			"def unit() -> int:\n    return Unit().convert()\n"})
	session := toolstest.Real(t, dir, "pyright")
	a := run(t, session, "call_hierarchy", map[string]any{"file_path": "units.py", "symbol_name": "Unit.convert",
		"direction": "incoming"})
	if text := fmt.Sprint(a["root"], a["calls"], a["incoming"]); a["completeness"] != "complete" ||
		!strings.Contains(text, "unit") || strings.Contains(text, "boxed") {
		t.Errorf("%v", a)
	}
}
