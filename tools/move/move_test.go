package move

import (
	"path/filepath"
	"testing"

	"lspi/internal/testkit"
)

func TestMayImport(t *testing.T) {
	for _, c := range []struct {
		by, name string
		want     bool
	}{
		{"m/a", "m/b", true},
		{"m/a", "m/internal/b", true},
		{"m", "m/a/internal/b", false},
		{"m/ab", "m/a/internal", false},
		{"m/a/b", "m/a/internal", true},
		{"m/a/internal/b", "m/a/internal/c/internal/d", false},
	} {
		if got := mayImport(c.by, c.name); got != c.want {
			t.Errorf("%s may import %s: %v", c.by, c.name, got)
		}
	}
}

func TestWordOf(t *testing.T) {
	for base, want := range map[string]string{"price.test.ts": "price", "db-format.h": "format", ".eslintrc.js": "eslintrc",
		"42.py": "", "2fast_enough.go": "", "__init__.py": "__init__"} {
		if got := wordOf(base); got != want {
			t.Errorf("%s: %q", base, got)
		}
	}
}

// TestIsPathOf: a word is the path of what moves from a folder, with or without the extension, or by that of what is
// made of a source.
func TestIsPathOf(t *testing.T) {
	root := t.TempDir()
	testkit.Write(t, filepath.Join(root, "src/dir/a.ts"), "")
	file := &moving{from: filepath.Join(root, "src/dir/a.ts")}
	folder := &moving{from: filepath.Join(root, "src/dir"), folder: true}
	for _, c := range []struct {
		m      *moving
		token  string
		beside bool
		want   bool
	}{
		{file, "src/dir/a.ts", false, true},
		{file, "src/dir/a", false, true},
		{file, "./src/dir/a.js", true, true},
		{file, "src/dir/a.css", false, false},
		{file, "src/dir/ab.ts", false, false},
		{folder, "src/dir/a.ts", false, true},
		{folder, "src/dir/gone.ts", false, false},
		{folder, "src/dir", false, true},
		{folder, "dir", false, false},
	} {
		if got := c.m.isPathOf(root, c.token, c.beside); got != c.want {
			t.Errorf("%s: %v", c.token, got)
		}
	}
}
