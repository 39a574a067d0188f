package move

import (
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/tools/move/splice"
)

// TestCFiles finds where includes and declarations come into a file.
func TestCFiles(t *testing.T) {
	for name, c := range map[string]struct{ path, text, add, want string }{
		"in order": {"a.h", "#ifndef A_H_\n#define A_H_\n\n#include <map>\n#include <string>\n\nnamespace a {\n}\n\n#endif\n", "<set>",
			"#ifndef A_H_\n#define A_H_\n\n#include <map>\n#include <set>\n#include <string>\n\nnamespace a {\n}\n\n#endif\n"},
		"another kind": {"a.h", "#pragma once\n#include <map>\n\nint a;\n", `"b.h"`,
			"#pragma once\n#include <map>\n\n#include \"b.h\"\n\nint a;\n"},
		"the own header stands apart": {"a.cc", "#include \"a.h\"\n\n#include \"c.h\"\n\nint a;\n", `"b.h"`,
			"#include \"a.h\"\n\n#include \"b.h\"\n#include \"c.h\"\n\nint a;\n"},
		"none yet": {"a.cc", "// Notice.\n\n// A.\nint a;\n", `"b.h"`, "// Notice.\n\n#include \"b.h\"\n\n// A.\nint a;\n"},
		"none yet, in a guard": {"a.h", "// Notice.\n#ifndef A\n#define A\nint a;\n#endif\n", "<map>",
			"// Notice.\n#ifndef A\n#define A\n\n#include <map>\n\nint a;\n#endif\n"},
		"not in order": {"a.cc", "#include \"z/a.h\"\n#include \"b/a.h\"\n#include \"c.h\"\n", `"b/b.h"`,
			"#include \"z/a.h\"\n#include \"b/a.h\"\n#include \"b/b.h\"\n#include \"c.h\"\n"},
		"not in a comment or under a condition": {"a.cc", "/*\n#include <a>\n*/\n#if X\n#include <b>\n#endif\nint a;\n", "<c>",
			"/*\n#include <a>\n*/\n\n#include <c>\n\n#if X\n#include <b>\n#endif\nint a;\n"},
		"behind a byte order mark": {"a.cc", "\uFEFF// Notice.\n#include <a>\nint a;\n", "<c>",
			"\uFEFF// Notice.\n#include <a>\n#include <c>\nint a;\n"},
		"none yet, behind a byte order mark": {"a.cc", "\uFEFFint a;\n", "<c>", "\uFEFF#include <c>\n\nint a;\n"},
		"crlf":                               {"a.cc", "#include <a>\r\nint a;\r\n", "<c>", "#include <a>\r\n#include <c>\r\nint a;\r\n"},
	} {
		testkit.Equal(t, splice.Apply(c.text, []splice.Change{cFileOf(c.path, c.text).include(c.add)}), c.want, name)
	}
}

// TestCItems finds where declarations begin and end.
func TestCItems(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"int a; struct B { int c; } d, e; void f() {} enum class G : int { h };", []string{"int a;",
			"struct B { int c; } d, e;", "void f() {}", "enum class G : int { h };"}},
		{"template <class T, int n = (3 > 2)> struct A { T t; }; A::A() : b{1}, c{2} { int d; } int e[] = {1, 2};", []string{
			"template <class T, int n = (3 > 2)> struct A { T t; };", "A::A() : b{1}, c{2} { int d; }", "int e[] = {1, 2};"}},
		{"struct S f(int a) { return {}; }\n#define X {\nauto g = [] { return 1; };\ntypedef struct { int a; } H;", []string{
			"struct S f(int a) { return {}; }", "auto g = [] { return 1; };", "typedef struct { int a; } H;"}},
		{"namespace a { int b; } extern \"C\" { int c; } class [[nodiscard]] E final : F { };", []string{
			"namespace a { int b; }", "extern \"C\" { int c; }", "class [[nodiscard]] E final : F { };"}},
	} {
		f := cFileOf("a.cc", c.text)
		var got []string
		for _, i := range f.items(-1) {
			got = append(got, c.text[i.start:i.end])
		}
		testkit.Equal(t, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
	}
}

// TestCCut takes whole declarations out of a file, with their comments and with nothing of others.
func TestCCut(t *testing.T) {
	for _, c := range []struct {
		text string
		take []int  // items
		want string // "" where one shares its lines
	}{
		{"int a;\n\n// B.\nint b;\n\nint c;\n", []int{1}, "int a;\n\nint c;\n"},
		{"int a;\n\nint b;\n\nint c;\n", []int{1, 2}, "int a;\n"},
		{"int a;\r\n\r\nint b;", []int{1}, "int a;\r\n"},
		{"int a;\n\n/* B\n\n   b. */\nint b;\n", []int{1}, "int a;\n"},
		{"int a;\nint b; /* B\n b. */\n", []int{1}, ""},
		{"int a; /* A\n a. */\nint b;\n", []int{1}, ""},
		{"\uFEFFint a;\nint b;\n", []int{0}, "\uFEFFint b;\n"},
	} {
		f := cFileOf("a.cc", c.text)
		all, got := f.items(-1), ""
		var parts []cItem
		for _, n := range c.take {
			if start, end, ok := f.lines(all[n]); ok {
				parts = append(parts, cItem{start, end})
			}
		}
		if len(parts) == len(c.take) {
			got = f.cut(parts)
		}
		testkit.Equal(t, got, c.want)
	}
}
