package testkit

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"lspi/contract"
)

// Folder makes a folder with files that hold their names, and gives its path without symbolic links.
func Folder(t testing.TB, files ...string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(name+"\n"), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Link makes a symbolic link.
func Link(t testing.TB, to, at string) {
	t.Helper()
	if err := os.Symlink(to, at); err != nil {
		t.Fatal(err)
	}
}

// Age makes a folder, and those above it up to top, look as if they had not changed for an hour.
func Age(t testing.TB, top, dir string) {
	t.Helper()
	old := time.Now().Add(-time.Hour)
	for ; ; dir = filepath.Dir(dir) {
		if err := os.Chtimes(dir, old, old); err != nil {
			t.Fatal(err)
		}
		if dir == top {
			return
		}
	}
}

// KindOf is the precise reason of an error; "" when it has none.
func KindOf(err error) contract.Kind {
	var e *contract.Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return ""
}

// FactsOf are the facts of an error, which has to be one of the contract.
func FactsOf(t testing.TB, err error) contract.Facts {
	t.Helper()
	var e *contract.Error
	if !errors.As(err, &e) {
		t.Fatalf("no error of the contract: %v", err)
	}
	return e.Facts
}
