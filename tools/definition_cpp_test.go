package tools

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/tools/toolstest"
)

// compileCommands writes the compilation database of C++ sources in a folder.
func compileCommands(t *testing.T, dir string, sources ...string) {
	t.Helper()
	var entries []string
	for _, name := range sources {
		entries = append(entries,
			fmt.Sprintf(`{"directory":%q,"file":%[2]q,"arguments":["clang++","-std=c++20","-I.","-c",%[2]q]}`, dir,
				name))
	}
	list := "[" + strings.Join(entries, ",\n") + "]"
	write(t, dir, "compile_commands.json", list)
}

// Asked at a definition clangd goes to the declaration and back, whichever of the two it is asked for (22.1.8). The
// definition is the definition and the declaration the declaration, from whichever side they are asked about.
func TestDefinitionAndDeclarationFromEverySide(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "clangd")
	dir := project(t, map[string]string{
		"w.h": `#pragma once
class Fwd;
int free_function(int a);
extern int global_variable;
class W {
 public:
  W();
  ~W();
  int method(int a) const;
  static int static_method();
  static int static_member;
  class Inner;
  int inline_method() { return 1; }
};
template <class T> struct Box { T get(); T value; };
template <class T> T Box<T>::get() { return value; }
enum Color : int;
int never_defined();
`,
		"w.cpp": `#include "w.h"
class Fwd { public: int in_fwd(); };
int free_function(int a) { return a; }
int global_variable = 3;
W::W() {}
W::~W() {}
int W::method(int a) const { return a; }
int W::static_method() { return static_member; }
int W::static_member = 4;
class W::Inner { int x; };
enum Color : int { Red };
`,
		"main.cpp": `#include "w.h"
int use(Fwd* f, W::Inner* i, Color c, W w, Box<int> b) {
  int n = free_function(1) + global_variable + w.method(2) + W::static_method() + W::static_member;
  return n + w.inline_method() + b.get() + never_defined();
}
`,
	})
	compileCommands(t, dir, "w.cpp", "main.cpp")
	session := toolstest.Real(t, dir, "clangd")
	place := func(tool, file string, line int, name, target string) string {
		arguments := map[string]any{"file_path": file, "line": line, "symbol_name": name}
		if tool == "find_definition" {
			arguments["target"] = target
		}
		a := run(t, session, tool, arguments)
		var found map[string]any
		switch all, _ := a["definitions"].([]any); {
		case tool == "hover":
			found, _ = a["definition"].(map[string]any)
		case tool == "symbol_bundle":
			h, _ := a["hover"].(map[string]any)
			found, _ = h["definition"].(map[string]any)
		case len(all) == 1:
			found = all[0].(map[string]any)
		}
		if found == nil || a["completeness"] != "complete" {
			return fmt.Sprint(a)
		}
		return fmt.Sprintf("%s:%v", found["file_path"], found["line"])
	}
	for _, c := range []struct {
		name, declared, defined string
		use                     int
	}{
		{"Fwd", "w.h:2", "w.cpp:2", 2},
		{"free_function", "w.h:3", "w.cpp:3", 3},
		{"global_variable", "w.h:4", "w.cpp:4", 3},
		{"W::W", "w.h:7", "w.cpp:5", 0},
		{"method", "w.h:9", "w.cpp:7", 3},
		{"static_method", "w.h:10", "w.cpp:8", 3},
		{"static_member", "w.h:11", "w.cpp:9", 3},
		{"Inner", "w.h:12", "w.cpp:10", 2},
		{"inline_method", "w.h:13", "w.h:13", 4},
		{"get", "w.h:15", "w.h:16", 4},
		{"Color", "w.h:17", "w.cpp:11", 2},
		{"never_defined", "w.h:18", "w.h:18", 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, at := range []string{c.declared, c.defined} {
				file, line, _ := strings.Cut(at, ":")
				var n int
				if _, err := fmt.Sscan(line, &n); err != nil {
					t.Fatal(err)
				}
				for target, want := range map[string]string{"definition": c.defined, "declaration": c.declared} {
					equal(t, at+" "+target, place("find_definition", file, n, c.name, target), want)
				}
				equal(t, at+" hover", place("hover", file, n, c.name, ""), c.defined)
			}
			if c.use == 0 {
				return
			}
			equal(t, "use definition", place("find_definition", "main.cpp", c.use, c.name, "definition"), c.defined)
			equal(t, "use declaration", place("find_definition", "main.cpp", c.use, c.name, "declaration"), c.declared)
		})
	}
	equal(t, "bundle", place("symbol_bundle", "w.cpp", 3, "free_function", ""), "w.cpp:3")
}

// What clangd cannot resolve because a header is not found it answers for the symbol around it, or the one whose
// declaration the name is part of (22.1.8). None of that is about what was asked.
func TestNoAnswerForAnotherSymbol(t *testing.T) {
	t.Parallel()
	needServer(t, "clangd")
	dir := project(t, map[string]string{
		"CMakeLists.txt":   "project(x)\n",
		"include/db/api.h": "#pragma once\nnamespace store {\nstruct Status {};\nstruct Key {};\nclass Impl { public: Status Get(const Key& k); };\n}\n",
		"db/impl.cc": `#include "db/api.h"
namespace store {
Status Impl::Get(const Key& k) {
  Status s;
  return s;
}
Status copy();
int plain() { return 1; }
int twice() { return plain() + plain(); }
}
#ifdef ELSEWHERE
int hidden = plain() + unknown();
#endif
`,
	})
	session := toolstest.Real(t, dir, "clangd")
	at := func(line int, name string) map[string]any {
		return map[string]any{"file_path": "db/impl.cc", "line": line, "symbol_name": name}
	}
	for _, tool := range []string{"find_definition", "hover", "find_references", "symbol_bundle",
		"find_implementations",
		"call_hierarchy", "type_hierarchy"} {
		for _, q := range []map[string]any{at(3, "Get"), at(7, "Status")} {
			a := run(t, session, tool, q)
			kind, message := errorOf(a)
			if kind != "no_compilation_database" || !strings.Contains(message, "compile_commands.json") {
				t.Errorf("%s of %v: %v", tool, q["symbol_name"], a)
			}
			testkit.Holds(t, fmt.Sprint(a["next_steps"]), "cmake -S . -B build", tool)
		}
	}
	a := run(t, session, "find_definition", at(9, "plain")) // which it knows in spite of that
	equal(t, "plain", len(a["definitions"].([]any)), 1)
	for _, tool := range []string{"find_definition", "hover"} { // of code that is not compiled, by the name
		if a := run(t, session, tool, at(12, "plain")); !strings.Contains(fmt.Sprint(a["warnings"]),
			"sees no symbol at plain") {
			t.Errorf("%s: %v", tool, a)
		}
	}
	a = run(t, session, "rename_symbol", map[string]any{"file_path": "db/impl.cc", "line": 3, "symbol_name": "Get",
		"new_name": "Fetch"})
	if kind, _ := errorOf(a); kind != "no_compilation_database" {
		t.Errorf("rename_symbol: %v", a)
	}
}

// errorOf are the precise kind and the message of an error; "" when the answer is none.
func errorOf(a reply) (kind, message string) {
	e, _ := a["error"].(map[string]any)
	if e == nil {
		return "", ""
	}
	fault := e["data"].(map[string]any)["lspi_error"].(map[string]any)
	return fmt.Sprint(fault["kind"]), fmt.Sprint(e["message"])
}

// Methods that a macro of a header makes have one name and one place, and clangd 22 tells them apart by the data of
// the item only. Of those in files that are not open it names few, if any.
func TestCallersThatAMacroMakes(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "clangd")
	dir := project(t, map[string]string{
		"t.h":   "#pragma once\nint check(int n);\n#define TEST(name) \\\n  struct Test_##name { \\\n    void Run(); \\\n  }; \\\n  void Test_##name::Run()\n",
		"t.cc":  "#include \"t.h\"\nint check(int n) { return n ? n : check(n + 1); }\n",
		"t1.cc": "#include \"t.h\"\nTEST(a) { check(1); }\nTEST(b) { check(2); }\nvoid plain() { check(3); }\n",
		"t2.cc": "#include \"t.h\"\nTEST(c) { check(4); }\n",
		"t3.cc": "#include \"t.h\"\nTEST(d) { check(5); }\n",
	})
	sources := []string{"t.cc", "t1.cc", "t2.cc", "t3.cc"}
	for n := range 10 { // more than are opened for one answer
		sources = append(sources, fmt.Sprintf("many%d.cc", n))
		write(t, dir, sources[4+n], fmt.Sprintf("#include \"t.h\"\nint many(int n);\nTEST(m%d) { many(%[1]d); }\n", n))
	}
	write(t, dir, "many.cc", "int many(int n) { return n; }\n")
	compileCommands(t, dir, append(sources, "many.cc")...)
	session := toolstest.Real(t, dir, "clangd")
	callers := func(file string) (reply, string) {
		a := run(t, session, "call_hierarchy", map[string]any{"file_path": file, "symbol_name": "check"})
		var out []string
		for _, n := range testkit.Nodes(t, a["incoming"]) {
			out = append(out, fmt.Sprint(n.Symbol, n.Calls))
		}
		slices.Sort(out)
		return a, strings.Join(out, " ")
	}
	for range 2 {
		a, got := callers("t.h")
		equal(t, "callers", got, "Test_a::Run[] Test_b::Run[] Test_c::Run[] Test_d::Run[] check[2] plain[4]")
		equal(t, "completeness", a["completeness"], any("complete"))
	}
	for _, want := range []string{"partial [unexplained] 8", "complete [] 10"} {
		a := run(t, session, "call_hierarchy", map[string]any{"file_path": "many.cc", "symbol_name": "many"})
		got := fmt.Sprint(a["completeness"], " ", a.kinds(), " ", len(a["incoming"].([]any)))
		equal(t, "many callers", got, want)
	}
}
