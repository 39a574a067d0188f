package router

import (
	"fmt"
	"path/filepath"
	"testing"

	"lspi/internal/source"
	"lspi/internal/testkit"
	"lspi/lsp/servers"
	"lspi/lsp/spec"
)

func language(id string, extensions ...string) []spec.Language {
	return []spec.Language{{ID: id, Extensions: extensions}}
}

func TestKinds(t *testing.T) {
	dir := testkit.Folder(t, "deno/deno.json")
	table := &Table{Workspace: dir, Specs: []spec.Spec{
		{ID: "py", Languages: language("python", "py")},
		{ID: "lint", Roles: spec.RoleDiagnostics, Languages: language("python", "py")},
		{ID: "mod", Languages: []spec.Language{{ID: "gomod", FileNames: []string{"go.mod"}}}},
		{ID: "tmpl", Languages: language("erb", "html.erb")},
		{ID: "deno", Roots: spec.RootRule{Groups: []spec.MarkerGroup{{Files: []string{"deno.json"}}}, Required: true},
			Languages: language("ts", "ts")},
	}}
	s := NewSurvey(table, source.OS{})
	for _, name := range []string{"a.py", "b.PY", "sub/c.py", "go.mod", "x.html.erb", "x.erb", "plain", ".hidden",
		"n.mod",
		"other/y.ts", "deno/z.ts", "a.test.py"} {
		s.Add(filepath.Join(dir, filepath.FromSlash(name)))
	}
	got := map[string][]any{}
	for _, k := range s.Kinds() {
		ids := []any{k.Files}
		for _, spec := range k.Candidates {
			ids = append(ids, spec.ID)
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
	testkit.Diff(t, got, want)
	s = NewSurvey(table, source.OS{})
	s.Add(filepath.Join(dir, "other", "y.ts"))
	testkit.Equal(t, len(s.Kinds()), 0, "a server without its marker is offered:", s.Kinds())
}

// What git ignores, caches, dependencies and build outputs are not the workspace's own.
func TestWorkspace(t *testing.T) {
	dir := testkit.Project(t, map[string]string{
		".git/HEAD": "", ".gitignore": "generated/\n", "a.go": "", "sub/b.go": "", "generated/c.go": "",
		".venv/d.py":        "",
		"node_modules/e.js": "", "f.unknown": "",
		"crate/Cargo.toml": "", "crate/target/debug/x.d": "", "target/g.go": "",
	})
	s, err := SurveyWorkspace(t.Context(), &Table{Workspace: dir, Specs: servers.Servers()}, source.OS{})
	testkit.Must(t, err)
	kinds := s.Kinds()
	if len(kinds) != 2 || kinds[0].Language != "go" || kinds[0].Files != 3 || s.Folders != 4 {
		t.Errorf("%+v, %d folders", kinds, s.Folders)
	}
}

// The map says what each project takes in, and what is in none; a server that needs no project file has none.
func TestProjectsOfASurvey(t *testing.T) {
	dir := testkit.Project(t, map[string]string{
		"go.work": "go 1.24\nuse (\n\t./a\n\t./b\n)\n", "a/go.mod": "module a\n", "a/a.go": "", "a/deep/d.go": "",
		"b/go.mod": "module b\n", "b/b.go": "", "c/go.mod": "module c\n", "c/c.go": "", "x.py": "",
		"libs/u/pyproject.toml": "", "libs/u/u.py": "", "conf.toml": "",
	})
	table := &Table{Workspace: dir, Specs: servers.Servers()}
	s, err := SurveyWorkspace(t.Context(), table, source.OS{})
	testkit.Must(t, err)
	got := map[string][]string{}
	for i := range table.Specs {
		id := table.Specs[i].ID
		if id != "gopls" && id != "pyright" && id != "taplo" {
			continue
		}
		for _, p := range s.Projects(&table.Specs[i]) {
			rel, _ := filepath.Rel(dir, p.Root)
			line := fmt.Sprintf("%s: %d", filepath.ToSlash(rel), p.Files)
			if p.NoMarker {
				first, _ := filepath.Rel(dir, p.First)
				line += " in none, first " + filepath.ToSlash(first)
			}
			got[id] = append(got[id], line)
		}
	}
	testkit.Diff(t, got, map[string][]string{
		"gopls":   {".: 6", "c: 2"},
		"pyright": {".: 1 in none, first x.py", "libs/u: 1"},
	})
}
