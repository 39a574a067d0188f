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
)

// rust-analyzer reads what it is told of in a thread of its own and answers from the text before until then: the first
// answer after every edit is right, twenty times over, in a file that is not open.
func TestRustAnalyzerHasReadWhatItWasTold(t *testing.T) {
	needServer(t, "rust-analyzer")
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	var padding strings.Builder
	for i := range 20_000 { // it takes a moment to read
		fmt.Fprintf(&padding, "// line %d\n", i)
	}
	dir := project(t, map[string]string{"Cargo.toml": "[package]\nname = \"m\"\n", "src/lib.rs": "mod b;\npub fn aim() {}\n", "src/b.rs": ""})
	env := newEnv(t, dir, "rust-analyzer")
	for n := range 20 {
		text := strings.Repeat("// above\n", n%7) + "fn third() { crate::aim() }\n" + padding.String()
		if err := os.WriteFile(filepath.Join(dir, "src", "b.rs"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		r := Run(ctx, env, nil, Request{Tool: "find_references", Arguments: json.RawMessage(`{"file_path": "src/lib.rs", "line": 2, "symbol_name": "aim", "include_declaration": false}`)})
		want := fmt.Sprintf(`"references":["%d:21 fn third() { crate::aim() }"]`, n%7+1)
		if !strings.Contains(string(r.Structured), want) || !strings.Contains(string(r.Structured), `"completeness":"complete"`) {
			t.Errorf("edit %d: want %s\n%s", n, want, r.Structured)
		}
	}
}
