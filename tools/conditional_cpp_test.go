//go:build unix

package tools

import (
	"fmt"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/tools/session"
	"lspi/tools/toolstest"
)

// Of code that #ifdef leaves out clangd knows no uses, and it does not say so but for files that are open (22.1.8).
func TestUsesInCodeThatAConditionLeavesOut(t *testing.T) {
	testkit.OwnServer(t)
	needServer(t, "clangd")
	t.Parallel()
	dir := project(t, map[string]string{
		"config.h": "#pragma once\n#define ON 1\n",
		"lib.h":    "#ifndef LIB_H\n#define LIB_H\n#include \"config.h\"\nint used(int n);\nint plain(int n);\nint on(int n);\nint base(int n);\n#endif  // LIB_H\n",
		"a.cc": "#include \"lib.h\"\nint used(int n) { return n; }\nint plain(int n) { return n; }\nint on(int n) { return n; }\n" +
			"static int mine(int own) {\n#ifdef OFF\n  return own;\n#endif\n  return 1;\n}\nint base(int only) { return mine(only); }\n",
		"b.cc": "#include \"lib.h\"\nint one() { return used(1) + plain(1); }\n#ifdef OFF\nint two(int only) { return used(2) + mine(2); }\nint used(char c) { return c; }\n#endif\n" +
			"#ifdef ON\nint three() { return on(3) + base(1); }\n#else\n// base\n#endif\n",
	})
	compileCommands(t, dir, "a.cc", "b.cc")
	opened := toolstest.Real(t, dir, "clangd")
	for _, c := range []struct {
		tool, file, name string
		line             int
		place            string // of the warning; "" when the answer is complete
	}{
		{"find_references", "lib.h", "used", 4, "b.cc:4"},
		{"find_references", "b.cc", "used", 2, "b.cc:4"},
		{"find_references", "lib.h", "plain", 5, ""},
		{"find_references", "lib.h", "on", 6, ""},
		{"find_references", "lib.h", "base", 7, ""},
		{"find_references", "a.cc", "mine", 5, ""}, // no other file can use it
		{"find_references", "a.cc", "own", 5, ""},  // nothing else has the name
		{"find_references", "a.cc", "only", 11, ""},
		{"call_hierarchy", "a.cc", "used", 2, "b.cc:4"},
		{"call_hierarchy", "a.cc", "on", 4, ""},
		{"symbol_bundle", "lib.h", "used", 4, "b.cc:4"},
		{"rename_symbol", "lib.h", "used", 4, "b.cc:4"},
		{"rename_symbol", "lib.h", "on", 6, ""},
	} {
		args := about(c.tool, c.file, c.name)
		args["line"] = c.line
		a := run(t, opened, c.tool, args)
		w := warningOf(a, "not_built")
		if u := warningOf(a, "unexplained"); w == nil && strings.Contains(fmt.Sprint(u["files"]), "not_in_this_build") {
			w = u
		}
		what := fmt.Sprintf("%s of %s at %s:%d", c.tool, c.name, c.file, c.line)
		switch {
		case c.place == "":
			if a["completeness"] != "complete" || w != nil {
				t.Errorf("%s: %v", what, a)
			}
		case a["completeness"] != "partial" || w == nil || !strings.Contains(fmt.Sprint(w["message"]), c.place):
			t.Errorf("%s: %v", what, a)
		case c.tool == "rename_symbol" && strings.Contains(fmt.Sprint(a["next_steps"]), "Apply exactly"):
			t.Errorf("%s offers to apply: %v", what, a["next_steps"])
		case c.name == "used" && w["kind"] == "not_built" && fmt.Sprint(w["counts"]) != "map[b.cc:2]",
			c.name == "used" && w["kind"] == "unexplained" && w["total"] != 2.:
			t.Errorf("%s: %v", what, w)
		}
	}
	// The index may be of a time when it was not built; the answer is not complete without it then.
	write(t, dir, "config.h", "#pragma once\n#define ON 1\n#define OFF 1\n")
	for _, e := range []*session.Session{opened, toolstest.Real(t, dir, "clangd")} {
		a := run(t, e, "find_references", map[string]any{"file_path": "lib.h", "line": 4, "symbol_name": "used"})
		got := lines(a["files"], "references")
		if got != "a.cc:2 b.cc:2 b.cc:4 lib.h:4" &&
			(a["completeness"] != "partial" || !strings.Contains(fmt.Sprint(a["warnings"]), "b.cc:4")) {
			t.Errorf("%s: %v", got, a)
		}
	}
}
