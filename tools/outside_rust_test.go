package tools

import (
	"testing"

	"lspi/internal/testkit"
	"lspi/tools/toolstest"
)

// rust-analyzer (1.97.1) answers a question about a source of no loaded crate with an error: it is not loaded, and not
// a matter of time.
func TestSourcesOfNoLoadedCrate(t *testing.T) {
	t.Parallel()
	needServer(t, "rust-analyzer")
	session := toolstest.Real(t, project(t, map[string]string{
		"rust-project.json": crateWithoutStd, "src/lib.rs": "pub fn parse() {}\n",
		"scripts/gen.rs": "fn main() { lib::parse() }\n",
	}), "rust-analyzer")
	a := run(t, session, "find_references", map[string]any{"file_path": "src/lib.rs", "symbol_name": "parse"})
	testkit.Equal(t, dynamicOf(a), "map[scripts/gen.rs:1]", a)
	files := a["warnings"].([]any)[0].(map[string]any)["files"].([]any)
	testkit.Equal(t, files[0].(map[string]any)["reason"], any("not_loaded"), a)
}
