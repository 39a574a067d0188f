package tools

import (
	"fmt"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/tools/toolstest"
)

type unresolvedAt struct {
	tool, file string
	line       int
	name       string
	words      string // of the warning; "" is none
}

type unresolvedNames struct {
	realProject
	asked []unresolvedAt
}

var unresolvedNamesOf = sharing("unresolved", []*unresolvedNames{
	{realProject{server: "gopls", program: "gopls", files: map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.24\n\nrequire example.invalid/such v1.2.3\n",
		"a.go":   "package m\n\nimport \"example.invalid/such\"\n\nfunc A() int { return such.Foo() + B() }\n\nfunc B() int { return 1 }\n\ntype I interface{ Lonely() }\n",
		"b/b.go": "package b\n\n// nothing\nvar X = 1\n"}},
		[]unresolvedAt{
			{"find_definition", "a.go", 5, "Foo", "line 3: could not import example.invalid/such"},
			{"hover", "a.go", 5, "Foo", "could not import"},
			{"call_hierarchy", "a.go", 5, "Foo", "could not import"},
			{"find_definition", "a.go", 5, "B", ""},
			{"find_definition", "a.go", 5, "return", ""},
			{"find_implementations", "a.go", 9, "I", ""}, // none, and that is known
			{"find_definition", "b/b.go", 3, "nothing", ""},
		}},
	{realProject{server: "pyright", program: "pyright-langserver", files: map[string]string{"pyproject.toml": "",
		"a.py": "from nothing import thing\n\ndef f():\n    return thing.call()\n", "b.py": "# nothing\nx = 1\n"}},
		[]unresolvedAt{
			{"find_definition", "a.py", 4, "thing", `Import "nothing" could not be resolved`},
			{"find_references", "a.py", 4, "call", "could not be resolved"},
			{"hover", "a.py", 4, "thing", "could not be resolved"},
			{"find_definition", "a.py", 3, "f", ""},
			{"find_definition", "b.py", 1, "nothing", ""},
		}},
	{realProject{server: "typescript-language-server", program: "typescript-language-server",
		files: map[string]string{"tsconfig.json": `{"compilerOptions":{"lib":["es2022"],"strict":true}}`,
			"b.ts": "export function real() {}\n",
			"a.ts": "import def from 'missing';\nimport {\n  x,\n  y as z,\n} from './nosuch';\nimport { real, gone } from './b';\n" +
				"export const own = () => [def.a(), x, z, real, gone];\nexport { other } from 'missing';\nexport const again = own();\n",
			"c.js": "import q from 'untyped';\nq();\n"}},
		[]unresolvedAt{
			{"find_definition", "a.ts", 7, "def",
				"line 1 of a.ts and does not find the imported module: Cannot find module 'missing'"},
			{"hover", "a.ts", 7, "def", "does not find the imported module"},
			{"find_references", "a.ts", 7, "x", "line 3 of a.ts and does not find"},
			{"find_definition", "a.ts", 7, "z", "line 4 of a.ts"},
			{"find_definition", "a.ts", 7, "gone", "has no exported member 'gone'"},
			{"find_definition", "a.ts", 1, "def", "does not find the imported module"},
			{"find_definition", "a.ts", 8, "other", "line 8 of a.ts"},
			{"find_definition", "c.js", 2, "q", "line 1 of c.js"},
			{"find_definition", "a.ts", 7, "real", ""},
			{"find_definition", "a.ts", 9, "own", ""},
			{"find_references", "a.ts", 7, "real", ""},
		}},
	{realProject{server: "clangd", program: "clangd", files: map[string]string{"compile_flags.txt": "-xc++\n",
		"a.cpp": "#include \"nothere.h\"\nint known();\nint f() { return missing_fn(3) + known(); }\n",
		"b.cpp": "// nothing\nint x;\n"}},
		[]unresolvedAt{
			{"find_definition", "a.cpp", 3, "missing_fn", "'nothere.h' file not found"},
			{"find_references", "a.cpp", 3, "missing_fn", "file not found"},
		}},
	{realProject{server: "rust-analyzer", program: "rust-analyzer",
		files: map[string]string{"Cargo.toml": "[package]\nname = \"m\"\nedition = \"2021\"\n",
			"src/lib.rs": "mod b;\nuse crate::missing::other;\npub fn a() -> u32 { other() + b() }\nfn b() -> u32 { 1 }\n" +
				"#[cfg(windows)]\nfn w() { elsewhere() }\n",
			"src/b.rs": "// nothing\n"}},
		[]unresolvedAt{
			{"find_definition", "src/lib.rs", 3, "other", "unresolved import `crate::missing`"},
			{"find_definition", "src/lib.rs", 6, "elsewhere", "line 6 lies in code that is not built"},
			{"find_definition", "src/lib.rs", 3, "b", ""},
		}},
}...)

// That there is nothing must not be said of a name that the server could not resolve; of one that it knows, it may
// be said also in a file with errors.
func TestWhatAServerCannotResolveIsNotNothing(t *testing.T) {
	testkit.OwnServer(t)
	for _, c := range unresolvedNamesOf {
		t.Run(c.server, func(t *testing.T) {
			testkit.Always(t, c.server, "pyright", "typescript-language-server", "gopls", "clangd")
			t.Parallel()
			session := c.session(t)
			for _, q := range c.asked {
				var a reply
				said := "did not tell in time"
				for tries := 0; strings.Contains(said, "did not tell in time") && tries < 20; tries++ {
					a = run(t, session, q.tool,
						c.in(map[string]any{"file_path": q.file, "line": q.line, "symbol_name": q.name}))
					said = c.shown(warningAbout(a, "unresolved_name"))
				}
				if (q.words == "") != (said == "") || q.words != "" && a["completeness"] != "partial" ||
					!strings.Contains(said, q.words) {
					t.Errorf("%s of %v: %s: %v", q.tool, q, said, a)
				}
			}
		})
	}
}

// Files that no server reads limit a search only when they may declare what it would find.
func TestOnlyFilesThatMayDeclareAMatchLimitASearch(t *testing.T) {
	t.Parallel()
	needServer(t, "gopls")
	needServer(t, "clangd")
	needServer(t, "typescript-language-server")
	session := toolstest.Real(t, project(t, map[string]string{
		"go.mod":     "module ex.com/m\n\ngo 1.24\n",
		"load.go":    "package m\n\n// Loader loads.\ntype Loader struct{}\n\nfunc paint() {}\n",
		"web/app.js": "// The Loader is in Go.\nfunction paintAll(box) {\n  return box.Loaders\n}\n",
		"c/x.c":      "int widget_count(void) { return 1; }\n",
	}), "gopls", "clangd", "typescript-language-server")
	for _, q := range []struct{ query, match, missing string }{
		{"Loader", "exact", ""},
		{"Loader", "fuzzy", ""},
		{"^Load", "regex", ""},
		{"^Loader$", "regex", ""},
		{"paint", "exact", ""},
		{"paint", "fuzzy", "web/app.js:2"},
		{"pntll", "fuzzy", "web/app.js:2"},
		{"^paint", "regex", "web/app.js:2"},
		{"widget_count", "exact", "c/x.c:1"},
		{"Widget", "fuzzy", "c/x.c:1"},
	} {
		a := run(t, session, "search_workspace_symbols", map[string]any{"query": q.query, "match": q.match})
		claim := "complete"
		if q.missing != "" {
			claim = "partial"
		}
		if warnings := fmt.Sprint(a["warnings"]); a["completeness"] != claim ||
			!strings.Contains(warnings, q.missing) ||
			q.missing == "" && warnings != "[]" {
			t.Errorf("%s search of %s: %s wanted (%s): %v", q.match, q.query, claim, q.missing, a)
		}
	}
}

// Sources outside of the compilation database are looked at where they may use what an answer is about, by a macro
// too, and what they hold is in it.
func TestSourcesThatMayUseTheNameAreInTheAnswer(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "clangd")
	dir := project(t, map[string]string{
		"a.h": "int foo();\nint bar();\nint baz();\n#define TWICE(x) (x + \\\n  baz())\nstruct Base { virtual int area(); };\n" +
			"using Alias = Base;\nstruct Other { virtual int area2(); };\n",
		"a.cc": "#include \"a.h\"\nint foo() { return 1; }\nint bar() { return foo(); }\nint baz() { return 2; }\n" +
			"static int kept;\nnamespace { int hidden; struct Own : Base { int area() override; }; }\nint open;\nint all(int param) { int local = param; return local + kept + hidden + open; }\n",
		"b.cc": "#include \"a.h\"\n// foo is not used here.\nint use() { return TWICE(bar()); }\nstruct Round : Alias { int area() override; };\n" +
			"extern int open;\nint own(int param) { int local = 1, kept = 2, hidden = 3; return local + param + kept + hidden + open; }\n",
	})
	write(t, dir, "all.cc", "#include \"keep.cc\"\nint once() { return stored; }\n")
	write(t, dir, "keep.cc", "static int stored;\nint get() { return stored; }\n")
	write(t, dir, "compile_commands.json",
		fmt.Sprintf(
			`[{"directory":%[1]q,"file":"a.cc","command":"c++ -c a.cc"},{"directory":%[1]q,"file":"keep.cc","command":"c++ -c keep.cc"}]`, dir))
	session := toolstest.Real(t, dir, "clangd")
	for _, q := range []struct{ tool, file, name, use string }{
		{"find_references", "a.cc", "foo", ""},
		{"call_hierarchy", "a.cc", "foo", ""},
		{"find_references", "a.cc", "bar", "b.cc:3"},
		{"find_references", "a.cc", "baz", "b.cc:3"},
		{"find_implementations", "a.h", "Base", "b.cc:4"},
		{"find_implementations", "a.h", "Other", ""},
		{"find_references", "a.h", "area2", ""},
		{"find_references", "a.cc", "local", ""},
		{"find_references", "a.cc", "param", ""},
		{"find_references", "a.cc", "kept", ""},
		{"find_references", "a.cc", "hidden", ""},
		{"find_references", "a.cc", "open", "b.cc:5"},
		{"find_references", "a.cc", "Own", ""},
		{"find_references", "keep.cc", "stored", "all.cc:2"},
		{"find_references", "a.cc", "Own::area", ""},
	} {
		a := run(t, session, q.tool, map[string]any{"file_path": q.file, "symbol_name": q.name})
		file, line, _ := strings.Cut(q.use, ":")
		files := fmt.Sprint(a["files"])
		found := strings.Contains(files, "file_path:"+file+" references:["+line+":") ||
			strings.Contains(files, "file_path:"+file+" implementations:["+line+":")
		if a["completeness"] != "complete" || q.use != "" && !found || q.tool != "find_implementations" &&
			q.use == "" && strings.Contains(files, "b.cc") {
			t.Errorf("%s of %s: %s wanted: %v", q.tool, q.name, q.use, a)
		}
	}
}
