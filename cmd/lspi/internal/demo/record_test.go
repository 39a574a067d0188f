package main

import (
	"os"
	"testing"

	"lspi/internal/testkit"
)

// The session that README shows is what lspi and gopls say.
func TestReadmeSession(t *testing.T) {
	testkit.Need(t, "gopls")
	raw, err := os.ReadFile("../../../../README.md")
	testkit.Must(t, err)
	_, shown, _, ok := parts(string(raw))
	if !ok {
		t.Fatal("README shows no session")
	}
	project := t.TempDir()
	testkit.Must(t, os.CopyFS(project, os.DirFS("testdata/shop")))
	told, err := record(testkit.Program(t), project)
	testkit.Must(t, err)
	testkit.Diff(t, told, shown, "run make session")
}
