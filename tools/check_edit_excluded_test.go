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
	"lspi/tools/session"
	"lspi/tools/toolstest"
)

// gopls checks the files of one build: an edit that breaks those of another brings no error (0.23.0).
func TestAnEditThatFilesOfAnotherBuildNoticeIsNotRecommended(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "gopls")
	const text = "package a\n\nvar Help = `text`\n\nfunc Foo(n int) int {\n\treturn n\n}\n\ntype Doer interface{ Do() }\n\ntype T struct{ N, M int }\n\nfunc private() {}\n\nvar _ = private\n"
	dir := project(t, map[string]string{
		"go.mod":         "module ex.com/gp\n\ngo 1.24\n",
		"a/a.go":         text,
		"a/a_plan9.go":   "package a\n\nvar _ = Help\n\nfunc other() {}\n\ntype impl struct{}\n\nfunc (impl) Do() {}\n",
		"b/b_plan9.go":   "package b\n\nimport \"ex.com/gp/a\"\n\nvar _ = a.Foo(a.T{}.N)\n\nfunc private() {}\n",
		"far/f_plan9.go": "package far\n\nvar Help, Foo = 1, 2\n",
		"s/s.go":         "package s\n\nimport _ \"unsafe\"\n\nvar seed, other = 1, 2\n\nfunc fast() int\n\nfunc Do() int { return other + fast() }\n\nfunc slow() {}\n\n//go:linkname given ex.com/gp/s.given\nfunc given() {}\n\ntype T struct{ Name int }\n",
		"s/s_amd64.s":    "#include \"textflag.h\"\n\nTEXT ·fast(SB),NOSPLIT,$0-8\n\tMOVQ ·seed(SB), AX\n\tMOVQ AX, ret+0(FP)\n\tRET\n\nTEXT ·other1(SB),NOSPLIT,$0\n\tCALL ·slow(SB)\n\tRET\n",
		"l/l.go":         "package l\n\nimport _ \"unsafe\"\n\n//go:linkname do ex.com/gp/s.Do\nfunc do() int\n\nvar _ = do\n",
		"l/l.s":          "",
		"cmd/main.go":    "package main\n\nfunc main() { run() }\n\nfunc run() {}\n",
	})
	session := toolstest.Real(t, dir, "gopls")
	for _, c := range []struct {
		old, new string
		want     []string
	}{
		{"var Help = ", "var HelpX = ", []string{"a/a_plan9.go"}},
		{"Foo(n int) int", "Foo(n, m int) int", []string{"b/b_plan9.go"}},
		{"{ Do() }", "{ Do(); Undo() }", []string{"a/a_plan9.go"}},
		{"N, M int", "M int", []string{"b/b_plan9.go"}},
		{"func private() {}", "func other() {}\n\nfunc private() {}", []string{"a/a_plan9.go"}},
		{"\treturn n\n", "\tn++\n\treturn n\n", nil},
		{"func Foo", "// Foo does.\nfunc Foo", nil},
		{"private", "hidden", nil},
	} {
		a := tryEdits(t, session, "a/a.go", c.old, c.new)
		if c.old == "private" {
			a = run(t, session, "check_edit",
				map[string]any{"edits": []map[string]any{{"file_path": "a/a.go",
					"new_text": strings.ReplaceAll(text, "private", "hidden")}}})
		}
		steps := strings.Contains(fmt.Sprint(a["next_steps"]), "apply_if_clean")
		if got := excludedFiles(a); !slices.Equal(got, c.want) ||
			(a["completeness"] == "complete") != (c.want == nil) || steps != (c.want == nil) {
			t.Errorf("%q: %v, want %v: %v", c.new, got, c.want, a)
		}
	}
	a := run(t, session, "check_edit", map[string]any{"apply_if_clean": true,
		"edits": []map[string]any{{"file_path": "a/a.go", "old_text": "var Help = ", "new_text": "var HelpX = "}}})
	if now, err := os.ReadFile(filepath.Join(dir, "a/a.go")); err != nil || string(now) != text ||
		a["applied"] != false {
		t.Errorf("applied: %v", a)
	}
	onlyCompiled(t, session)
}

// gopls checks types: what the go command, the compiler and the linker refuse brings no error (0.23.0). The edits
// are those after which go build or go test fails, with the file and line of the reason; the others keep building.
func onlyCompiled(t *testing.T, session *session.Session) {
	for _, c := range []struct{ file, old, new, want string }{
		{"a/a.go", "package a\n", "//go:build windows\n\npackage a\n", "a/a.go:1 the build constraint"},
		{"a/tag.go", "", "//go:build none\n\npackage a\n\nvar X int = \"\"\n", "a/tag.go:1"},
		{"a/gen.go", "", "//go:build ignore\n\npackage main\n\nfunc main() {}\n", ""},
		{"a/new_windows.go", "", "package a\n\nfunc OnWindows() int { return Foo(1) }\n", ""},
		{"a/a.go", "func Foo(n int) int {\n\treturn n\n}\n", "func Foo(n int) int\n",
			"a/a.go:5 the function Foo, which has no body"},
		{"a/a_test.go", "", "package a\n\nfunc TestX(n int) {}\n",
			"a/a_test.go:3 the signature of the test function TestX"},
		{"cmd/main.go", "func main()", "func Main()", "cmd/main.go:1 package main, which has no func main then"},
		{"cmd/new/n.go", "", "package main\n\nfunc run() {}\n",
			"cmd/new/n.go:1 package main, which has no func main then"},
		{"cmd/new/n.go", "", "package main\n\nfunc main() {}\n", ""},
		{"cmd/other.go", "", "package main\n\nfunc other() {}\n", ""},
		{"s/s.go", "var seed,", "var Seed,", "s/s_amd64.s:4 seed, which assembly names"},
		{"s/s.go", "func Do() int { return other +", "func Do() int { return 1 + other +", ""},
		{"s/s.go", "func Do() int {", "func Do(_ ...int) int {", "l/l.go:5 Do, which //go:linkname names"},
	} {
		a := tryEdits(t, session, c.file, c.old, c.new)
		got := ""
		if w := warningOf(a, "compiler_only"); w != nil {
			file, line, what := fmt.Sprint(w["files"].([]any)[0]), w["line"], fmt.Sprint(w["message"])
			what, _, _ = strings.Cut(strings.TrimPrefix(what, "the edit changes "), " ("+file)
			got = fmt.Sprintf("%s:%v %s", file, line, what)
		} else if w := warningOf(a, "not_built"); w != nil {
			got = fmt.Sprintf("%v:%v", w["files"].([]any)[0], w["line"])
		}
		steps := strings.Contains(fmt.Sprint(a["next_steps"]), "apply_if_clean")
		if got != c.want || (a["completeness"] == "complete") != (c.want == "") || steps != (c.want == "") {
			t.Errorf("%s, %q: %q, want %q: %v", c.file, c.new, got, c.want, a)
		}
	}
	a := run(t, session, "check_edit", applying(tried("cmd/main.go", "func main()", "func Main()")))
	if a["applied"] != false || !strings.Contains(fmt.Sprint(a["not_applied"]), "no func main") ||
		!strings.Contains(fmt.Sprint(a["next_steps"]), "build and test") {
		t.Errorf("applied: %v", a)
	}
	for name, want := range map[string]string{"seed": "s/s_amd64.s:4", "Do": "l/l.go:5", "fast": "s/s.go:7",
		"other": ""} {
		a := run(t, session, "rename_symbol", map[string]any{"file_path": "s/s.go", "symbol_name": name,
			"new_name": name + "2"})
		got, steps := "", strings.Contains(fmt.Sprint(a["next_steps"]), "dry_run:false")
		if w := warningOf(a, "compiler_only"); w != nil {
			got = fmt.Sprintf("%v:%v", w["files"].([]any)[0], w["line"])
		}
		if got != want || (a["completeness"] == "complete") != (want == "") || steps != (want == "") {
			t.Errorf("rename of %s: %q, want %q: %v", name, got, want, a)
		}
	}
	linkerNamed(t, session)
}

// gopls lists no uses in assembly and in go:linkname directives (0.23.0).
func linkerNamed(t *testing.T, session *session.Session) {
	for name, want := range map[string][2]string{ // of references, of callers
		"seed": {"s/s_amd64.s:4", ""}, "Do": {"l/l.go:5", "l/l.go:5"}, "fast": {"s/s_amd64.s:3", ""},
		"slow":  {"s/s_amd64.s:9", "s/s_amd64.s:9"},
		"other": {"", ""}, "given": {"", ""}, "T.Name": {"", ""},
	} {
		for i, tool := range []string{"find_references", "call_hierarchy", "symbol_bundle"} {
			want := want[i%2]
			if tool == "call_hierarchy" && (name == "seed" || name == "other" || name == "T.Name") {
				continue
			}
			a := run(t, session, tool, map[string]any{"file_path": "s/s.go", "symbol_name": name})
			// A bundle, whose parts are asked at the same time, may tell of a caller's uses before those of the name.
			told := ""
			for _, w := range a["warnings"].([]any) {
				if w := w.(map[string]any); w["kind"] == "unexplained" {
					told += fmt.Sprintln(w["message"])
				}
			}
			if (told == "") != (want == "") || !strings.Contains(told, want) ||
				(a["completeness"] == "complete") != (want == "") {
				t.Errorf("%s of %s, want %q: %v", tool, name, want, a)
			}
		}
	}
	late := filepath.Join(session.Workspace.Root, "s", "late_amd64.s")
	testkit.Must(t, os.WriteFile(late, []byte("DATA p<>(SB)/8, $·other(SB)\n"), 0o644))
	a := run(t, session, "find_references", map[string]any{"file_path": "s/s.go", "symbol_name": "other"})
	if w := warningOf(a, "unexplained"); w == nil || !strings.Contains(fmt.Sprint(w["message"]), "s/late_amd64.s:1") {
		t.Errorf("a new use in assembly: %v", a)
	}
}

// rust-analyzer marks what #[cfg] leaves out, and reports nothing else there; cargo check does not see it either
// (1.97.1).
func TestCheckEditNotBuilt(t *testing.T) {
	testkit.Always(t, "rust-analyzer") // TestCheckEditNotBuiltCPP is the same of clangd
	t.Parallel()
	needServer(t, "rust-analyzer")
	const lib = "pub fn a() -> u8 {\n    1\n}\n\n#[cfg(feature = \"x\")]\npub fn b() -> u8 {\n    2\n}\n\npub fn c() -> u8 {\n    3\n}\n"
	dir := project(t,
		map[string]string{"Cargo.toml": "[package]\nname = \"m\"\nedition = \"2021\"\n\n[features]\nx = []\n",
			"src/lib.rs": lib})
	session := toolstest.Real(t, dir, "rust-analyzer")
	for _, c := range []struct {
		name, old, text string
		line            float64 // of the warning; 0 when there is none
	}{
		{"an error in what is left out", "    2\n", "    let x: u8 = \"a\"; nonsense();\n", 7},
		{"what is left out is taken away", "#[cfg(feature = \"x\")]\npub fn b() -> u8 {\n    2\n}\n", "", 5},
		{"new code that is left out", "pub fn c()", "#[cfg(feature = \"x\")]\npub fn d() -> u8 { \"\" }\n\npub fn c()",
			10},
		{"beside it", "    3\n", "    4\n", 0},
	} {
		a := run(t, session, "check_edit", tried("src/lib.rs", c.old, c.text))
		w := warningOf(a, "not_built")
		switch {
		case c.line == 0 && w != nil, c.line > 0 && (w == nil || w["line"] != c.line):
			t.Errorf("%s: %v", c.name, a)
		case c.line > 0 && strings.Contains(fmt.Sprint(a["next_steps"]), "apply_if_clean"):
			t.Errorf("%s is recommended: %v", c.name, a["next_steps"])
		}
		if c.line > 0 {
			a = run(t, session, "check_edit", applying(tried("src/lib.rs", c.old, c.text)))
			if a["applied"] != false || !strings.Contains(fmt.Sprint(a["not_applied"]), "does not build") {
				t.Errorf("%s: %v", c.name, a)
			}
		}
		if raw, err := os.ReadFile(filepath.Join(dir, "src/lib.rs")); err != nil || string(raw) != lib {
			t.Fatalf("%s wrote %s, %v", c.name, raw, err)
		}
	}
	// Of what was written with cargo check compared nothing is missing, and one edit counts once.
	a := run(t, session, "check_edit",
		applying(tried("src/lib.rs", "pub fn a() -> u8 {\n    1\n}",
			"pub fn a() -> u16 {\n    let a = 7;\n    a + 8\n}")))
	if a["applied"] != true || a["completeness"] != "complete" || a["totals"].(map[string]any)["edits"] != 1. {
		t.Errorf("%v", a)
	}
}

// clangd checks nothing in what #if and #ifdef leave out, in sources as in headers, and tells which lines these are
// (22.1.8).
func TestCheckEditNotBuiltCPP(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "clangd")
	const header = "#pragma once\n#ifdef HAVE_SNAPPY\ninline int most(int n) { return snappy::Most(n); }\n#else\ninline int most(int n) { return n; }\n#endif\n"
	dir := project(t, map[string]string{"port.h": header,
		"a.cc":   "#include \"port.h\"\nint use() { return most(1); }\n#if 0\nint gone() { return 1; }\n#endif\nint named(int n) {\n  return n;\n}\n",
		"use.go": "package p\n\n// int named(int n);\nimport \"C\"\n\nvar Y C.int\n\nvar X = C.named(1)\n"})
	compileCommands(t, dir, "a.cc")
	session := toolstest.Real(t, dir, "clangd")
	for _, c := range []struct {
		file, old, text string
		line            float64 // of the warning; 0 when there is none
	}{
		{"port.h", "snappy::Most(n)", "snappy::Most(n", 3},
		{"port.h", "inline int most(int n) { return snappy::Most(n); }\n", "", 3},
		{"a.cc", "int gone() { return 1; }", "int gone() { return \"\" }", 4},
		{"a.cc", "int use()", "#ifdef _WIN32\nint other() { return nothing(); }\n#endif\nint use()", 3},
		{"port.h", "{ return n; }", "{ return n + 1; }", 0},
	} {
		a := run(t, session, "check_edit", tried(c.file, c.old, c.text))
		w := warningOf(a, "not_built")
		switch {
		case c.line == 0 && (w != nil || a["completeness"] != "complete"), c.line > 0 &&
			(w == nil || w["line"] != c.line || a["completeness"] != "partial"):
			t.Errorf("%s: %v", c.old, a)
		case (c.line == 0) != strings.Contains(fmt.Sprint(a["next_steps"]), "apply_if_clean"):
			t.Errorf("%s: %v", c.old, a["next_steps"])
		}
		if c.line == 0 {
			continue
		}
		a = run(t, session, "check_edit", applying(tried(c.file, c.old, c.text)))
		if a["applied"] != false || !strings.Contains(fmt.Sprint(a["not_applied"]), "does not build") {
			t.Errorf("%s: %v", c.old, a)
		}
	}
	a := run(t, session, "check_edit", tried("a.cc", "named(int n)", "named(int n, int m)"))
	if w := warningOf(a, "compiler_only"); w == nil || fmt.Sprint(w["files"], w["line"]) != "[use.go] 8" ||
		a["completeness"] != "partial" || !strings.Contains(fmt.Sprint(w["message"]), "changes named,") {
		t.Errorf("what Go uses by cgo: %v", a)
	}
	if raw, err := os.ReadFile(filepath.Join(dir, "port.h")); err != nil || string(raw) != header {
		t.Errorf("wrote %s, %v", raw, err)
	}
}

// No server of a language whose files are compiled one by one reports what the linker would, nor what an edit
// breaks in code that is not built (clangd 22.1.8).
func TestCheckEditBeyondOneFile(t *testing.T) {
	testkit.OwnServer(t)
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
		{[]string{"lib.cc", "int f(int n) { return n; }", "namespace {\nint f(int n) { return n; }\n}", "lib.cc",
			"int counter = 0;\n", "",
			"lib.cc", "int S::m() { return 1; }\nS::~S() {}\n", "", "lib.h", "inline int g", "int g"},
			map[string][]string{"compiler_only": {"n::f, which is still declared at lib.h:3 and used in 1 place",
				"lib.h:4", "lib.h:6", "lib.h:7", "g is not inline at lib.h:9"}}},
		{[]string{"lib.cc", "int f(int n)", "int f(int n, int m)", "lib.cc", "int with()",
			"}\nint dup() { return 2; }\nint other;\nnamespace n {\nint with()"},
			map[string][]string{"compiler_only": {"lib.h:3", "dup, which already has a definition at dup.cc:1",
				"dup.cc:2"}}},
		{[]string{"lib.h", "int f(int n)", "int f(long n)", "lib.h", "#define CALL(x) f(x)", "#define CALL(x, y) f(x)"},
			map[string][]string{"compiler_only": {"lib.cc:3"}, "not_built": {"use.cc:7"}}},
		{[]string{"lib.h", "int lone(int n)", "int lone(long n)", "lib.cc", "int lone(int n)", "int lone(long n)"},
			map[string][]string{"not_built": {"use.cc:7"}}},
		{[]string{"lib.cc", "int f(int n) { return n; }", "int f(int n) { return n + 1; }", "lib.cc", "int with()",
			"int fresh() { return 1; }\nint with()",
			"lib.cc", "static int own(int n)", "static int own(int n, int = 0)",
			"lib.h", "int lone",
			"inline int more(int n) { return n; }\ntemplate <class T> T same(T t) { return t; }\nint lone",
			"lib.h", "  int m();", "  int m();\n  int in() { return 1; }",
			"dup.cc", "int dup() { return 1; }\n", "", "dup.cc", "return dup()", "return 1"}, nil},
		{[]string{"lib.h", "int gone(int n);\n", "", "lib.cc", "int gone(int n) { return n; }\n", ""}, nil},
	}
	for _, size := range []string{"small", "with an index"} {
		t.Run(size, func(t *testing.T) {
			testkit.Always(t, size, "small")
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
			session := toolstest.Real(t, dir, "clangd")
			for i, e := range edits {
				if size != "small" && i%2 != 0 { // each of the ways to ask once more
					continue
				}
				a := tryEdits(t, session, e.edits...)
				recommended := strings.Contains(fmt.Sprint(a["next_steps"]), "apply_if_clean")
				if e.want == nil && (a["completeness"] != "complete" || !recommended) || e.want != nil &&
					(a["completeness"] != "partial" || recommended) {
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
