package router

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lspi/catalogue"
	"lspi/disk"
	"lspi/lsp"
)

func TestCensus(t *testing.T) {
	dir, disk := "/w", files("/w/deno/deno.json")
	table := &Table{Workspace: dir, Specs: []lsp.Spec{
		{ID: "py", Languages: []lsp.Language{{ID: "python", Extensions: []string{"py"}}}},
		{ID: "lint", Roles: lsp.RoleDiagnostics, Languages: []lsp.Language{{ID: "python", Extensions: []string{"py"}}}},
		{ID: "mod", Languages: []lsp.Language{{ID: "gomod", FileNames: []string{"go.mod"}}}},
		{ID: "tmpl", Languages: []lsp.Language{{ID: "erb", Extensions: []string{"html.erb"}}}},
		{ID: "deno", Roots: lsp.RootRule{Groups: []lsp.MarkerGroup{{Files: []string{"deno.json"}}}, Required: true}, Languages: []lsp.Language{{ID: "ts", Extensions: []string{"ts"}}}},
	}}
	c := NewCensus(table, disk)
	for _, name := range []string{"a.py", "b.PY", "sub/c.py", "go.mod", "x.html.erb", "x.erb", "plain", ".hidden", "n.mod",
		"other/y.ts", "deno/z.ts", "a.test.py"} {
		c.Add(filepath.Join(dir, filepath.FromSlash(name)))
	}
	got := map[string][]any{}
	for _, k := range c.Kinds() {
		ids := []any{k.Files}
		for _, s := range k.Candidates {
			ids = append(ids, s.ID)
		}
		rel, _ := filepath.Rel(dir, k.Samples[0])
		got[filepath.ToSlash(rel)+" "+k.Language] = ids
	}
	want := map[string][]any{
		"a.py python":      {3, "py", "lint"},
		"a.test.py python": {1, "py", "lint"},
		"go.mod gomod":     {1, "mod"},
		"x.html.erb erb":   {1, "tmpl"},
		"other/y.ts ts":    {2, "deno"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	c = NewCensus(table, disk)
	c.Add(filepath.Join(dir, "other", "y.ts"))
	if len(c.Kinds()) != 0 {
		t.Errorf("a server without its marker is offered: %v", c.Kinds())
	}
}

// What git ignores, caches and dependencies are not the workspace's own.
func TestSurvey(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		".git/HEAD": "", ".gitignore": "generated/\n", "a.go": "", "sub/b.go": "", "generated/c.go": "", ".venv/d.py": "",
		"node_modules/e.js": "", "f.unknown": "",
		"crate/Cargo.toml": "", "crate/target/debug/x.d": "", "target/g.go": "",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Survey(t.Context(), &Table{Workspace: real, Specs: catalogue.Servers()}, disk.OS{})
	if err != nil {
		t.Fatal(err)
	}
	kinds := c.Kinds()
	if len(kinds) != 2 || kinds[0].Language != "go" || kinds[0].Files != 3 || c.Folders != 4 {
		t.Errorf("%+v, %d folders", kinds, c.Folders)
	}
}
