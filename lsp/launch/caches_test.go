package launch

import (
	"path/filepath"
	"runtime"
	"testing"

	"lspi/internal/source"
	"lspi/internal/testkit"
	"lspi/lsp/spec"
)

func TestCaches(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the folders of this test are those of Linux")
	}
	cache, root, built := t.TempDir(), t.TempDir(), t.TempDir()
	testkit.Write(t, filepath.Join(built, "build", "db.json"), "{}")
	project := &spec.ProjectFile{Files: []string{"db.json"}, Dirs: []string{"build"}, Option: "dir"}
	target := []spec.Output{{Name: "target", Setting: "s.dir"}}
	user := []spec.Cache{{Variable: "OWNCACHE", Name: "own"}}
	output, index := []spec.Cache{{Output: "target"}}, []spec.Cache{{Project: "i/x"}}
	of := func(folder string) string { return CachePath(filepath.Join(cache, "s"), folder) }
	for _, c := range []struct {
		name string
		t    Target
		of   []spec.Cache
		want string
	}{
		{"by its variable", Target{Root: root, Spec: &spec.Spec{Variables: []string{"OWNCACHE"},
			Environ: []string{"OWNCACHE=/own", "XDG_CACHE_HOME=/c"}}}, user, "/own/own"},
		{"a variable that the server does not get", Target{Root: root, Spec: &spec.Spec{
			Environ: []string{"OWNCACHE=/own", "XDG_CACHE_HOME=/c"}}}, user, "/c/own"},
		{"in the home folder", Target{Root: root, Spec: &spec.Spec{Environ: []string{"HOME=/h"}}}, user,
			"/h/.cache/own"},
		{"without a home folder", Target{Root: root, Spec: &spec.Spec{Environ: []string{}}}, user, ""},
		{"an output in lspi's cache", Target{Root: root, Cache: cache,
			Spec: &spec.Spec{ID: "s", Outputs: target}}, output,
			filepath.Join(of(root), "target")},
		{"an output in the project", Target{Root: root,
			Spec: &spec.Spec{ID: "s", Outputs: target}}, output,
			filepath.Join(root, "target")},
		{"an output that the user has placed", Target{Root: root, Cache: cache, Spec: &spec.Spec{ID: "s", Outputs: target,
			Settings: map[string]any{"s": map[string]any{"dir": "out"}}}}, output,
			filepath.Join(root, "out")},
		{"beside the project file", Target{Root: built,
			Spec: &spec.Spec{ID: "s", Project: project}}, index,
			filepath.Join(built, "build", "i", "x")},
		{"instead of that", Target{Root: built, Cache: cache,
			Spec: &spec.Spec{ID: "s", Project: project}}, index,
			filepath.Join(of(built), "i", "x")},
		{"without a project file", Target{Root: root, Cache: cache,
			Spec: &spec.Spec{ID: "s", Project: project}}, index, ""},
		{"elsewhere", Target{Root: root, Spec: &spec.Spec{Environ: []string{"HOME=/h"},
			Elsewhere: spec.Elsewhere{Paths: source.PathPairs{{Local: root, Remote: "/far"}}}}}, user, ""},
	} {
		got := ""
		for _, at := range Caches(c.t, c.of) {
			got += at.Path
		}
		testkit.Equal(t, got, c.want, c.name)
	}
}
