package lsp

import (
	"testing"

	"lspi/internal/testkit"
)

func TestHead(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"int x;\n", ""},
		{"#include <a>\nint x;\n", "#include <a>\n"},
		{"// a\n\n#define X \\\n  int y;\n#pragma once\r\nint x;", "// a\n\n#define X \\\n  int y;\n#pragma once\r\n"},
		{"/* a\n b */\n#include <a>\nvoid f();\n#include <b>\n", "/* a\n b */\n#include <a>\n"},
		{"\ufeff#include <a>\nint x;\n", "\ufeff#include <a>\n"},
		{"#ifdef A\nint x;\n#endif\n", "#ifdef A\n"},
		{"#include <a>", "#include <a>"},
		{"/* never ended\nint x;\n", "/* never ended\nint x;\n"},
	} {
		testkit.Equal(t, Head(c.text), c.want, c.text)
	}
}
