package launch

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"lspi/internal/source"
	"lspi/internal/testkit"
	"lspi/lsp/process"
	"lspi/lsp/spec"
)

// The folders of dependencies are what row, environment and tools say, never what the project says.
func TestSourcesFolders(t *testing.T) {
	project, packages, other, home := testkit.Folder(t, "a.w"), testkit.Folder(t, "lib/c.w"), testkit.Folder(t, "d.w"),
		testkit.Folder(t, "h.w")
	testkit.Link(t, home, filepath.Join(project, "node_modules"))
	testkit.Link(t, other, filepath.Join(packages, "src"))
	t.Setenv("HOME", home)
	proc, err := process.Spawn("/bin/sh", []string{"-c", "read end"}, "/", os.Environ())
	testkit.Must(t, err)
	defer proc.Stop(time.Second)
	s := &Dependencies{Spec: &spec.Spec{Env: map[string]string{"PACKAGES": packages, "HOMES": home +
		string(filepath.ListSeparator) + filepath.Dir(home)}},
		Root: project, Command: filepath.Join(packages, "bin", "server"), Reach: source.NewReach(project),
		Life: t.Context(), PID: proc.PID()}
	s.Spec.Sources = &spec.Sources{Variables: []string{"PACKAGES/lib", "PACKAGES", "HOMES", "NONE"},
		Upward:  []string{"node_modules"},
		Folders: []string{"/", "~/*", "relative", "/proc"}, Ask: [][]string{{"pwd"}, {"echo", other}}}
	got := s.Folders()
	want := []string{packages, filepath.Join(packages, "lib"), other}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
