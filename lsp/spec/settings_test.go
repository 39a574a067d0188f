package spec

import (
	"os"
	"path/filepath"
	"testing"

	"lspi/internal/testkit"
)

func TestSettingsHaveThePackagesOfTheProject(t *testing.T) {
	t.Setenv("LSPI_TEST_ACTIVE", "")
	root := t.TempDir()
	at := func(rel string) string { return filepath.Join(root, filepath.FromSlash(rel)) }
	for _, dir := range []string{"venv/lib/python3.12/site-packages", "p", ".git"} {
		testkit.Must(t, os.MkdirAll(at(dir), 0o755))
	}
	p := &Packages{Homes: []Home{{Folder: ".venv"}, {Folder: "venv"}, {Variable: "LSPI_TEST_ACTIVE"}},
		Installed: []string{"lib/python*/site-packages"}, Setting: "python.analysis.extraPaths"}
	given := map[string]any{"python": map[string]any{"analysis": map[string]any{"a": 1}, "b": 2}}
	own := map[string]any{"python": map[string]any{"analysis": map[string]any{"extraPaths": []string{"x"}}}}
	extra := []string{at("venv/lib/python3.12/site-packages")}
	whole := map[string]any{"python": map[string]any{"analysis": map[string]any{"a": 1, "extraPaths": extra}, "b": 2}}
	for _, c := range []struct {
		name   string
		p      *Packages
		given  map[string]any
		root   string
		active string
		want   map[string]any
	}{
		{"none is known", nil, given, root, "", given},
		{"in the project", p, given, root, "", whole},
		{"above the project", p, given, at("p"), "", whole},
		{"without settings", p, nil, root, "",
			map[string]any{"python": map[string]any{"analysis": map[string]any{"extraPaths": extra}}}},
		{"the user's own come first", p, own, root, "", own},
		{"so does the active one", p, given, root, root, given},
		{"nothing there", p, given, t.TempDir(), "", given},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("LSPI_TEST_ACTIVE", c.active)
			testkit.Diff(t, (&Spec{Packages: c.p}).PackageSettings(c.given, c.root, func(string) bool {
				return false
			}), c.want)
		})
	}
	testkit.Diff(t, given["python"].(map[string]any)["analysis"], map[string]any{"a": 1}, "what was given has changed")
}
