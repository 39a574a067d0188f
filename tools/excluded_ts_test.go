package tools

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/tools/toolstest"
)

// tsserver keeps a project of its own for a file that no tsconfig.json takes in, and searches the project of the
// file that was asked about last (typescript-language-server 6.0.2).
func TestSourcesOutsideOfTSConfig(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "typescript-language-server")
	dir := project(t, map[string]string{
		"tsconfig.json": `{"include": ["src"], "compilerOptions": {"lib": ["es2022"], "strict": true}}`,
		"aaa.cjs":       "exports.first = function first() { return 1 }\n",
		"src/a.ts":      "export class Shape { area() { return 1 } }\nexport interface Doer { act(): void }\nexport function aim() { return 1 }\nexport function alone() {}\n",
		"src/b.ts":      "import { aim } from \"./a\";\nexport const used = aim();\nexport class Does { act() {} }\n",
		"test/t.ts":     "import { aim } from \"../src/a\";\naim();\nexport class Tested {}\n",
		"test/far.ts":   "import * as t from \"./t\";\nexport const aim = t;\n",
		"test/apart.ts": "import { readFileSync } from \"node:fs\";\nexport function aim() { return readFileSync }\n",
		"test/does.ts":  "import type { Doer } from \"../src/a\";\nclass D implements Doer { act() {} }\nexport default D;\n",
		"src/main.ts":   "export default function start() {}\nexport { inner as outer };\nfunction inner() {}\n",
		"test/main.ts":  "import begin from \"../src/main\";\nbegin();\n",
		"scripts/s.mjs": "import { helper } from \"./h.mjs\";\nhelper();\n",
		"scripts/h.mjs": "export function helper() {}\n",
	})
	session := toolstest.Real(t, dir, "typescript-language-server")
	at := func(file, name string) map[string]any { return map[string]any{"file_path": file, "symbol_name": name} }
	for _, c := range []struct {
		tool      string
		arguments map[string]any
		want      []string
		holds     string
	}{
		{"search_workspace_symbols", map[string]any{"query": "Shape"}, nil, "src/a.ts"},
		{"hover", map[string]any{"symbol_name": "Shape"}, nil, "Shape"},
		{"search_workspace_symbols", map[string]any{"query": "Tested"}, []string{"test/t.ts"}, ""},
		{"find_references", at("src/a.ts", "aim"), nil, "test/t.ts"},
		{"find_references", map[string]any{"symbol_name": "Shape"}, nil, "src/a.ts"},
		{"call_hierarchy", at("src/a.ts", "aim"), nil, "test/t.ts:1 @2 module t.ts"},
		{"find_references", at("src/a.ts", "alone"), nil, "src/a.ts"},
		{"find_implementations", at("src/a.ts", "Doer"), nil, "test/does.ts"},
		{"find_definition", at("src/a.ts", "aim"), nil, "src/a.ts"},
		// Which may have another name wherever something of the project is imported.
		{"find_references", at("src/main.ts", "start"), []string{"test/does.ts", "test/far.ts", "test/main.ts",
			"test/t.ts"}, "src/main.ts"},
		{"find_references", at("src/main.ts", "inner"), []string{"test/does.ts", "test/far.ts", "test/main.ts",
			"test/t.ts"}, "src/main.ts"},
		// Its own project is what it imports.
		{"find_references", at("scripts/h.mjs", "helper"), nil, "scripts/s.mjs"},
		{"hover", at("aaa.cjs", "first"), nil, ""},
		// Though one outside of the project was asked about last.
		{"search_workspace_symbols", map[string]any{"query": "Shape"}, nil, "src/a.ts"},
		{"search_workspace_symbols", map[string]any{"query": "Shape", "file_path": "aaa.cjs"}, nil, "src/a.ts"},
		{"search_workspace_symbols", map[string]any{"query": "Shape", "match": "exact"}, nil, "src/a.ts"},
	} {
		a := run(t, session, c.tool, c.arguments)
		// Beside load there may be no time to ask about every file, each of which the server loads a project for.
		for range 5 {
			if strings.Contains(fmt.Sprint(a["warnings"]), "not_asked") {
				a = run(t, session, c.tool, c.arguments)
			}
		}
		completeness := "complete"
		if c.want != nil {
			completeness = "partial"
		}
		if got := excludedFiles(a); !slices.Equal(got, c.want) || a["completeness"] != completeness ||
			!strings.Contains(fmt.Sprint(a), c.holds) {
			t.Errorf("%s %v: %v, want %v\n%v", c.tool, c.arguments, got, c.want, a)
		}
	}
	write(t, dir, "test/far.ts", "export {};\n")
	if a := run(t, session, "find_references", at("src/a.ts", "aim")); !slices.Contains(excludedFiles(a),
		"test/t.ts") && a["completeness"] != "complete" ||
		slices.Contains(excludedFiles(a), "test/far.ts") {
		t.Errorf("%v", a)
	}
	write(t, dir, "tsconfig.json", `{"include": ["src", "test"], "compilerOptions": {"lib": ["es2022"]}}`)
	if a := run(t, session, "find_references", at("src/a.ts", "aim")); a["completeness"] != "complete" ||
		!strings.Contains(fmt.Sprint(a["files"]), "test/t.ts") {
		t.Errorf("%v", a)
	}
	if a := run(t, session, "search_workspace_symbols",
		map[string]any{"query": "Tested"}); a["completeness"] != "complete" || a["total"] != 1.0 {
		t.Errorf("%v", a)
	}
}

// What a build made of the sources of a project is no source: a search is whole without it, and it uses nothing.
func TestBuildOutputIsNoSource(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "typescript-language-server")
	session := toolstest.Real(t, project(t, map[string]string{
		"tsconfig.json": `{"include": ["src"], "compilerOptions": {"lib": ["es2022"], "strict": true, "outDir": "made"}}`,
		"src/a.ts":      "export class Shape { area(): number { return 1 } }\n",
		"src/sub/b.ts":  "import { Shape } from \"../a\";\nexport function measure(s: Shape) { return s.area() }\n",
		"a.js":          "export class Shape {\n    area() { return 1; }\n}\n",
		"a.d.ts":        "export declare class Shape {\n    area(): number;\n}\n",
		"sub/b.js":      "export function measure(s) { return s.area(); }\n",
		"sub/b.cjs": "\"use strict\";\nvar __createBinding = (this && this.__createBinding) || (Object.create ? (function(o, m, k, k2) {\n    if (k2 === undefined) k2 = k;\n" +
			"    var desc = Object.getOwnPropertyDescriptor(m, k);\n    Object.defineProperty(o, k2, { enumerable: true, value: desc });\n}) : (function(o, v) { o = v; }));\n" +
			"var __importStar = function (mod) {\n    var ownKeys = 1, ar = [], result = {};\n    return result;\n};\nconst a_js_1 = __importStar(require(\"../a.cjs\"));\n" +
			"exports.measure = measure;\nfunction measure(s) { return s.area(); }\n",
		"made/a.js":      "export class Shape {\n    area() { return 1; }\n}\n",
		"bench/a.js":     "export class Shape {\n    area() { return 2; }\n}\n",
		"sub/c.js":       "export function measure() {}\n",
		"src/sub/d.ts":   "export {}\n",
		"sub/d.js":       "export function measure() {}\nexport function written() {}\n",
		"tools/use.mjs":  "import * as a from \"../src/a\";\nnew a.Shape().area();\n",
		"tools/again.js": "require(\"../a.js\");\n",
	}), "typescript-language-server")
	for _, c := range []struct {
		tool, name string
		want       []string
	}{
		{"search_workspace_symbols", "Shape", []string{"bench/a.js"}},
		{"search_workspace_symbols", "measure", []string{"sub/c.js", "sub/d.js"}},
		{"find_references", "area", []string{"tools/use.mjs"}},
	} {
		arguments := map[string]any{"query": c.name, "match": "exact"}
		if c.tool == "find_references" {
			arguments = map[string]any{"file_path": "src/a.ts", "symbol_name": c.name}
		}
		a := run(t, session, c.tool, arguments)
		// On a busy machine the types in a source outside are not known in the time that the search for uses by
		// name has, which is told. That search opens the source, so that the answer to the repeated call has the
		// use there and lacks nothing.
		for tries := 0; warningOf(a, "unexplained") != nil && tries < 20; tries++ {
			a = run(t, session, c.tool, arguments)
		}
		if c.tool == "find_references" && a["completeness"] == "complete" && a["total"] == 3.0 &&
			strings.Contains(fmt.Sprint(a["files"]), c.want[0]) {
			continue
		}
		if got := excludedFiles(a); !slices.Equal(got, c.want) || kinds(a) != "unlisted_sources" ||
			!strings.Contains(fmt.Sprint(a), "src/") {
			t.Errorf("%s of %s: %v, want %v: %v", c.tool, c.name, got, c.want, a)
		}
	}
}

// What has no tsconfig.json at all says so, and no more.
func TestNoTSConfigSaysSoOnce(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "typescript-language-server")
	session := toolstest.Real(t,
		project(t, map[string]string{"a.ts": "export function aim() {}\n",
			"b.ts": "import { aim } from \"./a\";\naim();\n"}),
		"typescript-language-server")
	for _, tool := range []string{"find_references", "search_workspace_symbols"} {
		arguments := map[string]any{"file_path": "a.ts", "symbol_name": "aim"}
		if tool == "search_workspace_symbols" {
			arguments = map[string]any{"query": "aim"}
		}
		a := run(t, session, tool, arguments)
		if warnings := a["warnings"].([]any); len(warnings) != 1 ||
			warnings[0].(map[string]any)["kind"] != "no_project_file" {
			t.Errorf("%s: %v", tool, a)
		}
	}
}
