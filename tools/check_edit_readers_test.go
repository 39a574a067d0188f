//go:build unix

package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lspi/internal/testkit/sessions"
)

// What a file says that another server reads from disk is partial until it is compared there; an edit that breaks it is taken back. What
// no code names is judged by its own server, and a new source that nothing can import yet is an ordinary one.
func TestCheckEditOfWhatOtherServersRead(t *testing.T) {
	t.Parallel()
	needServer(t, "typescript-language-server")
	needServer(t, "vscode-json-language-server")
	needServer(t, "pyright-langserver")
	files := map[string]string{
		"tsconfig.json": `{"compilerOptions": {"strict": true, "noLib": true, "types": [], "resolveJsonModule": true, "module": "esnext", "moduleResolution": "bundler"}}`,
		"lib.d.ts": "interface Array<T> {}\ninterface Boolean {}\ninterface Function {}\ninterface CallableFunction {}\ninterface NewableFunction {}\ninterface IArguments {}\n" +
			"interface Number {}\ninterface Object {}\ninterface RegExp {}\ninterface String {}\n",
		"data.json": `{"port": 80}`, "other.json": `{"port": 80}`,
		"schema.json": `{"properties": {"n": {"type": "number"}}}`, "held.json": "{\n  \"$schema\": \"./schema.json\",\n  \"n\": 1\n}\n",
		"conf.ts": "import data from \"./data.json\";\nexport const port = data.port;\n",
		"use.ts":  "import { port } from \"./conf\";\nimport { later } from \"./later\";\nexport const n: number = port, s: string = later;\n",
		"p.py":    "import helper\ny: int = helper.f()\n", "far.py": "from p import y\nz: int = y\n", "alone.py": "a = 1\n",
	}
	dir := project(t, files)
	env := sessions.Real(t, dir, "typescript-language-server", "json", "pyright")
	for _, c := range []struct {
		name    string
		edits   []string
		notices []string // files that may notice on disk
		applied bool
		breaks  string
	}{
		{"imported data", []string{"data.json", "80", `"80"`}, []string{"conf.ts", "use.ts"}, false, "use.ts"},
		{"imported data, still right", []string{"data.json", "80", "81"}, []string{"conf.ts", "use.ts"}, true, ""},
		{"data that nobody names", []string{"other.json", "80", `"80"`}, nil, true, ""},
		{"a schema", []string{"schema.json", `"number"`, `"number", "title": "N"`}, []string{"held.json"}, true, ""},
		{"a project file", []string{"tsconfig.json", `"resolveJsonModule": true, `, `"resolveJsonModule": false, `}, []string{"conf.ts", "lib.d.ts", "use.ts"}, false, "conf.ts"},
		{"a new module that nobody imports", []string{"fresh.ts", "", "export const a = 1;\n"}, nil, true, ""},
		{"a new module that is imported", []string{"later.ts", "", "export const later = 1;\n"}, []string{"use.ts"}, false, "use.ts"},
		{"a new script", []string{"global.ts", "", "var shared = 1;\n"}, []string{"conf.ts", "fresh.ts", "lib.d.ts", "use.ts"}, true, ""},
		{"a new module of Python", []string{"fresh.py", "", "a = 1\n"}, nil, true, ""},
		{"a new module of Python that is imported", []string{"helper.py", "", "def f() -> str:\n    return ''\n"}, []string{"far.py", "p.py"}, false, "p.py"},
	} {
		tried := tried(c.edits...)
		a := run(t, env, "check_edit", tried)
		got, completeness := []string(nil), "complete"
		for _, w := range a["warnings"].([]any) {
			w := w.(map[string]any)
			if reason := fmt.Sprint(w["reason"]); w["kind"] != "part_failed" || !slices.Contains([]string{"project_file", "data_file", "new_file"}, reason) {
				t.Errorf("%s: %v", c.name, w)
				continue
			}
			for _, file := range w["files"].([]any) {
				got = append(got, file.(string))
			}
		}
		if c.notices != nil {
			completeness = "partial"
		}
		if !slices.Equal(got, c.notices) || a["completeness"] != completeness {
			t.Errorf("%s: %v may notice, want %v: %v", c.name, got, c.notices, a)
		}
		a = run(t, env, "check_edit", applying(tried))
		raw, _ := os.ReadFile(filepath.Join(dir, c.edits[0]))
		written := string(raw) != files[c.edits[0]]
		if a["applied"] != c.applied || written != c.applied || c.applied != (a["completeness"] == "complete") {
			t.Errorf("%s: written %v: %v", c.name, written, a)
		}
		if c.breaks != "" && !strings.Contains(fmt.Sprint(a["new_errors"]), c.breaks) {
			t.Errorf("%s: no error in %s: %v", c.name, c.breaks, a)
		}
	}
}
