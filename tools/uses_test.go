package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"lspi/answer"
	"lspi/internal/testkit/sessions"
	"lspi/workspace"
)

// Asked without the declaration, the definition is left out and nothing else, wherever one asks: at the definition, at a
// use, and at a use elsewhere.
func TestUsesWithoutDeclaration(t *testing.T) {
	python := map[string]string{"pyproject.toml": "", "a.py": "def aim():\n    pass\naim()\n", "b.py": "import a\na.aim()\n"}
	for _, c := range []struct {
		server, program string
		files           map[string]string
		places          []string // file:line:column, definition first
	}{
		{"pyright", "pyright-langserver", python, []string{"a.py:1:5", "a.py:3:1", "b.py:2:3"}},
		{"basedpyright", "basedpyright-langserver", python, []string{"a.py:1:5", "a.py:3:1", "b.py:2:3"}},
		{"typescript-language-server", "typescript-language-server", map[string]string{"tsconfig.json": "{}",
			"a.ts": "export function aim() {}\naim();\n", "b.ts": "import * as a from \"./a\";\na.aim();\n"},
			[]string{"a.ts:1:17", "a.ts:2:1", "b.ts:2:3"}},
		{"gopls", "gopls", map[string]string{"go.mod": "module m\n", "a.go": "package m\n\nfunc aim() {}\n\nvar _ = aim\n",
			"b.go": "package m\n\nfunc other() { aim() }\n"}, []string{"a.go:3:6", "a.go:5:9", "b.go:3:16"}},
		{"rust-analyzer", "rust-analyzer", map[string]string{"rust-project.json": crateWithoutStd, "src/lib.rs": "mod b;\nfn aim() {}\nfn other() { aim() }\n",
			"src/b.rs": "fn third() { crate::aim() }\n"}, []string{"src/lib.rs:2:4", "src/lib.rs:3:14", "src/b.rs:1:21"}},
	} {
		t.Run(c.server, func(t *testing.T) {
			t.Parallel()
			needServer(t, c.program)
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			env := sessions.Real(t, project(t, c.files), c.server)
			for _, at := range c.places {
				want := map[string]bool{}
				for _, place := range c.places[1:] {
					want[place] = true
				}
				for _, got := range usesAt(ctx, t, env, at) {
					if !want[got] {
						t.Errorf("asked at %s: %s is none", at, got)
					}
					delete(want, got)
				}
				if len(want) > 0 {
					t.Errorf("asked at %s: %v is missing", at, want)
				}
			}
		})
	}
}

// usesAt are the references of what stands at file:line:column, without the declaration.
func usesAt(ctx context.Context, t *testing.T, env *workspace.Session, at string) (out []string) {
	t.Helper()
	var file string
	var line, column int
	if _, err := fmt.Sscanf(separate(at), "%s %d %d", &file, &line, &column); err != nil {
		t.Fatal(err)
	}
	arguments, _ := json.Marshal(map[string]any{"file_path": file, "line": line, "character": column, "include_declaration": false})
	r := Run(ctx, env, nil, answer.Request{Tool: "find_references", Arguments: arguments})
	var body struct {
		Completeness string
		Files        []struct {
			FilePath   string `json:"file_path"`
			References []string
		}
	}
	if err := json.Unmarshal(r.Structured, &body); err != nil || body.Completeness != "complete" {
		t.Fatalf("%v\n%s", err, r.Structured)
	}
	for _, f := range body.Files {
		for _, ref := range f.References {
			var place string
			if _, err := fmt.Sscan(ref, &place); err != nil {
				t.Fatal(err)
			}
			out = append(out, f.FilePath+":"+place)
		}
	}
	return out
}

func separate(at string) string {
	out := []rune(at)
	for i, r := range out {
		if r == ':' {
			out[i] = ' '
		}
	}
	return string(out)
}
