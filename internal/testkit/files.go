package testkit

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"lspi/contract"
)

// TempDir returns a temporary folder of the test, with the symbolic links of its path resolved, as lspi does.
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
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), writeFile(path, text, 0o644)); err != nil {
		t.Fatal(err)
	}
}

// WriteProgram writes a program, or a script, that the test runs.
func WriteProgram(t testing.TB, path, text string) {
	t.Helper()
	Must(t, writeFile(path, text, 0o755))
}

// writeFile is [os.WriteFile] while the test starts no process. A process that begins meanwhile would have the file
// open for writing until it runs its own program, and the kernel runs no program that is open for writing (ETXTBSY).
func writeFile(path, text string, mode os.FileMode) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(path, []byte(text), mode)
}

// Project makes a folder with files, given as texts by path with slashes, and returns it. $DIR in a text becomes the
// folder.
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

// Folder makes a [Project] of files whose texts are their names.
func Folder(t testing.TB, files ...string) string {
	t.Helper()
	texts := map[string]string{}
	for _, name := range files {
		texts[name] = name + "\n"
	}
	return Project(t, texts)
}

// Pairs returns the files of a [Project] from a list: path, text, path, text, …
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

// Age sets the modification times of a folder, and of those above it up to top, to an hour ago.
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

// KindOf returns the kind of a contract.Error; "" for other errors.
func KindOf(err error) contract.Kind {
	var e *contract.Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return ""
}

// FactsOf returns the facts of a contract.Error; another error ends the test.
func FactsOf(t testing.TB, err error) contract.Facts {
	t.Helper()
	var e *contract.Error
	if !errors.As(err, &e) {
		t.Fatalf("no error of the contract: %v", err)
	}
	return e.Facts
}
