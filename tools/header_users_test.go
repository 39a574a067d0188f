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
		{"rename_symbol", map[string]any{"symbol_name": "Bag::size", "new_name": "count"}, true},
		// Bag{{1, 2}} sets it by its place.
		{"rename_symbol", map[string]any{"symbol_name": "Bag::a", "new_name": "items"}, true},
	} {
		q.with["file_path"], q.with["apply"] = "bag.hpp", "if_safe"
		a := run(t, session, q.tool, q.with)
		if testkit.Equal(t, a["applied"], any(q.applied), q.with, a); !q.applied &&
			!strings.Contains(fmt.Sprint(a["new_errors"]), "x/main.cpp") {
			t.Errorf("%v: %v", q.with, a)
		}
	}
}
