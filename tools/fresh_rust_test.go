package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lspi/internal/testkit"
	"lspi/tools/answer"
	"lspi/tools/toolstest"
)

// rust-analyzer reads what it is told of in a thread of its own and answers from the text before until then: the first
// answer after every edit is right, twenty times over, in a file that is not open.
func TestRustAnalyzerHasReadWhatItWasTold(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "rust-analyzer")
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	var padding strings.Builder
	for i := range 20_000 { // it takes a moment to read
		fmt.Fprintf(&padding, "// line %d\n", i)
	}
	dir := project(t, map[string]string{"rust-project.json": crateWithoutStd,
		"src/lib.rs": "mod b;\npub fn aim() {}\n", "src/b.rs": ""})
	session := toolstest.Real(t, dir, "rust-analyzer")
	for n := range testkit.Times(7, 20) {
		text := strings.Repeat("// above\n", n%7) + "fn third() { crate::aim() }\n" + padding.String()
		testkit.Must(t, os.WriteFile(filepath.Join(dir, "src", "b.rs"), []byte(text), 0o644))
		r := Run(ctx, session, nil,
			answer.Request{Tool: "find_references",
				Arguments: json.RawMessage(
					`{"file_path": "src/lib.rs", "line": 2, "symbol_name": "aim", "include_declaration": false}`)})
		want := fmt.Sprintf(`"references":["%d:21 fn third() { crate::aim() }"]`, n%7+1)
		if !strings.Contains(string(r.Structured), want) ||
			!strings.Contains(string(r.Structured), `"completeness":"complete"`) {
			t.Errorf("edit %d: want %s\n%s", n, want, r.Structured)
		}
	}
}

// rust-analyzer answers from the old project until it has read a changed Cargo.toml, and says only then that it loads
// anew (1.97.1).
func TestAChangedCargoTomlIsSeenAtOnce(t *testing.T) {
	testkit.Always(t, "rust-analyzer") // lsp has the certain test
	t.Parallel()
	needServer(t, "rust-analyzer")
	const manifest = "[package]\nname = \"gp\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"
	dir := project(t, map[string]string{
		"Cargo.toml":    manifest,
		"src/lib.rs":    "pub fn foo() -> i32 { 1 }\n",
		"other/tool.rs": "fn main() { gp::foo(); }\n",
	})
	session := toolstest.Real(t, dir, "rust-analyzer")
	foo := map[string]any{"file_path": "src/lib.rs", "line": 1, "character": 8}
	mains := map[string]any{"query": "main", "match": "exact"}
	// Without the binary the file is of no crate, and the answer says so.
	ask := func(tool string, arguments map[string]any, want float64, completeness string) {
		t.Helper()
		if a := run(t, session, tool, arguments); a["completeness"] != completeness || a["total"] != want {
			t.Errorf("%s: want %v %s: %v", tool, want, completeness, a)
		}
	}
	ask("find_references", foo, 1, "partial")
	for range 3 { // on a busy machine one in ten answers came too early
		write(t, dir, "Cargo.toml", manifest+"[[bin]]\nname = \"tool\"\npath = \"other/tool.rs\"\n")
		ask("search_workspace_symbols", mains, 1, "complete")
		write(t, dir, "Cargo.toml", manifest)
		ask("search_workspace_symbols", mains, 0, "partial")
		ask("find_references", foo, 1, "partial")
	}
}

// rust-analyzer pushes what cargo check found from several threads, also behind the end of the check (1.97.1): the
// first answer after every edit has all of it.
func TestRustAnalyzerHasPushedAll(t *testing.T) {
	testkit.OwnServer(t)
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
	session := toolstest.Real(t, dir, "rust-analyzer")
	for n := range testkit.Times(1, 12) { // one in fifteen answers lacked something before
		for i := range 40 {
			write(t, dir, fmt.Sprintf("src/m%d.rs", i),
				fmt.Sprintf("// %d\npub fn f() { let _x: i32 = \"broken\"; }\n", n))
		}
		a := run(t, session, "get_diagnostics", map[string]any{"severities": []string{"error"}, "max_results": 500,
			"wait": "all"})
		if len(a["files"].([]any)) != 40 || a["completeness"] != "complete" {
			t.Errorf("edit %d: %d files, %v", n, len(a["files"].([]any)), a["completeness"])
		}
	}
}
