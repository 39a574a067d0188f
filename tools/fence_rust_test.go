package tools

import (
	"fmt"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/internal/testkit/sessions"
)

// rust-analyzer pushes what cargo check found from several threads, also behind the end of the check (1.97.1): the first
// answer after every edit has all of it.
func TestRustAnalyzerHasPushedAll(t *testing.T) {
	t.Parallel()
	needServer(t, "rust-analyzer")
	files := map[string]string{"Cargo.toml": "[package]\nname = \"m\"\nedition = \"2021\"\n"}
	var lib strings.Builder
	for i := range 40 {
		fmt.Fprintf(&lib, "mod m%d;\n", i)
		files[fmt.Sprintf("src/m%d.rs", i)] = "pub fn f() { let _x: i32 = \"broken\"; }\n"
	}
	files["src/lib.rs"] = lib.String()
	dir := project(t, files)
	env := sessions.Real(t, dir, "rust-analyzer")
	for n := range testkit.Times(3, 12) { // one in fifteen answers lacked something before
		for i := range 40 {
			put(t, dir, fmt.Sprintf("src/m%d.rs", i), fmt.Sprintf("// %d\npub fn f() { let _x: i32 = \"broken\"; }\n", n))
		}
		a := run(t, env, "get_diagnostics", map[string]any{"severities": []string{"error"}, "max_results": 500})
		if len(a["files"].([]any)) != 40 || a["completeness"] != "complete" {
			t.Errorf("edit %d: %d files, %v", n, len(a["files"].([]any)), a["completeness"])
		}
	}
}
