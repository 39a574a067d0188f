package source

import (
	"path/filepath"
	"testing"

	"lspi/internal/testkit"
)

func TestRelativeTo(t *testing.T) {
	for _, c := range []struct {
		dir, path, rel string
		ok             bool
	}{
		{"/a", "/a/b.go", "b.go", true},
		{"/a", "/a/b/c.go", "b/c.go", true},
		{"/a", "/a", ".", true},
		{"/a", "/a/", ".", true},
		{"/a/", "/a/b", "b", true},
		{"/", "/b", "b", true},
		{"/", "/", ".", true},
		{"/a", "/ab", "", false},
		{"/a", "/b", "", false},
		{"/a", "/a/../b", "", false},
		{"/a", "/a/b/../../c", "", false},
		{"/a", "/a//b", "b", true},
		{"/a", "/a/.b", ".b", true},
		{"/a", "/a/..b", "..b", true},
		{"/a", "/a/./b", "b", true},
		{"/a", "/a/b/", "b", true},
		{"/a/b", "/a", "", false},
		{"/a/../b", "/a/../b/c", "c", true},
		{"", "/a", "", false},
		{"/a", "", "", false},
	} {
		rel, ok := RelativeTo(filepath.FromSlash(c.dir), filepath.FromSlash(c.path))
		testkit.Equal(t, Within(filepath.FromSlash(c.dir), filepath.FromSlash(c.path)), c.ok, c.dir, c.path, !c.ok)
		if ok != c.ok || ok && filepath.ToSlash(rel) != c.rel {
			t.Errorf("RelativeTo(%q, %q) = %q, %v; want %q, %v", c.dir, c.path, rel, ok, c.rel, c.ok)
		}
	}
}

func TestAbsolute(t *testing.T) {
	for path, want := range map[string]string{"b": "/a/b", "../b/": "/b", "/c/../d": "/d", ".": "/a", "b/c": "/a/b/c"} {
		if got := filepath.ToSlash(Absolute(filepath.FromSlash("/a"), path)); got != want && filepath.Separator == '/' {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

// FuzzRelativeTo holds the short way against the library's.
func FuzzRelativeTo(f *testing.F) {
	f.Add("/a", "/a/b")
	f.Add("/a", "/a/../b")
	f.Add("/a", "/a/.b/..")
	f.Fuzz(func(t *testing.T, dir, path string) {
		want, err := filepath.Rel(dir, path)
		if rel, ok := RelativeTo(dir, path); ok != (err == nil && filepath.IsLocal(want)) || ok && rel != want {
			t.Errorf("RelativeTo(%q, %q) = %q, %v; the library says %q, %v", dir, path, rel, ok, want, err)
		}
	})
}
