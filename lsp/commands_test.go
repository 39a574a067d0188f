package lsp

import (
	"os"
	"path/filepath"
	"testing"
)

// Only a command that has changed outdates the index, also over a list that was half written in between.
func TestCommands(t *testing.T) {
	root := t.TempDir()
	index := filepath.Join(root, "cache", "index")
	if err := os.MkdirAll(index, 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	a := `{"directory": "/d", "file": "a.cc", "command": "cc -c a.cc"}`
	other := `{"directory": "/d", "file": "a.cc", "command": "cc -DX -c a.cc"}`
	b := `{"directory": "/d", "file": "b.cc", "command": "cc -c b.cc"}`
	p := &ProjectFile{Files: []string{"list.json"}, Dirs: []string{"build"}, Index: "cache/index/*.idx"}
	var c Commands
	for _, step := range []struct {
		name, list string
		want       int
	}{
		{"first", "[" + a + "]", 0},
		{"same", "[" + a + "]", 0},
		{"one more", "[" + a + ",\n" + b + "]", 0},
		{"another order", "[" + b + "," + a + "]", 0},
		{"half written", "[" + b + ",{\"dire", 0},
		{"changed", "[" + b + "," + other + "]", 1},
		{"changed back", "[" + a + "]", 1},
		{"two commands", "[" + a + "," + other + "]", 1},
		{"in another order", "[" + other + "," + a + "]", 0},
	} {
		write("cache/index/a.cc.1.idx", "")
		write("cache/index/other", "")
		write("list.json", step.list)
		if n := c.outdate(p, root, ""); n != step.want {
			t.Errorf("%s: %d files dropped, want %d", step.name, n, step.want)
		}
		if _, err := os.Stat(filepath.Join(index, "other")); err != nil {
			t.Error(err)
		}
	}
	if err := os.Remove(filepath.Join(root, "list.json")); err != nil {
		t.Fatal(err)
	}
	if n := c.outdate(p, root, "") + (*Commands)(nil).outdate(p, root, "") + c.outdate(nil, root, ""); n != 0 {
		t.Errorf("%d files dropped without a list", n)
	}
}
