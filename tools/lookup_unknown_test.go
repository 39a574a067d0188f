package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lspi/internal/testkit/sessions"
	"lspi/workspace"
)

// follow takes the first tool step of an answer.
func follow(t *testing.T, env *workspace.Session, a reply) (arguments string, next reply) {
	t.Helper()
	step := firstOf(a, "next_steps")
	if step["tool"] == nil {
		t.Fatalf("no tool step: %v", a)
	}
	given := step["arguments"].(map[string]any)
	return fmt.Sprint(given), run(t, env, step["tool"].(string), given)
}

// What is advised for a name that nothing has leads to a symbol.
func TestNamesThatNothingHasLeadOn(t *testing.T) {
	t.Parallel()
	needServer(t, "gopls")
	env := sessions.Real(t, project(t, map[string]string{"go.mod": "module ex.com/m\n\ngo 1.24\n",
		"a/a.go": "package a\n\n// Load loads.\nfunc Load() int { return 1 }\n\ntype Client struct{}\n\nfunc (Client) Call() {}\n",
		"b/b.go": "package b\n\nimport (\n\t\"ex.com/m/a\"\n\t\"strings\"\n)\n\ntype Client struct{}\n\nfunc (Client) Call() {}\n\nvar _ = strings.ToUpper(\"\")\n\nfunc g(c a.Client) { c.Call() }\n",
	}), "gopls")
	for _, c := range []struct {
		given map[string]any
		want  string // the arguments of the first step
		leads string
	}{
		{map[string]any{"symbol_name": "Lod"}, "map[symbol_name:Load]", "a/a.go:4"},
		{map[string]any{"symbol_name": "zz.Load"}, "map[symbol_name:a.Load]", "a/a.go:4"},
		{map[string]any{"symbol_name": "a.Lod"}, "map[symbol_name:a.Load]", "a/a.go:4"},
		{map[string]any{"symbol_name": "a.Client.Cal"}, "map[symbol_name:a.Client.Call]", "a/a.go:8"},
		{map[string]any{"symbol_name": "a.Clientt.Call"}, "", "a/a.go:8"},
		{map[string]any{"symbol_name": "strings.ToUpper"}, "map[file_path:b/b.go line:12 symbol_name:strings.ToUpper]", "strings.go"},
		{map[string]any{"symbol_name": "Load", "symbol_kind": "class"}, "map[symbol_kind:function symbol_name:Load]", "a/a.go:4"},
	} {
		a := run(t, env, "find_definition", c.given)
		if a["ok"] == true {
			t.Errorf("%v is found", c.given)
			continue
		}
		arguments, next := follow(t, env, a)
		if c.want != "" {
			equal(t, fmt.Sprint(c.given), arguments, c.want)
		}
		d := firstOf(next, "definitions")
		if at := fmt.Sprint(d["file_path"], ":", d["line"]); !strings.Contains(at, c.leads) {
			t.Errorf("%v: %s leads to %s, want %s; %v", c.given, arguments, at, c.leads, next["error"])
		}
	}
	a := run(t, env, "find_definition", map[string]any{"file_path": "b/b.go", "symbol_name": "a.Client.Call"}) // b has another one
	if a["ok"] != true {
		_, a = follow(t, env, a)
	}
	d := firstOf(a, "definitions")
	equal(t, "a.Client.Call in b/b.go", fmt.Sprint(d["file_path"], ":", d["line"]), "a/a.go:8")
	a = run(t, env, "find_definition", map[string]any{"symbol_name": "Nope"})
	closest := a["error"].(map[string]any)["data"].(map[string]any)["lspi_error"].(map[string]any)["closest"]
	equal(t, "Nope", fmt.Sprint(closest), "[]")
}

func TestFilesThatAreNotThere(t *testing.T) {
	dir := project(t, map[string]string{"router/pool.w": "def alpha\n"})
	if err := os.Symlink("gone.w", filepath.Join(dir, "dangling.w")); err != nil {
		t.Skip(err)
	}
	env := sessions.Open(t, dir, sessions.Fake(t, "w", `{"language":"words"}`))
	for _, c := range []struct{ path, message, closest string }{
		{"pool.w", "there is no file pool.w", "[router/pool.w]"}, // with the first call, before the first walk
		{"dangling.w", "dangling.w is a symbolic link that leads nowhere: there is no gone.w", "[]"},
		{"unlike.w", "there is no file unlike.w", "[]"},
	} {
		e := run(t, env, "hover", map[string]any{"file_path": c.path, "symbol_name": "alpha"})["error"].(map[string]any)
		facts := e["data"].(map[string]any)["lspi_error"].(map[string]any)
		equal(t, c.path, fmt.Sprint(e["message"], " ", facts["closest"]), c.message+" "+c.closest)
	}
}
