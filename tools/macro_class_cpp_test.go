package tools

import (
	"fmt"
	"strings"
	"testing"

	"lspi/tools/toolstest"
)

// A macro whose text holds the name of a class stays as it is at a rename, and clangd 22.1.8 has the places that
// expand it as references.
func TestRenameOfAClassInAMacro(t *testing.T) {
	t.Parallel()
	needServer(t, "clangd")
	dir := project(t, map[string]string{
		"w.h":  "#pragma once\nnamespace ns {\nclass Widget {\n public:\n  Widget();\n  ~Widget();\n  static int count();\n};\nclass Plain {};\n}\n",
		"m.h":  "#pragma once\n#include \"w.h\"\n#define CALL_COUNT() ns::Widget::count()\n#define TWICE() (CALL_COUNT() + 1)\n#define SAME(x) x\n",
		"w.cc": "#include \"w.h\"\nns::Widget::Widget() {}\nns::Widget::~Widget() {}\nint ns::Widget::count() { return 1; }\n",
		"a.cc": "#include \"m.h\"\nint main() {\n  return CALL_COUNT();\n}\n",
		"b.cc": "#include \"m.h\"\nint twice() {\n  return TWICE();\n}\nusing Short = ns::Plain;\nShort s;\nSAME(ns::Plain) p;\n",
	})
	compileCommands(t, dir, "a.cc", "b.cc", "w.cc")
	session := toolstest.Real(t, dir, "clangd")
	for name, places := range map[string]string{"Widget": "a.cc:3", "Plain": ""} {
		a := run(t, session, "rename_symbol", map[string]any{"file_path": "w.h", "symbol_name": name,
			"new_name": "Gadget"})
		w := warningOf(a, "uses_left")
		switch {
		case places == "":
			if a["completeness"] != "complete" || w != nil {
				t.Errorf("%s: %v", name, a)
			}
		case a["completeness"] != "partial" || w == nil || fmt.Sprint(w["total"]) != "2" ||
			!strings.Contains(fmt.Sprint(w["message"]), places),
			strings.Contains(fmt.Sprint(a["next_steps"]), "Apply exactly"):
			t.Errorf("%s: %v", name, a)
		}
	}
}
