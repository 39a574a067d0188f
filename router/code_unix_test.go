//go:build unix

package router

import (
	"os"
	"path/filepath"
	"testing"

	"lspi/disk"
	"lspi/lsp"
)

// To list what would run runs nothing of the workspace, also where PATH leads into it.
func TestFindCodeRunsNothing(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	mark := filepath.Join(t.TempDir(), "mark")
	for name, text := range map[string]string{"a.w": "", "bin/which-server": "#!/bin/sh\necho ran > " + mark + "\n"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", filepath.Join(dir, "bin")+string(filepath.ListSeparator)+os.Getenv("PATH"))
	table := &Table{Workspace: dir, Specs: []lsp.Spec{{ID: "w", Languages: []lsp.Language{{ID: "words", Extensions: []string{"w"}}},
		Commands: []lsp.Command{{Name: "no-such-server", Resolve: []string{"which-server"}}}, Code: &lsp.ProjectCode{Runs: []lsp.ProjectRun{{What: "itself"}}}}}}
	if _, err := FindCode(t.Context(), table, disk.OS{}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("a program of the workspace ran")
	}
}
