package tools

import (
	"fmt"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/tools/toolstest"
)

// A loop over a range, and the bindings of a value, use functions that they do not name: an edit of a header is
// compared in the sources that include it, as check_edit does.
func TestAnEditOfAHeaderIsComparedInItsSources(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "clangd")
	dir := project(t, map[string]string{
		"bag.hpp": "#pragma once\nstruct Bag {\n  int a[2];\n  const int* begin() const { return a; }\n" +
			"  const int* end() const { return a + 2; }\n  int size() const { return 2; }\n};\n",
		"all.hpp":    "#pragma once\n#include \"bag.hpp\"\n",
		"x/main.cpp": "#include \"../all.hpp\"\nint main() {\n  int n = 0;\n  for (int x : Bag{{1, 2}}) n += x;\n  return n;\n}\n",
	})
	compileCommands(t, dir, "x/main.cpp")
	session := toolstest.Real(t, dir, "clangd")
	for _, q := range []struct {
		tool    string
		with    map[string]any
		applied bool
	}{
		{"rename_symbol", map[string]any{"symbol_name": "Bag::begin", "new_name": "first"}, false},
		{"edit_symbol", map[string]any{"symbol_name": "Bag::end", "operation": "delete"}, false},
		{"edit_symbol", map[string]any{"symbol_name": "Bag::begin", "operation": "replace",
			"new_text": "const char* begin() const { return \"\"; }"}, false},
		{"rename_symbol", map[string]any{"symbol_name": "Bag::size", "new_name": "count"}, true},
		// Bag{{1, 2}} sets it by its place.
		{"rename_symbol", map[string]any{"symbol_name": "Bag::a", "new_name": "items"}, true},
	} {
		q.with["file_path"], q.with["apply"] = "bag.hpp", "if_safe"
		a := run(t, session, q.tool, q.with)
		if applied := a["applied"] == true; applied != q.applied {
			t.Errorf("%v: %v", q.with, a)
		}
		// The others are known to be used without their names.
		if q.with["operation"] == "replace" && !strings.Contains(fmt.Sprint(a["new_errors"]), "x/main.cpp") {
			t.Errorf("%v: %v", q.with, a)
		}
	}
}

// An operator is named by more than the word at its place, and used without any name; a macro has no declaration that
// the outline tells.
func TestOperatorsAndMacrosAreEditedByTheirNames(t *testing.T) {
	t.Parallel()
	needServer(t, "clangd")
	dir := project(t, map[string]string{
		"less.hpp": "#pragma once\n#define DEEP 1\nstruct Less {\n  bool operator()(int a, int b) const {\n    return a > b;\n  }\n" +
			"  explicit operator bool() const { return true; }\n};\n",
		"main.cpp": "#include \"less.hpp\"\nint main() { return Less{}(DEEP, 2); }\n",
	})
	compileCommands(t, dir, "main.cpp")
	session := toolstest.Real(t, dir, "clangd")
	call := func(symbol, operation, text string) reply {
		with := map[string]any{"file_path": "less.hpp", "symbol_name": symbol, "operation": operation, "apply": "if_safe"}
		if text != "" {
			with["new_text"] = text
		}
		return run(t, session, "edit_symbol", with)
	}
	if a := call("Less::operator()", "replace_body", "return b < a;"); a["applied"] != any(true) {
		t.Errorf("%v", a)
	}
	for symbol, why := range map[string]string{"Less::operator()": "has 1 use",
		"Less::operator bool": "may be used without its name", "DEEP": "less.hpp:2 is a macro"} {
		a := call(symbol, "delete", "")
		if !strings.Contains(fmt.Sprint(a["message"]), why) {
			t.Errorf("%s: %v", symbol, a)
		}
	}
}
