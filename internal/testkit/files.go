package testkit

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lspi/contract"
)

// TempDir is a folder of the test's own without symbolic links in its path, as lspi names it.
func TempDir(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// Write writes a file, and the folders that it needs.
func Write(t testing.TB, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// Project makes a folder of files, by their paths with slashes. $DIR in a text is the folder.
func Project(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := TempDir(t)
	Fill(t, dir, files)
	return dir
}

// Fill writes the files of a [Project] into a folder.
func Fill(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		Write(t, filepath.Join(dir, filepath.FromSlash(name)), strings.ReplaceAll(text, "$DIR", dir))
	}
}

// Folder is a [Project] of files that hold their names.
func Folder(t testing.TB, files ...string) string {
	t.Helper()
	texts := map[string]string{}
	for _, name := range files {
		texts[name] = name + "\n"
	}
	return Project(t, texts)
}

// Pairs are the files of a [Project] as a list: path, text, path, text, …
func Pairs(pairs ...string) map[string]string {
	files := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		files[pairs[i]] = pairs[i+1]
	}
	return files
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
