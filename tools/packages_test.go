package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/tools/session"
	"lspi/tools/toolstest"
)

// What a package manager installs is in the next answer, and what it has not installed makes answers about the whole
// project partial: tsserver keeps what it could not resolve (6.0.2).
func TestInstalledPackagesAreSeenAtOnce(t *testing.T) {
	testkit.OwnServer(t)
	needServer(t, "typescript-language-server")
	t.Setenv("PATH", os.Getenv("PATH")+string(os.PathListSeparator)+fakePrograms(t, "yarn"))
	dir := project(t, map[string]string{
		"tsconfig.json": `{"compilerOptions":{"lib":["es2022"],"strict":true,"module":"nodenext"}}`,
		"package.json":  `{"name":"t","dependencies":{"dep":"1.0.0"}}`,
		"yarn.lock":     "",
		"a.ts":          "import { foo } from \"dep\";\nexport function a() { return foo(); }\n",
	})
	session := toolstest.Real(t, dir, "typescript-language-server")
	at := map[string]any{"file_path": "a.ts", "line": 2, "symbol_name": "foo"}
	file := map[string]any{"file_path": "a.ts"}
	missing := func() {
		t.Helper()
		if a := run(t, session, "get_diagnostics", file); a["total"] != 1.0 || a["completeness"] != "complete" {
			t.Errorf("%v", a)
		}
		a := run(t, session, "find_references", at)
		equal(t, "warnings", kinds(a), "unresolved_name dependencies_missing")
		equal(t, "completeness", a["completeness"], any("partial"))
		// behind a look at the import
		equal(t, "step", a["next_steps"].([]any)[1].(map[string]any)["command"], any("yarn install"))
	}
	there := func(column float64) {
		t.Helper()
		if a := run(t, session, "get_diagnostics", file); a["total"] != 0.0 {
			t.Errorf("%v", a)
		}
		a := run(t, session, "find_definition", at)["definitions"].([]any)[0].(map[string]any)
		if a["file_path"] != "node_modules/dep/index.d.ts" || a["character"] != column {
			t.Errorf("%v", a)
		}
		if a := run(t, session, "find_references", at); a["completeness"] != "complete" {
			t.Errorf("%v", a)
		}
	}
	modules := filepath.Join(dir, "node_modules")
	missing()
	write(t, modules, "dep/package.json", `{"name":"dep","version":"1.0.0","types":"index.d.ts"}`)
	write(t, modules, "dep/index.d.ts", "export declare function foo(): number;\n")
	there(25)
	// A new version in the old place: only the sign of the package manager tells.
	write(t, modules, "dep/index.d.ts", "export  declare  function  foo(): string;\n")
	write(t, modules, ".package-lock.json", "{}")
	there(28)
	testkit.Must(t, os.RemoveAll(modules))
	missing()
}

// Packages that are not installed change only answers about what a source holds that comes to them by its imports,
// and what the answer does not have there.
func TestMissingPackagesLimitWhatGoesThroughThem(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "typescript-language-server")
	files := map[string]string{
		"tsconfig.json": `{"compilerOptions":{"lib":["es2022"],"strict":true,"module":"nodenext"}}`,
		"package.json":  `{"name":"t","dependencies":{"dep":"1.0.0"}}`,
		"a.ts":          "export class Box { inner = 1; outer = 2; alone = 3 }\nexport function plain() { return 1 }\n",
		"b.ts":          "import { wrap } from \"dep\";\nimport { Box, plain } from \"./a.js\";\nexport const boxed = wrap(new Box());\nplain();\n",
		"c.ts":          "import { boxed } from \"./b.js\";\nexport const { outer } = boxed;\n",
		"d.ts":          "import { Box } from \"./a.js\";\nexport const alone = new Box().alone;\n",
	}
	opened := toolstest.Real(t, project(t, files), "typescript-language-server")
	check := func(opened *session.Session, tool, name, missing string) {
		t.Helper()
		arguments := map[string]any{"file_path": "a.ts", "symbol_name": name}
		if tool == "search_workspace_symbols" {
			arguments = map[string]any{"query": name}
		}
		a := run(t, opened, tool, arguments)
		claim := map[bool]string{true: "complete", false: "partial"}[missing == ""]
		if a["completeness"] != claim || !strings.Contains(fmt.Sprint(a["warnings"]), missing) {
			t.Errorf("%s of %s: %s wanted (%s): %v", tool, name, claim, missing, a)
		}
	}
	check(opened, "find_references", "plain", "")
	check(opened, "find_references", "alone", "")
	check(opened, "find_references", "outer", "c.ts:2")
	check(opened, "call_hierarchy", "plain", "")
	check(opened, "search_workspace_symbols", "Box", "")
	check(opened, "search_workspace_symbols", "wrapped", "package.json")

	files["package.json"] = `{"name":"t","dependencies":{"dep":"1.0.0","@types/globals":"1.0.0"}}`
	files["e.ts"] = "export const made = globalBox().alone;\n"
	opened = toolstest.Real(t, project(t, files), "typescript-language-server")
	check(opened, "find_references", "alone", "e.ts:1") // what every file sees is missing
}

// The packages of an environment in the project are known without any configuration, from the moment on when they are
// there. pyright by itself looks at the environment of the python on PATH, and goes on with what was there at its start
// (1.1.414).
func TestPackagesOfAnEnvironmentAreKnown(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "pyright-langserver")
	dir := project(t, map[string]string{"pyproject.toml": "", "a.py": "import dep, more\n\ndep.foo()\nmore.bar()\n"})
	session := toolstest.Real(t, dir, "pyright")
	unresolved := func(want float64) {
		t.Helper()
		a := run(t, session, "get_diagnostics", map[string]any{"file_path": "a.py", "severities": []string{"error"}})
		if a["total"] != want || a["completeness"] != "complete" {
			t.Errorf("%v errors wanted: %v", want, a)
		}
	}
	home := filepath.Join(dir, ".venv")
	packages := filepath.Join(home, "lib", "python3.11", "site-packages")
	unresolved(2)
	testkit.Write(t, filepath.Join(packages, "dep", "__init__.py"), "def foo(): return 1\n")
	testkit.Write(t, filepath.Join(home, "pyvenv.cfg"), "version = 3.11\n")
	unresolved(1)
	testkit.Write(t, filepath.Join(packages, "more.py"), "def bar(): return 1\n")
	unresolved(0)
	a := run(t, session, "find_definition", map[string]any{"file_path": "a.py", "line": 4, "symbol_name": "bar"})
	equal(t, "definition", a["definitions"].([]any)[0].(map[string]any)["file_path"],
		any(".venv/lib/python3.11/site-packages/more.py"))
	if testkit.All() { // it starts anew for each change of its packages
		testkit.Must(t, os.RemoveAll(home))
		unresolved(2)
	}
}
