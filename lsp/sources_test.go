package lsp

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"lspi/lsp/process"
	"lspi/source"
)

// everywhere lets every file be read.
var everywhere = source.NewReach("/")

// folder makes a folder with files, links resolved.
func folder(t testing.TB, files ...string) string {
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

func link(t testing.TB, to, at string) {
	t.Helper()
	if err := os.Symlink(to, at); err != nil {
		t.Fatal(err)
	}
}

// The folders of dependencies are what row, environment and tools say, never what the project says.
func TestSourcesFolders(t *testing.T) {
	project, packages, other, home := folder(t, "a.w"), folder(t, "lib/c.w"), folder(t, "d.w"), folder(t, "h.w")
	link(t, home, filepath.Join(project, "node_modules"))
	link(t, other, filepath.Join(packages, "src"))
	t.Setenv("HOME", home)
	proc, err := process.Spawn("/bin/sh", []string{"-c", "read end"}, "/", os.Environ())
	if err != nil {
		t.Fatal(err)
	}
	defer proc.Stop(time.Second)
	s := &Server{spec: &Spec{Env: map[string]string{"PACKAGES": packages, "HOMES": home + string(filepath.ListSeparator) + filepath.Dir(home)}},
		root: project, command: filepath.Join(packages, "bin", "server"), reach: source.NewReach(project), life: t.Context(), proc: proc}
	s.spec.Sources = &Sources{Variables: []string{"PACKAGES/lib", "PACKAGES", "HOMES", "NONE"}, Upward: []string{"node_modules"},
		Folders: []string{"/", "~/*", "relative", "/proc"}, Ask: [][]string{{"pwd"}, {"echo", other}}}
	got := s.spec.Sources.folders(s)
	want := []string{packages, filepath.Join(packages, "lib"), other}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
