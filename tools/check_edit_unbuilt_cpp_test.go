//go:build unix

package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lspi/internal/testkit/sessions"
)

// clangd checks nothing in what #if and #ifdef leave out, in sources as in headers, and tells which lines these are (22.1.8).
func TestCheckEditNotBuiltCPP(t *testing.T) {
	t.Parallel()
	needServer(t, "clangd")
	const header = "#pragma once\n#ifdef HAVE_SNAPPY\ninline int most(int n) { return snappy::Most(n); }\n#else\ninline int most(int n) { return n; }\n#endif\n"
	dir := project(t, map[string]string{"port.h": header,
		"a.cc":   "#include \"port.h\"\nint use() { return most(1); }\n#if 0\nint gone() { return 1; }\n#endif\nint named(int n) {\n  return n;\n}\n",
		"use.go": "package p\n\n// int named(int n);\nimport \"C\"\n\nvar X = C.named(1)\n"})
	compileCommands(t, dir, "a.cc")
	env := sessions.Real(t, dir, "clangd")
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
		a := run(t, env, "check_edit", tried(c.file, c.old, c.text))
		w := warningOf(a, "not_built")
		switch {
		case c.line == 0 && (w != nil || a["completeness"] != "complete"), c.line > 0 && (w == nil || w["line"] != c.line || a["completeness"] != "partial"):
			t.Errorf("%s: %v", c.old, a)
		case (c.line == 0) != strings.Contains(fmt.Sprint(a["next_steps"]), "apply_if_clean"):
			t.Errorf("%s: %v", c.old, a["next_steps"])
		}
		if c.line == 0 {
			continue
		}
		a = run(t, env, "check_edit", applying(tried(c.file, c.old, c.text)))
		if a["applied"] != false || !strings.Contains(fmt.Sprint(a["not_applied"]), "does not build") {
			t.Errorf("%s: %v", c.old, a)
		}
	}
	a := run(t, env, "check_edit", tried("a.cc", "named(int n)", "named(int n, int m)"))
	if w := warningOf(a, "compiler_only"); w == nil || fmt.Sprint(w["files"], w["line"]) != "[use.go] 6" || a["completeness"] != "partial" {
		t.Errorf("what Go uses by cgo: %v", a)
	}
	if raw, err := os.ReadFile(filepath.Join(dir, "port.h")); err != nil || string(raw) != header {
		t.Errorf("wrote %s, %v", raw, err)
	}
}
