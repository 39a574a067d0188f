//go:build unix

package tools

import (
	"fmt"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/tools/toolstest"
)

var importPathProject = sharing("path", &realProject{server: "typescript-language-server",
	program: "typescript-language-server", files: map[string]string{
		"tsconfig.json": smallLib, "a.ts": "export const v = 1;\n", "b.ts": "import { v } from './a';\nv;\n"}})[0]

// The server would change the import and leave the file where it is, so it is kept from it.
func TestRenameOfATypeScriptImportPath(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	a := run(t, importPathProject.session(t), "rename_symbol",
		importPathProject.in(map[string]any{"file_path": "b.ts", "line": 1, "character": 22, "new_name": "z"}))
	if a["ok"] != false || !strings.HasPrefix(a.fault(), "request_failed") {
		t.Errorf("%v", a)
	}
}

// A keyword may be the name of a member or an export: its uses that tsserver does not list count like others, and the
// keyword is none of them.
func TestUsesOfNamesThatAreKeywords(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "typescript-language-server")
	session := toolstest.Real(t, project(t, map[string]string{
		"tsconfig.json": `{"compilerOptions":{"strict":true,"module":"es2020","moduleResolution":"bundler"},"include":["src"]}`,
		"src/m.ts": "export const number = /x/;\nexport class Bag {\n" +
			"  delete(k: string) { for (const x in { a: 1 }) { if (x === k) return true; } return false; }\n" +
			"  in(k: string) { try { return k; } finally { this.delete(k); } }\n  finally(n: number): number { return n; }\n}\n",
		"src/any.ts":       "export function late(o: any) { return o.in(\"x\"); }\n",
		"other/late.js":    "import { Bag } from \"../src/m\";\nnew Bag().delete(\"x\");\n",
		"page/index.astro": "---\nimport { number } from \"../src/m\";\n---\n<p>{number.source}</p>\n",
	}), "typescript-language-server")
	for _, q := range [][2]string{{"Bag.in", "src/any.ts"}, {"Bag.delete", "other/late.js"}, {"number", "page/index.astro"},
		{"Bag.finally", ""}} {
		a := run(t, session, "find_references", map[string]any{"file_path": "src/m.ts", "symbol_name": q[0]})
		said := fmt.Sprint(a["warnings"], a["files"])
		if (a["completeness"] == "complete") != (q[1] == "" || strings.Contains(fmt.Sprint(a["files"]), q[1])) ||
			!strings.Contains(said, q[1]) {
			t.Errorf("%s: %v", q[0], a)
		}
	}
}
