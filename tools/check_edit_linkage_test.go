//go:build unix

package tools

import (
	"fmt"
	"strings"
	"testing"

	"lspi/internal/testkit/sessions"
)

// No server of a language whose files are compiled one by one reports what the linker would, nor what an edit breaks in code that is not
// built (clangd 22.1.8).
func TestCheckEditBeyondOneFile(t *testing.T) {
	needServer(t, "clangd")
	files := map[string]string{
		"lib.h": "#pragma once\nnamespace n {\nint f(int n);\nextern int counter;\nstruct S {\n  int m();\n  ~S();\n};\ninline int g(int n) { return n; }\n" +
			"int lone(int n);\nint gone(int n);\n#define CALL(x) f(x)\n}\n",
		"lib.cc": "#include \"lib.h\"\nnamespace n {\nint f(int n) { return n; }\nint counter = 0;\nint S::m() { return 1; }\nS::~S() {}\n" +
			"int lone(int n) { return n; }\nint gone(int n) { return n; }\nstatic int own(int n) { return n; }\nint with() { return own(1); }\n}\n",
		"use.cc": "#include \"lib.h\"\nint use() {\n  n::S s;\n  return n::f(1) + n::counter + s.m() + n::g(2);\n}\n#ifdef OFF\nint off() { return n::lone(CALL(1)); }\n#endif\n",
		"dup.cc": "int dup() { return 1; }\nint other = 2;\nint main() { return dup(); }\n",
	}
	names := []string{"lib.cc", "use.cc", "dup.cc"}
	edits := []struct {
		edits []string
		want  map[string][]string // kinds of warnings, each with what its message holds; nil: the answer is complete
	}{
		{[]string{"lib.cc", "int f(int n) { return n; }", "namespace {\nint f(int n) { return n; }\n}", "lib.cc", "int counter = 0;\n", "",
			"lib.cc", "int S::m() { return 1; }\nS::~S() {}\n", "", "lib.h", "inline int g", "int g"},
			map[string][]string{"compiler_only": {"n::f, which is still declared at lib.h:3 and used in 1 place", "lib.h:4", "lib.h:6", "lib.h:7", "g is not inline at lib.h:9"}}},
		{[]string{"lib.cc", "int f(int n)", "int f(int n, int m)", "lib.cc", "int with()", "}\nint dup() { return 2; }\nint other;\nnamespace n {\nint with()"},
			map[string][]string{"compiler_only": {"lib.h:3", "dup, which already has a definition at dup.cc:1", "dup.cc:2"}}},
		{[]string{"lib.h", "int f(int n)", "int f(long n)", "lib.h", "#define CALL(x) f(x)", "#define CALL(x, y) f(x)"},
			map[string][]string{"compiler_only": {"lib.cc:3"}, "not_built": {"use.cc:7"}}},
		{[]string{"lib.h", "int lone(int n)", "int lone(long n)", "lib.cc", "int lone(int n)", "int lone(long n)"},
			map[string][]string{"not_built": {"use.cc:7"}}},
		{[]string{"lib.cc", "int f(int n) { return n; }", "int f(int n) { return n + 1; }", "lib.cc", "int with()", "int fresh() { return 1; }\nint with()",
			"lib.cc", "static int own(int n)", "static int own(int n, int = 0)",
			"lib.h", "int lone", "inline int more(int n) { return n; }\ntemplate <class T> T same(T t) { return t; }\nint lone",
			"lib.h", "  int m();", "  int m();\n  int in() { return 1; }",
			"dup.cc", "int dup() { return 1; }\n", "", "dup.cc", "return dup()", "return 1"}, nil},
		{[]string{"lib.h", "int gone(int n);\n", "", "lib.cc", "int gone(int n) { return n; }\n", ""}, nil},
	}
	for _, size := range []string{"small", "with an index"} {
		t.Run(size, func(t *testing.T) {
			t.Parallel()
			dir, sources := project(t, files), names
			if size != "small" {
				for n := range 10 {
					name := fmt.Sprintf("f%d.cc", n)
					write(t, dir, name, fmt.Sprintf("int f%d() { return 1; }\n", n))
					sources = append(sources[:len(sources):len(sources)], name)
				}
			}
			compileCommands(t, dir, sources...)
			env := sessions.Real(t, dir, "clangd")
			for i, e := range edits {
				if size != "small" && i%2 != 0 { // each of the ways to ask once more
					continue
				}
				a := tryEdits(t, env, e.edits...)
				recommended := strings.Contains(fmt.Sprint(a["next_steps"]), "apply_if_clean")
				if e.want == nil && (a["completeness"] != "complete" || !recommended) || e.want != nil && (a["completeness"] != "partial" || recommended) {
					t.Errorf("%q: %v", e.edits, a)
				}
				for kind, places := range e.want {
					for _, place := range places {
						if w := warningOf(a, kind); w == nil || !strings.Contains(fmt.Sprint(w["message"]), place) {
							t.Errorf("%s at %s: %v", kind, place, a)
						}
					}
				}
			}
		})
	}
}
