//go:build unix

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
	for _, dir := range []string{"venv/lib/python3.12/site-packages", "p", ".git",
		"active/lib/python3.12/site-packages", "active/bin"} {
		testkit.Must(t, os.MkdirAll(at(dir), 0o755))
	}
	testkit.Must(t, os.WriteFile(at("active/bin/python3"), nil, 0o755))
	p := &Packages{Homes: []Home{{Folder: ".venv"}, {Folder: "venv"}, {Variable: "LSPI_TEST_ACTIVE"},
		{Program: "python3"}}, Installed: []string{"lib/python*/site-packages"}, Setting: "python.analysis.extraPaths"}
	given := map[string]any{"python": map[string]any{"analysis": map[string]any{"a": 1}, "b": 2}}
	own := map[string]any{"python": map[string]any{"analysis": map[string]any{"extraPaths": []string{"x"}}}}
	extra := []string{at("venv/lib/python3.12/site-packages")}
	whole := map[string]any{"python": map[string]any{"analysis": map[string]any{"a": 1, "extraPaths": extra}, "b": 2}}
	besides := *p
	besides.Besides = func(root string, packages []string) []string { return append([]string{root}, packages...) }
	analysis := func(paths ...string) map[string]any {
		return map[string]any{"python": map[string]any{"analysis": map[string]any{"extraPaths": paths}}}
	}
	replaced := *p
	replaced.Replaced, replaced.ProgramSetting = func(string) bool { return true }, "python.pythonPath"
	testkit.Must(t, os.MkdirAll(at("venv/bin"), 0o755))
	testkit.Must(t, os.WriteFile(at("venv/bin/python"), nil, 0o755))
	program := map[string]any{"python": map[string]any{"pythonPath": at("venv/bin/python")}}
	active := at("active/lib/python3.12/site-packages")
	for _, c := range []struct {
		name   string
		p      *Packages
		given  map[string]any
		root   string
		active string
		path   string
		want   map[string]any
	}{
		{"none is known", nil, given, root, "", "", given},
		{"in the project", p, given, root, "", "", whole},
		{"above the project", p, given, at("p"), "", "", whole},
		{"without settings", p, nil, root, "", "", analysis(extra...)},
		{"the user's own come first", p, own, root, "", "", own},
		{"so does the active one, which the server finds", p, given, root, at("active"), at("active/bin"), given},
		{"and which it does not find without PATH", p, nil, root, at("active"), "", analysis(active)},
		{"the active one is gone", p, given, root, at("gone"), "", whole},
		{"that of the program", p, given, t.TempDir(), "", at("active/bin"), given},
		{"nothing there", p, given, t.TempDir(), "", "", given},
		{"and besides", &besides, nil, at("p"), "", "", analysis(append([]string{at("p"), extra[0]}, extra...)...)},
		{"besides what the server finds", &besides, nil, at("p"), at("active"), at("active/bin"),
			analysis(at("p"), active)},
		{"the project has its own", &replaced, nil, at("p"), "", "", program},
		{"the project has its own, and no environment", &replaced, given, t.TempDir(), "", "", given},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("LSPI_TEST_ACTIVE", c.active)
			t.Setenv("PATH", c.path)
			testkit.Diff(t, (&Spec{Packages: c.p}).PackageSettings(c.given, c.root, func(string) bool {
				return false
			}), c.want)
		})
	}
	testkit.Diff(t, (&Spec{Packages: &replaced}).PackageSettings(given, root, func(string) bool { return true }), given,
		"the program of an environment that is not trusted")
	testkit.Diff(t, given["python"].(map[string]any)["analysis"], map[string]any{"a": 1}, "what was given has changed")
}
