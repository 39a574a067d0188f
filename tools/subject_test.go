package tools

import (
	"fmt"
	"strings"
	"testing"

	"lspi/internal/testkit/sessions"
)

// Files that no server reads limit a search only when they may declare what it would find.
func TestOnlyFilesThatMayDeclareAMatchLimitASearch(t *testing.T) {
	t.Parallel()
	needServer(t, "gopls")
	needServer(t, "clangd")
	needServer(t, "typescript-language-server")
	env := sessions.Real(t, project(t, map[string]string{
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
		a := run(t, env, "search_workspace_symbols", map[string]any{"query": q.query, "match": q.match})
		claim := "complete"
		if q.missing != "" {
			claim = "partial"
		}
		if warnings := fmt.Sprint(a["warnings"]); a["completeness"] != claim || !strings.Contains(warnings, q.missing) ||
			q.missing == "" && warnings != "[]" {
			t.Errorf("%s search of %s: %s wanted (%s): %v", q.match, q.query, claim, q.missing, a)
		}
	}
}

// Sources outside of the compilation database are looked at where they may use what an answer is about, by a macro too, and what they
// hold is in it.
func TestSourcesThatMayUseTheNameAreInTheAnswer(t *testing.T) {
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
		fmt.Sprintf(`[{"directory":%[1]q,"file":"a.cc","command":"c++ -c a.cc"},{"directory":%[1]q,"file":"keep.cc","command":"c++ -c keep.cc"}]`, dir))
	env := sessions.Real(t, dir, "clangd")
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
		a := run(t, env, q.tool, map[string]any{"file_path": q.file, "symbol_name": q.name})
		file, line, _ := strings.Cut(q.use, ":")
		files := fmt.Sprint(a["files"])
		found := strings.Contains(files, "file_path:"+file+" references:["+line+":") || strings.Contains(files, "file_path:"+file+" implementations:["+line+":")
		if a["completeness"] != "complete" || q.use != "" && !found || q.tool != "find_implementations" && q.use == "" && strings.Contains(files, "b.cc") {
			t.Errorf("%s of %s: %s wanted: %v", q.tool, q.name, q.use, a)
		}
	}
}
