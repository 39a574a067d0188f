package tools

import (
	"fmt"
	"strings"
	"testing"

	"lspi/tools/toolstest"
)

// rust-analyzer does not look into the text of a macro_rules!: what is used there is in none of its answers, and a
// rename that leaves it breaks each call of the macro (1.97.1).
func TestUsesInTheTextOfARustMacro(t *testing.T) {
	t.Parallel()
	needServer(t, "rust-analyzer")
	dir := project(t, map[string]string{
		"rust-project.json": crateWithoutStd,
		"src/lib.rs": "pub mod geo;\n#[macro_export]\nmacro_rules! area {\n    ($e:expr, other) => { $crate::geo::area_of($e) };\n}\n" +
			"pub fn one() -> i32 { area!(1, other) }\npub fn other() -> i32 { geo::alone(1) }\npub fn two() { let area_of = 1; let _ = area_of; }\n",
		"src/geo.rs": "pub fn area_of(n: i32) -> i32 { n }\npub fn alone(n: i32) -> i32 { n }\n",
	})
	session := toolstest.Real(t, dir, "rust-analyzer")
	for _, tool := range []string{"find_references", "call_hierarchy", "rename_symbol"} {
		a := run(t, session, tool, about(tool, "src/geo.rs", "area_of"))
		if w := firstOf(a, "warnings"); a["completeness"] != "partial" || w["kind"] != "dynamic_uses" ||
			!strings.Contains(fmt.Sprint(w["message"]), "src/lib.rs:4") ||
			strings.Contains(fmt.Sprint(a["next_steps"]), "dry_run:false") {
			t.Errorf("%s: %v", tool, a)
		}
		// the second is in the pattern of the macro alone
		for _, file := range []string{"src/geo.rs alone", "src/lib.rs other"} {
			path, name, _ := strings.Cut(file, " ")
			if a := run(t, session, tool, about(tool, path, name)); a["completeness"] != "complete" {
				t.Errorf("%s of %s: %v", tool, name, a)
			}
		}
	}
	// A local variable is used in its function alone.
	if a := run(t, session, "find_references", map[string]any{"file_path": "src/lib.rs", "line": 8,
		"symbol_name": "area_of"}); a["completeness"] != "complete" {
		t.Errorf("a local variable: %v", a)
	}
}
