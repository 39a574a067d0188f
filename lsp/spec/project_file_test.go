package spec

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lspi/internal/testkit"
)

func TestProjectFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "we[i]rd *?")
	for _, f := range []string{"build/x.db", "deep/two/y.csproj"} {
		path := filepath.Join(dir, f)
		testkit.Must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		testkit.Must(t, os.WriteFile(path, nil, 0o600))
	}
	for _, c := range []struct {
		p           *ProjectFile
		found       string
		paths       string
		names, none string
	}{
		{&ProjectFile{Files: []string{"x.db"}, Dirs: []string{"out", "build"}}, "build", "x.db out/x.db build/x.db",
			"x.db", "y.db"},
		{&ProjectFile{Files: []string{"*.csproj"}, Dirs: []string{"deep/*"}}, "deep/two", "", "a.csproj", "csproj"},
		{&ProjectFile{Files: []string{"none"}, Dirs: []string{"deep/*"}}, "", "none", "none", ""},
	} {
		want := ""
		if c.found != "" {
			want = filepath.Join(dir, c.found)
		}
		testkit.Equal(t, c.p.Find(dir), want, c.p.Files, "found in")
		var paths []string
		for _, p := range c.p.Paths(dir) {
			rel, _ := filepath.Rel(dir, p)
			paths = append(paths, rel)
		}
		if strings.Join(paths, " ") != c.paths && len(paths) > 0 {
			t.Errorf("%v: paths %q, want %q", c.p.Files, paths, c.paths)
		}
		if !c.p.Names(c.names) || c.p.Names(c.none) {
			t.Errorf("%v: names %q %v, %q %v", c.p.Files, c.names, c.p.Names(c.names), c.none, c.p.Names(c.none))
		}
	}
	if (*ProjectFile)(nil).Paths(dir) != nil {
		t.Error("no project file has paths")
	}
}
