package clangd

import (
	"os"
	"path/filepath"
	"testing"

	"lspi/internal/testkit"
	"lspi/lsp/spec"
)

// Only a command that has changed outdates the index, also over a list that was half written in between.
func TestCommands(t *testing.T) {
	root := t.TempDir()
	index := filepath.Join(root, ".cache", "clangd", "index")
	testkit.Must(t, os.MkdirAll(index, 0o755))
	write := func(name, text string) {
		t.Helper()
		testkit.Write(t, filepath.Join(root, name), text)
	}
	a := `{"directory": "/d", "file": "a.cc", "command": "cc -c a.cc"}`
	other := `{"directory": "/d", "file": "a.cc", "command": "cc -DX -c a.cc"}`
	b := `{"directory": "/d", "file": "b.cc", "command": "cc -c b.cc"}`
	p := &spec.ProjectFile{Files: []string{"list.json"}, Dirs: []string{"build"}}
	var c indexRecord
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
		write(".cache/clangd/index/a.cc.1.idx", "")
		write(".cache/clangd/index/other", "")
		write("list.json", step.list)
		testkit.Equal(t, c.outdate(p, root, ""), step.want, step.name)
		if _, err := os.Stat(filepath.Join(index, "other")); err != nil {
			t.Error(err)
		}
	}
	testkit.Must(t, os.Remove(filepath.Join(root, "list.json")))
	testkit.Equal(t, c.outdate(p, root, "")+(*indexRecord)(nil).outdate(p, root, "")+c.outdate(nil, root, ""), 0)
}

// An index in the cache outlives its session: the next one knows by which commands it was made.
func TestCommandsOfAnotherSession(t *testing.T) {
	root, index := t.TempDir(), t.TempDir()
	p := &spec.ProjectFile{Files: []string{"list.json"}, Flags: []string{"flags"}}
	write := func(path, text string) {
		t.Helper()
		testkit.Must(t, os.WriteFile(path, []byte(text), 0o600))
	}
	a, other := `[{"directory": "/d", "file": "a.cc", "command": "cc -c a.cc"}]`,
		`[{"directory": "/d", "file": "a.cc", "command": "cc -DX -c a.cc"}]`
	for _, session := range []struct {
		name, list, flags string
		want              int
	}{
		{"no record", a, "", 1}, {"same", a, "", 0}, {"changed", other, "", 1}, {"half written", other[:20], "", 0},
		{"same again", other, "", 0},
		{"flags", other, "-DY", 1}, {"same flags", other, "-DY", 0}, {"a record that cannot be read", other, "-DY", 1},
	} {
		testkit.Write(t, filepath.Join(index, ".cache/clangd/index/a.idx"), "")
		write(filepath.Join(root, "list.json"), session.list)
		write(filepath.Join(root, "flags"), session.flags)
		if session.name == "a record that cannot be read" {
			write(filepath.Join(index, commandsRecord), "{")
		}
		var c indexRecord
		testkit.Equal(t, c.outdate(p, root, index), session.want, session.name)
	}
}
