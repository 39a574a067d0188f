//go:build unix

package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/tools/toolstest"
)

// leavesOut is that an answer is complete with a total, or partial because it lacks what stands at a place ("x.py:1").
func leavesOut(t *testing.T, what string, a reply, total float64, place string) {
	t.Helper()
	w := warningOf(a, "unlisted_sources")
	if place == "" {
		if a["completeness"] != "complete" || w != nil || total > 0 && a["total"] != total {
			t.Errorf("%s: %v", what, a)
		}
		return
	}
	file, line, _ := strings.Cut(place, ":")
	if a["completeness"] != "partial" || w == nil || !strings.Contains(fmt.Sprint(w["message"]), place) ||
		fmt.Sprint(w["line"]) != line || !strings.Contains(fmt.Sprint(w["files"]), file) {
		t.Errorf("%s: %v", what, a)
	}
	if strings.Contains(fmt.Sprint(a["next_steps"]), "Apply exactly") {
		t.Errorf("%s offers to apply: %v", what, a["next_steps"])
	}
}

// Neither says that its configuration leaves sources out. Opened, these are in the references of both, and in the
// edits and symbols of basedpyright alone (pyright 1.1.414, basedpyright 1.40.1). What was asked before changes
// nothing.
func TestSourcesOutsideThePythonConfiguration(t *testing.T) {
	for _, server := range []string{"pyright", "basedpyright"} {
		t.Run(server, func(t *testing.T) {
			testkit.Always(t, server) // TestSourcesOutsideOfTSConfig is the same of TypeScript
			t.Parallel()
			needServer(t, server+"-langserver")
			dir := project(t,
				map[string]string{"pyrightconfig.json": `{"include": ["pkg", "tests"], "exclude": ["tests"]}`,
					"pkg/__init__.py": "",
					"pkg/utils.py":    "def make_str(x: int) -> str:\n    return str(x)\n\n\ndef other() -> str:\n    return make_str(1)\n",
					"tests/test_a.py": "from pkg.utils import make_str\n\n\ndef helper() -> str:\n    other = make_str(2)\n    return other\n"})
			session := toolstest.Real(t, dir, server)
			found := map[bool]string{true: "tests/test_a.py:4"}[server == "pyright"]
			at := func(extra ...any) map[string]any {
				out := map[string]any{"file_path": "pkg/utils.py", "symbol_name": "make_str"}
				for i := 0; i < len(extra); i += 2 {
					out[extra[i].(string)] = extra[i+1]
				}
				return out
			}
			for _, when := range []string{"first", "again"} {
				renamed := run(t, session, "rename_symbol", at("new_name", "mk"))
				if told := fmt.Sprint(renamed["warnings"], renamed["files"]); !strings.Contains(told, "tests/test_a.py") {
					t.Errorf("%s: the uses in tests are neither renamed nor told: %v", when, renamed)
				}
				leavesOut(t, when+" search", run(t, session, "search_workspace_symbols",
					map[string]any{"query": "helper", "match": "exact"}), 0, found)
				leavesOut(t, when+" references", run(t, session, "find_references", at()), 4, "")
				leavesOut(t, when+" confined",
					run(t, session, "find_references", map[string]any{"file_path": "pkg/utils.py",
						"symbol_name": "other"}), 1, "")
				leavesOut(t, when+" rename of a name that others have", run(t, session, "rename_symbol",
					map[string]any{"file_path": "pkg/utils.py", "symbol_name": "other", "new_name": "another"}), 0, "")
			}
			bundle := run(t, session, "symbol_bundle", at())
			if bundle["completeness"] != "complete" || !strings.Contains(fmt.Sprint(bundle), "tests/test_a.py") {
				t.Errorf("%v", bundle)
			}
			if p := filepath.Join(dir, "tests/test_a.py"); server == "basedpyright" {
				a := run(t, session, "rename_symbol", at("new_name", "mk"))
				testkit.Holds(t, fmt.Sprint(a["files"]), "tests/test_a.py", a)
				if _, err := os.Stat(p); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// tsserver loads the projects of the files that are open: one that uses another by a path, by a name for a path or
// by a link in node_modules is loaded for the answer, since nothing else says that it uses it
// (typescript-language-server 6.0.2).
func TestProjectsThatUseEachOtherWithoutReferences(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "typescript-language-server")
	const config = `{"compilerOptions": {"strict": true, "noLib": true, "module": "esnext", "moduleResolution": "bundler"}, "include": ["src"]}`
	files := map[string]string{
		"a/package.json": `{"name": "@m/a", "types": "src/index.ts"}`, "a/tsconfig.json": config,
		"a/src/index.ts":  "export function area(n: number): number { return n }\nexport function unused(): void {}\nfunction kept() {}\nkept();\n",
		"a/src/own.ts":    "import { area } from './index';\nexport const one = area(1);\n",
		"a/src/shape.ts":  "export interface Shape { draw(): void }\nexport class Own implements Shape { draw() {} }\nexport function many() {}\n",
		"b/tsconfig.json": strings.Replace(config, `"strict"`, `"paths": {"@m/a": ["../a/src/index.ts"]}, "strict"`, 1),
		"b/src/b.ts":      "import { area } from '@m/a';\nexport const b = area(2);\nfunction kept(n: number) { return n }\n",
		"c/tsconfig.json": config,
		"c/src/c.ts":      "import { area } from '../../a/src/index';\nimport { Shape } from '../../a/src/shape';\nexport const c = area(3);\nexport class Other implements Shape { draw() {} }\n",
		"d/tsconfig.json": config,
		"d/src/d.ts":      "import { area } from '@m/a';\nexport const d = area(4);\nexport function four() { return area(4) }\n",
		"e/tsconfig.json": config,
		"e/src/e.ts":      "export function area() {}\narea();\n",
		"y/tsconfig.json": config,
		"y/src/y.ts":      "import { lost } from '@m/z';\nlost();\n",
		"z/package.json":  `{"name": "@m/z", "types": "src/z.ts"}`, "z/tsconfig.json": config,
		"z/src/z.ts": "export function lost() {}\n",
	}
	for n := range 25 {
		files[fmt.Sprintf("a/src/f%d.ts", n)] = "export {};\n"
	}
	for n := range 9 {
		files[fmt.Sprintf("m%d/tsconfig.json", n)] = config
		files[fmt.Sprintf("m%d/src/m.ts", n)] = "import { many } from '../../a/src/shape';\nmany();\n"
	}
	dir := project(t, files)
	testkit.Must(t, os.MkdirAll(filepath.Join(dir, "node_modules/@m"), 0o755))
	if err := os.Symlink("../../a", filepath.Join(dir, "node_modules/@m/a")); err != nil {
		t.Skip(err)
	}
	session := toolstest.Real(t, dir, "typescript-language-server")
	at := func(file, name string) map[string]any { return map[string]any{"file_path": file, "symbol_name": name} }
	for _, c := range []struct {
		tool, file, name string
		want             []string // files that the answer lacks
		holds            []string
	}{
		{"find_references", "a/src/index.ts", "unused", nil, nil},
		{"find_references", "a/src/index.ts", "area", nil, []string{"a/src/own.ts", "b/src/b.ts", "c/src/c.ts",
			"d/src/d.ts"}},
		{"find_references", "b/src/b.ts", "area", nil, []string{"a/src/own.ts", "b/src/b.ts", "c/src/c.ts",
			"d/src/d.ts"}},
		{"find_references", "e/src/e.ts", "area", nil, []string{"e/src/e.ts"}},
		{"find_references", "a/src/index.ts", "kept", nil, []string{"a/src/index.ts"}},
		// Callers in other projects are among the references.
		{"call_hierarchy", "a/src/index.ts", "area", nil, []string{"a/src/own.ts:1 @2 module own.ts",
			"b/src/b.ts:1 @2 module b.ts", "c/src/c.ts:1 @3 module c.ts", "d/src/d.ts:1 @2 module d.ts",
			":3 @3 function four"}},
		{"call_hierarchy", "a/src/shape.ts", "many", nil, []string{"m0/src/m.ts:1 @2 module m.ts", "m8/src/m.ts:1 @2 module m.ts"}},
		{"find_implementations", "a/src/shape.ts", "Shape", nil, []string{"a/src/shape.ts", "c/src/c.ts"}},
		{"find_implementations", "a/src/index.ts", "area", nil, nil},           // a function has none
		{"find_references", "z/src/z.ts", "lost", []string{"y/src/y.ts"}, nil}, // which imports it by a name that leads nowhere
		// More projects than are loaded for one answer: in the others the server is asked at each place.
		{"find_references", "a/src/shape.ts", "many", nil, []string{"m0/src/m.ts", "m7/src/m.ts", "m8/src/m.ts"}},
	} {
		a := run(t, session, c.tool, at(c.file, c.name))
		completeness, got := "complete", []string(nil)
		if c.want != nil {
			completeness = "partial"
		}
		if w := warningOf(a, "linked_projects"); w != nil {
			for _, file := range w["files"].([]any) {
				got = append(got, file.(string))
			}
		}
		if w := warningOf(a, "unexplained"); w != nil && c.tool == "find_references" {
			for _, file := range w["files"].([]any) {
				got = append(got, file.(map[string]any)["file_path"].(string))
			}
		}
		text := fmt.Sprint(a)
		if !slices.Equal(got, c.want) || a["completeness"] != completeness ||
			slices.ContainsFunc(c.holds, func(file string) bool { return !strings.Contains(text, file) }) {
			t.Errorf("%s of %s in %s: %v, want %v\n%v", c.tool, c.name, c.file, got, c.want, a)
		}
	}
	if a := run(t, session, "rename_symbol", about("rename_symbol", "a/src/index.ts",
		"area")); a["completeness"] != "complete" || len(a["files"].([]any)) != 5 {
		t.Errorf("%v", a)
	}
	// A file that nobody opened before is looked at by what it uses; one that cannot be looked at is named.
	session = toolstest.Real(t, dir, "typescript-language-server")
	wantDiffers(t, tryEdits(t, session, "a/src/index.ts", "n: number): number { return n }",
		"n: string): string { return n }"), "complete",
		"+a/src/own.ts:2:25 error 2345", "+b/src/b.ts:2:23 error 2345", "+c/src/c.ts:3:23 error 2345",
		"+d/src/d.ts:2:23 error 2345", "+d/src/d.ts:3:38 error 2345")
	a := tryEdits(t, session, "z/src/z.ts", "lost()", "lost(n: number)")
	if w := warningOf(a, "unexplained"); w == nil || !strings.Contains(fmt.Sprint(w), "y/src/y.ts") ||
		strings.Contains(fmt.Sprint(a["next_steps"]), "apply_if_clean") {
		t.Errorf("%v", a)
	}
}
