//go:build unix

package router

import (
	"os"
	"path/filepath"
	"testing"

	"lspi/internal/source"
	"lspi/internal/testkit"
	"lspi/lsp/spec"
)

// To list what would run runs nothing of the workspace, also where PATH leads into it.
func TestProjectCodeRunsNothing(t *testing.T) {
	mark := filepath.Join(t.TempDir(), "mark")
	dir := testkit.Project(t, map[string]string{"a.w": "", "bin/which-server": "#!/bin/sh\necho ran > " + mark + "\n"})
	testkit.Must(t, os.Chmod(filepath.Join(dir, "bin", "which-server"), 0o755))
	t.Setenv("PATH", filepath.Join(dir, "bin")+string(filepath.ListSeparator)+os.Getenv("PATH"))
	table := &Table{Workspace: dir, Specs: []spec.Spec{{ID: "w", Languages: language("words", "w"),
		Commands: []spec.Command{{Name: "no-such-server", Resolve: []string{"which-server"}}},
		Code:     &spec.ProjectCode{Runs: []spec.ProjectRun{{What: "itself"}}}}}}
	if _, err := ProjectCode(t.Context(), table, source.OS{}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("a program of the workspace ran")
	}
}
