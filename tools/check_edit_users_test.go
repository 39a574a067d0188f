//go:build unix

package tools

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/tools/answer"
	"lspi/tools/toolstest"
)

// The files that an edit may break are found by what uses the declarations that it changes, not by who names the
// file; what it brings is complete when all of these were looked at, and nothing is recommended or written when
// they were not.
func TestCheckEditFindsTheUsers(t *testing.T) {
	for _, c := range []struct {
		server, program string
		files           map[string]string // %d in a name makes thirty of it
		first           string            // the file that is edited
		breaks          [2]string
		want            []string
		body            [2]string // an edit that nobody else notices
		spread          [2]string // an edit of what everybody uses
	}{
		{"pyright", "pyright-langserver", map[string]string{
			"pyrightconfig.json": "{}", "pkg/__init__.py": "from .inner import make as make, common as common\n",
			"pkg/inner.py": "def make(n: int):\n    return n\n\n\ndef common(n: int) -> int:\n    return n + 1\n",
			"use.py":       "from pkg import make\n\nvalue = make(1)\n",
			"far.py":       "from use import value\n\nother: int = value\n",
			"f%d.py":       "from pkg import common\n\n\ndef g():\n    return common(1)\n"},
			"pkg/inner.py", [2]string{"    return n\n", "    return str(n)\n"},
			[]string{"+far.py:3:14 error reportAssignmentType"},
			[2]string{"return n + 1", "return 1 + n"},
			[2]string{"common(n: int) -> int", "common(n: int) -> \"int | None\""}},
		{"typescript-language-server", "typescript-language-server", map[string]string{
			"tsconfig.json": `{"compilerOptions":{"lib":["es2022"],"strict":true}}`,
			"pkg/index.ts":  "export { make, common } from './inner';\n",
			"pkg/inner.ts":  "export function make(n: number) {\n  return n;\n}\n\nexport function common(n: number): number {\n  return n + 1;\n}\n",
			"use.ts":        "import { make } from './pkg';\nexport const value = make(1);\n",
			"far.ts":        "import { value } from './use';\nexport const other: number = value;\n",
			"f%d.ts":        "import { common } from './pkg';\nexport function g() { return common(1); }\n"},
			"pkg/inner.ts", [2]string{"  return n;\n", "  return String(n);\n"}, []string{"+far.ts:2:14 error 2322"},
			[2]string{"return n + 1", "return 1 + n"},
			[2]string{"common(n: number): number", "common(n: number): number | null"}},
	} {
		t.Run(c.server, func(t *testing.T) {
			testkit.Always(t, c.server, "typescript-language-server")
			t.Parallel()
			needServer(t, c.program)
			files := map[string]string{}
			for name, text := range c.files {
				if !strings.Contains(name, "%d") {
					files[name] = text
					continue
				}
				for n := range 30 {
					files[fmt.Sprintf(name, n)] = text
				}
			}
			session := toolstest.Real(t, project(t, files), c.server)
			wantDiffers(t, tryEdits(t, session, c.first, c.breaks[0], c.breaks[1]), "complete", c.want...)

			a := tryEdits(t, session, c.first, c.body[0], c.body[1])
			wantDiffers(t, a, "complete")
			testkit.Holds(t, fmt.Sprint(a["next_steps"]), "apply_if_clean", "no step applies it")

			a = tryEdits(t, session, c.first, c.spread[0], c.spread[1])
			if a["completeness"] != "partial" || strings.Contains(fmt.Sprint(a["next_steps"]), "apply_if_clean") {
				t.Errorf("not all of its users were looked at: %v", a)
			}
			spread := tried(c.first, c.spread[0], c.spread[1])
			spread["wait"] = "all"
			arguments, _ := json.Marshal(spread)
			text := Run(t.Context(), session, nil, answer.Request{Tool: "check_edit", Arguments: arguments,
				Host: textHost}).Text
			first, _, _ := strings.Cut(text, "\n")
			for _, want := range []string{"lspi could not check everything", c.first + " and ", " more files)",
				"introduces no error or warning and fixes no error or warning"} {
				testkit.Holds(t, first, want)
			}
			a = run(t, session, "check_edit", applying(tried(c.first, c.spread[0], c.spread[1])))
			if a["applied"] != false || !strings.Contains(fmt.Sprint(a["not_applied"]), "but not further files") ||
				!strings.Contains(fmt.Sprint(a["next_steps"]), "get_diagnostics") {
				t.Errorf("%v", a)
			}
		})
	}
}

// A process that tries C++ texts has no index, so the one that has is asked who uses a header.
func TestCheckEditFindsTheUsersOfAHeader(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "clangd")
	files := map[string]string{"inner.h": "#pragma once\nint make(int n);\n", "all.h": "#include \"inner.h\"\n",
		"use.cc": "#include \"all.h\"\nint used() { return make(1); }\n"}
	names := []string{"use.cc"}
	for n := range 10 {
		names = append(names, fmt.Sprintf("f%d.cc", n))
		files[names[n+1]] = fmt.Sprintf("// inner many\nint f%d() { return %[1]d; }\n", n)
	}
	files["many.h"] = "#pragma once\nstruct Many {\n  int many(int n);\n  int other();\n};\n"
	for n := range 10 {
		name := fmt.Sprintf("t%d.cc", n)
		names, files[name] = append(names, name),
			fmt.Sprintf("#include \"many.h\"\nint t%d(Many m) { return m.other(); }\n", n)
		name = fmt.Sprintf("u%d.cc", n)
		names, files[name] = append(names, name),
			fmt.Sprintf("#include \"many.h\"\nint u%d(Many m) { return m.many(%[1]d); }\n", n)
	}
	dir := project(t, files)
	compileCommands(t, dir, names...)
	session := toolstest.Real(t, dir, "clangd")
	wantDiffers(t, tryEdits(t, session, "inner.h", "make(int n)", "make(int n, int m)"), "complete",
		"+use.cc:2:21 error ovl_no_viable_function_in_call")
	a := tryEdits(t, session, "f1.cc", "return 1", "return 1 + 1")
	wantDiffers(t, a, "complete")
	testkit.Holds(t, fmt.Sprint(a["next_steps"]), "apply_if_clean", "no step applies it")

	// More files use many.h, and the member, than are looked at, and yet more only hold its name: those that use
	// the member are looked at first.
	a = tryEdits(t, session, "many.h", "int many(int n)", "int many(int n, int m)")
	if got := differs(a); a["completeness"] != "partial" || len(got) < 5 ||
		!strings.HasPrefix(fmt.Sprint(got[0]), "+u") {
		t.Errorf("%s: %s", a["completeness"], got)
	}
}

// In a small project all files are looked at, so that it is of no importance which of them use what changes, and
// whether the server that would be asked for these knows all of the project.
func TestCheckEditOfASmallProjectNeedsNoIndex(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "clangd")
	session := toolstest.Real(t,
		project(t, map[string]string{"compile_flags.txt": "-std=c++17\n", "a.h": "#pragma once\nint one(int n);\n",
			"a.cc": "#include \"a.h\"\nint one(int n) { return n; }\n",
			"b.cc": "#include \"a.h\"\nint two() { return one(2); }\n"}), "clangd")
	run(t, session, "hover", map[string]any{"file_path": "a.cc", "symbol_name": "one"}) // the server runs
	a := tryEdits(t, session, "a.h", "one(int n)", "one(int n, int m)", "a.cc", "one(int n)", "one(int n, int m)")
	wantDiffers(t, a, "complete", "+b.cc:2:20 error ovl_no_viable_function_in_call")
	testkit.Equal(t, fmt.Sprint(a["warnings"]), "[]")
}

// An addition breaks files that use nothing of what was there: a macro, a second declaration, the body of a
// template. Where more of them hold its name than are looked at nothing is recommended; what nobody can notice is.
func TestCheckEditOfAdditions(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "clangd")
	files := map[string]string{"all.h": "#pragma once\n#include \"base.h\"\n",
		"shared.h": "#pragma once\n#define SHARED 1\n", "fine.h": "#pragma once\n",
		"news.h": "#pragma once\n#define limit )\n",
		"base.h": "#pragma once\n\nnamespace n {\ninline int value() { return 1; }\n\ntemplate <class T> int len(const T& t) { return t.size(); }\n}\n"}
	var names []string
	for n := range 14 {
		names = append(names, fmt.Sprintf("f%d.cc", n))
		files[names[n]] =
			fmt.Sprintf(
				"#include \"all.h\"\n#include \"shared.h\"\n\nstruct S%d { int size() const { return 1; } };\nint use%[1]d() { int limit = 3; return n::value() + limit + n::len(S%[1]d{}); }\n", n)
	}
	dir := project(t, files)
	compileCommands(t, dir, names...)
	session := toolstest.Real(t, dir, "clangd")
	for _, edit := range []struct{ old, new, completeness string }{
		{"namespace n {\n", "#define limit )\nnamespace n {\n", "partial"},
		{"template", "inline int value(int x = 0) { return x; }\n\ntemplate", "partial"},
		{"t.size()", "t.length()", "partial"},
		{"template", "// The limit of a value.\ninline int fresh(int x = 0) { return x; }\n\ntemplate", "complete"},
		{"once\n", "once\n#include \"news.h\"\n", "partial"},
		{"once\n", "once\n#include \"shared.h\"\n", "complete"}, // all others include it already
		{"#include \"shared.h\"\n", "#include \"shared.h\"\n#include \"fine.h\"\n#define limit2\n", "complete"},
	} {
		file := "base.h"
		if strings.HasPrefix(edit.old, "#include") {
			file = "f3.cc" // nobody includes it
		}
		a := tryEdits(t, session, file, edit.old, edit.new)
		testkit.Equal(t, a["completeness"], any(edit.completeness), edit.new)
		testkit.Equal(t, strings.Contains(fmt.Sprint(a["next_steps"]), "apply_if_clean"),
			edit.completeness == "complete", edit.new, "recommended")
	}
}

// TypeScript merges a second interface with the first, whoever imports it by whatever file.
func TestCheckEditOfAMergedDeclaration(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "typescript-language-server")
	files := map[string]string{
		"tsconfig.json": `{"compilerOptions": {"lib": ["es2022"], "strict": true}, "include": ["*.ts"]}`,
		"base.ts":       "export interface Box { v: number }\n\nexport function make(): number { return 1; }\n",
		"index.ts":      "export * from \"./base\";\n"}
	for n := range 40 {
		files[fmt.Sprintf("f%d.ts", n)] =
			fmt.Sprintf("import { Box, make } from \"./index\";\nexport const b%d: Box = { v: make() };\n", n)
	}
	files["script.ts"] = "function everywhere() {}\n"
	files["z.ts"] = "export const z = everywhere();\n"
	session := toolstest.Real(t, project(t, files), "typescript-language-server")
	a := tryEdits(t, session, "base.ts", "export function", "export interface Box { w: number }\n\nexport function")
	if a["completeness"] != "partial" || strings.Contains(fmt.Sprint(a["next_steps"]), "apply_if_clean") {
		t.Errorf("%v", a)
	}
	for _, edit := range []struct{ file, old, new, completeness string }{
		{"base.ts", "export function", "export function fresh(b: Box): number { return b.v; }\n\nexport function",
			"complete"},
		{"base.ts", "export function make(): number { return 1; }",
			"// One.\nfunction one(): number { return 1; }\n\nexport function make(): number {\n  return one(); }",
			"complete"},
		{"base.ts", "export function make(): number { return 1; }",
			"function one(): string { return \"\"; }\n\nexport function make(): string { return one(); }", "partial"},
		{"script.ts", "function", "// Everywhere.\nconst here = 1;\n\nfunction", "complete"},
		{"script.ts", "function", "export const here = 1;\n\nfunction", "partial"}, // z.ts finds everywhere no more
		{"script.ts", "function", "import \"./base\";\n\nfunction", "partial"},
	} {
		if a = tryEdits(t, session, edit.file, edit.old, edit.new); a["completeness"] != edit.completeness {
			t.Errorf("%q: %v", edit.new, a)
		}
		if edit.file == "script.ts" && edit.completeness == "partial" && !strings.Contains(fmt.Sprint(a["warnings"]),
			"but not z.ts") {
			t.Errorf("%q: %v", edit.new, a["warnings"])
		}
	}
}

// What the type of a declaration does not show is noticed by others all the same: modifiers, decorators, default
// exports.
func TestCheckEditOfWhatTypesDoNotShow(t *testing.T) {
	for _, c := range []struct {
		server, program, edited string
		files                   map[string]string
		edits                   [][2]string
	}{
		{"typescript-language-server", "typescript-language-server", "a.ts", map[string]string{
			"tsconfig.json": `{"compilerOptions":{"lib":["es2022"],"strict":true}}`,
			"a.ts": "export default function def() {\n  return 1;\n}\n\nexport class A {\n  w = 2;\n  m() {}\n  constructor(public c: number) {}\n}\n\nexport class B {\n" +
				"  x = 1;\n}\n\nexport interface I {\n  k: number;\n}\n",
			"use.ts": "import def, { A, B, I } from './a';\n\nconst a = new A(1);\na.w = 3;\na.m();\na.c = 1;\nnew B();\nconst i: I = { k: 1 };\ni.k = 2;\ndef();\n",
		}, [][2]string{
			{"export default function", "export function"}, {"w = 2;", "protected w = 2;"},
			{"m() {}", "private m() {}"}, {"public c", "readonly c"},
			{"export class B", "export abstract class B"}, {"  k: number;", "  readonly k: number;"},
			{"  w = 2;", "  private\n  w = 2;"},
		}},
		{"pyright", "pyright-langserver", "a.py", map[string]string{
			"pyrightconfig.json": "{}",
			"a.py": "from dataclasses import dataclass\n\n\n@dataclass\nclass D:\n    x: int = 0\n\n    @property\n    def p(self) -> int:\n" +
				"        return 1\n",
			"use.py": "from a import D\n\nd = D(1)\nd.x = 2\nprint(d.p + 1)\n",
		}, [][2]string{
			{"@dataclass\n", "@dataclass(frozen=True)\n"}, {"    @property\n", ""}, {"@dataclass\n", ""},
		}},
	} {
		t.Run(c.server, func(t *testing.T) {
			testkit.Always(t, c.server, "typescript-language-server")
			t.Parallel()
			needServer(t, c.program)
			session := toolstest.Real(t, project(t, c.files), c.server)
			for _, e := range c.edits {
				tried := tryEdits(t, session, c.edited, e[0], e[1])
				if tried["total"] == 0.0 && tried["completeness"] == "complete" {
					t.Errorf("%q: %v", e[1], tried)
				}
			}
		})
	}
}

// Of an edit in Go that nobody outside of the package can notice gopls is asked for the package alone. It must say
// what gopls says of everything.
func TestCheckEditOfAGoPackageAlone(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "gopls")
	const a = `package a

import "fmt"

func F() int { return 1 }

func Logf(format string, args ...any) {}

var list = []int{F()}

type T struct{}

func (T) M() int { return len(list) }

func unused() int { return 0 }

func show() { fmt.Println(unused()) }
`
	dir := project(t, map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.24\n", "a/a.go": a,
		"a/b.go":      "package a\n\nvar cyclic = F()\n\nfunc inB() {}\n\nvar _ = inB\n\nvar _ = show\n",
		"a/a_test.go": "package a\n\nimport \"testing\"\n\nfunc helper() int { return F() }\n\nfunc TestF(t *testing.T) { _ = helper() }\n",
		"b/b.go":      "package b\n\nimport \"example.com/m/a\"\n\nfunc init() { a.Logf(\"%d\", \"x\"); _ = a.T{}.M() + a.F() }\n",
	})
	session := toolstest.Real(t, dir, "gopls")
	cases := []struct{ name, file, old, new string }{
		{"a body", "a/a.go", "return 1", "return 1 + 1"},
		{"an error in a body", "a/a.go", "return 1", "return \"x\""},
		{"a function more", "a/a.go", "func F()", "func more() int { return F() }\n\nvar _ = more\n\nfunc F()"},
		{"one that a file beside has", "a/a.go", "func F()", "func inB() {}\n\nfunc F()"},
		{"one that a test has", "a/a.go", "func F()", "func helper() {}\n\nfunc F()"},
		{"a cycle of initial values in another file", "a/a.go", "return 1", "return cyclic"},
		{"a body that makes others wrong calls of Printf", "a/a.go", "args ...any) {}",
			"args ...any) { fmt.Printf(format, args...) }"},
		{"the last use of a function", "a/a.go", "unused())", "1)"},
		{"a method less", "a/a.go", "func (T) M() int { return len(list) }\n", ""},
		{"a result more", "a/a.go", "func F() int { return 1 }", "func F() (int, error) { return 1, nil }"},
		{"an import that is not used", "a/a.go", "import \"fmt\"", "import (\n\t\"fmt\"\n\t\"os\"\n)"},
		{"broken syntax", "a/a.go", "return 1 }", "return 1 "},
		{"a test", "a/a_test.go", "return F()", "return F() + \"\""},
		{"a function of the package in a test", "a/a_test.go", "func helper", "func inB() {}\n\nfunc helper"},
		{"another package clause", "a/a.go", "package a", "package c"},
	}
	for _, c := range cases[:testkit.Times(8, len(cases))] {
		edits := map[string]any{"edits": []any{map[string]any{"file_path": c.file, "old_text": c.old,
			"new_text": c.new}}, "wait_ms": 30_000}
		edits["wait"] = "errors"
		soon := run(t, session, "check_edit", edits)
		edits["wait"] = "all"
		all := run(t, session, "check_edit", edits)
		testkit.Equal(t, strings.Join(differs(soon), "\n"), strings.Join(differs(all), "\n"), c.name)
		testkit.Equal(t, soon["completeness"], all["completeness"], c.name)
	}
}

// What an edit changes for the linker only the process with an index tells, which a cold call with `wait: "errors"`
// does not wait for: it takes longer than 100 ms to index 10 sources. The files that hold the names are pending.
func TestCheckEditBeforeTheIndex(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "clangd")
	files := map[string]string{"many.h": "#pragma once\nint f7();\n"}
	var names []string
	for n := range 10 {
		names = append(names, fmt.Sprintf("f%d.cc", n))
		files[names[n]] = fmt.Sprintf("#include <map>\n\nint f%d() { return %[1]d; }\n", n)
	}
	files["f7.cc"] = "#include \"many.h\"\nint f7() { return 7; }\n"
	files["use.cc"] = "int use() { return 1; }\n"
	dir := project(t, files)
	compileCommands(t, dir, append(names, "use.cc")...)
	session := toolstest.Real(t, dir, "clangd")
	edit := editOf("use.cc", "int use() {", "int f7() { return 8; }\nint use() {")
	edit["wait"], edit["wait_ms"] = "errors", 100
	a := run(t, session, "check_edit", edit)
	testkit.Equal(t, fmt.Sprint(a["pending"], a["warnings"]),
		"[map[files:[f7.cc many.h] server_id:clangd stage:users]] []")
	if strings.Contains(fmt.Sprint(a["next_steps"]), "apply_if_clean") {
		t.Errorf("the edit is recommended: %v", a)
	}
	edit["wait"] = "all"
	// On a busy machine the index may take longer than a call.
	until(t, "an answer with the index", func() bool {
		a = run(t, session, "check_edit", edit)
		return !strings.Contains(kinds(a), "indexing")
	})
	testkit.Equal(t, a["pending"], nil)
	testkit.Holds(t, fmt.Sprint(a["warnings"]), "already has a definition", "the linker")
}
