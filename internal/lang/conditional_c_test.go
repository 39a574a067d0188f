package lang

import (
	"fmt"
	"strings"
	"testing"
)

// Only code between conditions may be left out of a build: no comment, no text, no message, and nothing that stands
// in no more than the guard of a header.
func TestConditional(t *testing.T) {
	for text, want := range map[string]string{
		"int f();\n#ifdef X\nf();\n#endif\nf();\n":                                     "3",
		"#ifndef G\n#define G\nf();\n#if X\nf();\n#else\nf();\n#endif\n#endif\n":       "5 7",
		"/* f */\n#if !defined(G)\n#define G 1\nf();\n#endif  // G\n":                  "",
		"#ifndef G\n#define H\nf();\n#endif\n":                                         "3",
		"#ifndef G\n#define G\n#endif\nf();\n#ifdef X\nf();\n#endif\n":                 "6",
		"#ifdef f\n#elif defined(f)\n#define f\n#undef f\n#endif\n":                    "2 3 4",
		"#ifdef X\n// f\n/* f\nf */ \"f\" 'f' f2 1f\n#include <f>\n#error f\n#endif\n": "",
		"#if X\n#if Y\nf();\n#endif\nf();\n#endif\nf();\n":                             "3 5",
		"#if X && \\\n  f\nf();\n#endif\n":                                             "3",
		"#ifdef X\nauto s = R\"(\n#endif\nf\n)\"; f();\n#endif\n":                      "5",
		"#define M(x) x\n#ifdef X\n#  define M2 M(f)\n#endif\n":                        "3",
		"#if 0\nf\n#if X\nf\n#else\nf\n#endif\n#else\nf\n#endif\n":                     "9",
		"#if X\n'\nf\n#endif\n#endif\nf\n":                                             "3",
	} {
		var got []string
		for _, at := range Conditional(text, []string{"f"}) {
			got = append(got, fmt.Sprint(1+strings.Count(text[:at], "\n")))
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestMacros(t *testing.T) {
	for text, want := range map[string]string{
		"#ifndef A_H\n#define A_H\n#define X 1\n#endif\n":                      "A_H guard, X",
		"#ifndef A_H\n#define A_H 1\n#endif\n":                                 "A_H", // its value may be used
		"#ifndef A_H\n#define A_H\n#endif\nint x;\n#if B\n#define Y\n#endif\n": "A_H, Y",
		"/* #define no */ #  define A(x) x\n// #define no\n\"#define no\"\n":   "A",
	} {
		var got []string
		for _, m := range Macros(text) {
			name := m.Name
			if m.Guard {
				name += " guard"
			}
			got = append(got, name)
		}
		if s := strings.Join(got, ", "); s != want {
			t.Errorf("%q: %s, want %s", text, s, want)
		}
	}
}
