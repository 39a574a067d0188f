//go:build unix

package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"lspi/internal/testkit"
	"lspi/tools/toolstest"
)

// A file of an installed package that is written in place (a generated client, a patch) counts in the next answer,
// though git ignores its folder.
func TestInstalledPackageWrittenInPlace(t *testing.T) {
	testkit.OwnServer(t)
	for _, c := range []struct {
		server, program string
		files           map[string]string
		file, installed string
		old, new        string
	}{
		{"typescript-language-server", "typescript-language-server", map[string]string{
			".gitignore":                            "node_modules\n",
			"tsconfig.json":                         `{"compilerOptions":{"strict":true,"module":"esnext","moduleResolution":"bundler","types":[]},"include":["src"]}`,
			"src/db.ts":                             "import type { User } from \"@gen/client\";\nexport const who = (u: User): string => u.name;\n",
			"node_modules/@gen/client/package.json": `{"name":"@gen/client","version":"1.0.0","types":"index.d.ts"}`,
			"node_modules/@gen/client/index.d.ts":   "export * from \"../../.gen/client/index\";\n",
			"node_modules/.gen/client/index.d.ts":   "export interface User { name: string }\n"},
			"src/db.ts", "node_modules/.gen/client/index.d.ts", "name", "title"},
		{"typescript-language-server", "typescript-language-server", map[string]string{
			".gitignore":                      "node_modules\n",
			"tsconfig.json":                   `{"compilerOptions":{"strict":true,"module":"esnext","moduleResolution":"bundler","types":[]},"include":["src"]}`,
			"src/db.ts":                       "import { name } from \"plain\";\nexport const who: string = name;\n",
			"node_modules/plain/package.json": `{"name":"plain","version":"1.0.0","types":"index.d.ts"}`,
			"node_modules/plain/index.d.ts":   "export declare const name: string;\n"},
			"src/db.ts", "node_modules/plain/index.d.ts", "string", "number"},
		{"gopls", "gopls", map[string]string{
			".gitignore": "vendor/\n", "go.mod": "module ex.com/m\n\ngo 1.24\n\nrequire ex.com/dep v1.0.0\n",
			"vendor/modules.txt":       "# ex.com/dep v1.0.0\n## explicit; go 1.24\nex.com/dep\n",
			"vendor/ex.com/dep/dep.go": "package dep\n\nfunc Size(n int) int { return 1 }\n",
			"main.go":                  "package main\n\nimport \"ex.com/dep\"\n\nfunc main() { println(dep.Size(1)) }\n"},
			"main.go", "vendor/ex.com/dep/dep.go", "n int", "n string"},
		{"pyright", "pyright-langserver", map[string]string{
			".gitignore": ".venv\n", "pyrightconfig.json": `{"venvPath": ".", "venv": ".venv"}`,
			"dash.py":          "from reading import value\n\ntotal: int = value()\n",
			"reading.py":       "import gauges.dial\n\n\ndef value():\n    return gauges.dial.read()\n",
			".venv/pyvenv.cfg": "home = /usr/bin\n",
			".venv/lib/python3.11/site-packages/gauges/__init__.py": "",
			".venv/lib/python3.11/site-packages/gauges/py.typed":    "",
			".venv/lib/python3.11/site-packages/gauges/dial.py":     "def read() -> int: ...\n"},
			"dash.py", ".venv/lib/python3.11/site-packages/gauges/dial.py", "int", "str"},
	} {
		t.Run(c.server, func(t *testing.T) {
			testkit.Always(t, c.server, "typescript-language-server", "gopls")
			t.Parallel()
			needServer(t, c.program)
			dir := project(t, c.files)
			session := toolstest.Real(t, dir, c.server)
			for range 2 {
				testkit.Equal(t, errorsOf(t, session, c.file, "all"), "0 complete", "as it was")
				replaced(t, dir, c.installed, c.old, c.new)
				testkit.Equal(t, errorsOf(t, session, c.file, "all"), "1 complete", "with the other package")
				replaced(t, dir, c.installed, c.new, c.old)
			}
			testkit.Equal(t, fmt.Sprint(run(t, session, "get_diagnostics", map[string]any{"file_path": c.file})["total"]), "0",
				"at last")
		})
	}
}

// Files that lie outside of the folder of a server, and that it reads by its search paths, count as they are now: of a
// package in an environment elsewhere, and of a library that is installed for editing there.
func TestChangesOutsideOfTheServersFolder(t *testing.T) {
	testkit.Always(t, "pyright")
	needServer(t, "pyright-langserver")
	const packages = "lib/python3.11/site-packages"
	for _, active := range []bool{false, true} {
		library := testkit.TempDir(t)
		testkit.Write(t, filepath.Join(library, "src/units/__init__.py"), "def read() -> int: ...\n")
		dir := project(t, map[string]string{".gitignore": ".venv\n", "app/pyrightconfig.json": "{}",
			"app/dash.py":      "from units import read\nfrom gauges import dial\n\na: int = read()\nb: int = dial()\n",
			".venv/pyvenv.cfg": "home = /usr/bin\n",
			".venv/" + packages + "/gauges/__init__.py": "def dial() -> int: ...\n",
			".venv/" + packages + "/_units.pth":         filepath.Join(library, "src") + "\n"})
		environment := filepath.Join(dir, ".venv")
		if active {
			environment = filepath.Join(library, "venv")
			testkit.Must(t, os.Rename(filepath.Join(dir, ".venv"), environment))
			t.Setenv("VIRTUAL_ENV", environment) // without its program on PATH
		}
		session := toolstest.Real(t, dir, "pyright")
		testkit.Equal(t, errorsOf(t, session, "app/dash.py", "all"), "0 complete", "as it was, active:", active)
		replaced(t, environment, packages+"/gauges/__init__.py", "int", "str")
		testkit.Equal(t, errorsOf(t, session, "app/dash.py", "all"), "1 complete", "the package, active:", active)
		replaced(t, library, "src/units/__init__.py", "int", "str")
		testkit.Equal(t, errorsOf(t, session, "app/dash.py", "all"), "2 complete", "the library, active:", active)
	}
}
