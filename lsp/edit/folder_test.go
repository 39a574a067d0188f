package edit

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"lspi/internal/testkit"
)

// A folder with more entries than are looked at may hold a protected one behind them.
func TestAFolderWithTooManyEntriesIsNotMoved(t *testing.T) {
	defer func(n int) { maxFolderEntries = n }(maxFolderEntries)
	maxFolderEntries = 10
	root, err := filepath.EvalSymlinks(t.TempDir())
	testkit.Must(t, err)
	for n := range 12 {
		testkit.Must(t, os.MkdirAll(filepath.Join(root, "pkg", strconv.Itoa(n)), 0o755))
	}
	// sorted behind the others
	if err := os.WriteFile(filepath.Join(root, "pkg", "CLAUDE.md"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	guard := func() error {
		opts := Options{Roots: []string{root}, Protected: DefaultProtected()}
		return (&tree{opts: &opts, nodes: map[string]*node{}}).guardFolder(filepath.Join(root, "pkg"))
	}
	if guard() == nil {
		t.Error("what lies behind the bound was not looked at, and the folder was let through")
	}
	maxFolderEntries = 100
	if guard() == nil {
		t.Error("the protected file was let through")
	}
	testkit.Must(t, os.Remove(filepath.Join(root, "pkg", "CLAUDE.md")))
	if err := guard(); err != nil {
		t.Error(err)
	}
}
