package lang

import (
	"strings"
	"testing"

	"lspi/internal/testkit"
)

// An include that does not write the name of its file is seen, and one that does is none of these.
func TestIncludesByMacro(t *testing.T) {
	for _, c := range []struct {
		text string
		want bool
	}{
		{"#include \"a.h\"\n#include <b/c.h>\n  # import \"d.h\"\nint x;\n", false},
		{"// an import of all\nvoid include();\nint important;\n#pragma once\n#if 1\n", false},
		{"int x;\n#include NAME\n", true},
		{"#include_next <a.h>\n", true},
		{"#embed \"a.h\"\n", true},
		{"# /* a */ include \"a.h\"\n", true},
		{"#include /* a */ \"a.h\"\n", true},
		{"#\\\ninclude \"a.h\"\n", true},
		{"#include \\\n\"a.h\"\n", true},
		{"%:include \"a.h\"\n", true},
		{"import other;\n", true},
		{"export module other;\n", true},
		{"import <a>;\n", true},
		{"@import Foundation;\n", true},
	} {
		testkit.Equal(t, IncludesByMacro(c.text), c.want, c.text)
	}
}

func TestAlwaysIncludes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"#include \"a.h\"\n#ifdef X\n# include \"dir/b.h\"\n#else\n#include <c.h>\n#endif\n#include <d.h>\n": "a.h d.h",
		"#ifndef G\n#define G\n#include \"a.h\"\n#if X\n#include \"b.h\"\n#endif\n#endif\n":                  "a.h",
		"#include \"a.h\" // #ifdef\nint include;\n":                                                         "a.h",
	} {
		testkit.Equal(t, strings.Join(AlwaysIncludes(text), " "), want, text)
	}
}
