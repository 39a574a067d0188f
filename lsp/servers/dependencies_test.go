package servers

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"lspi/internal/source"
	"lspi/internal/testkit"
)

// A folder outside counts when the project names it as the place of a dependency, and a manifest in it has that name.
func TestLocalFolders(t *testing.T) {
	t.Parallel()
	const transitive = "[package]\nname = \"a\"\n[dependencies]\nfar = { path = \"../far\" }\n"
	for name, c := range map[string]struct {
		rule  Rule
		files map[string]string
		links map[string]string
		want  []string
	}{
		"go": {rule: Go, want: []string{"named", "used", "usedreplaced"}, files: map[string]string{
			"p/go.mod":     "module m\nreplace x/named => ../named\nreplace x/other => ../other\nreplace x/none => ../none\nreplace x/in => ./in\nreplace x/remote => y/remote v1.0.0\n",
			"p/in/go.mod":  "module x/in\nreplace x/far => ../../far\n",
			"p/go.work":    "go 1.25\nuse (\n\t.\n\t../used\n\t../none\n)\n",
			"named/go.mod": "module x/named\nreplace x/far => ../far\n", "other/go.mod": "module x/another\n",
			"none/a.go":  "package none\n",
			"far/go.mod": "module x/far\n", "used/go.mod": "module used\nreplace x/ur => ../usedreplaced\n",
			"usedreplaced/go.mod": "module x/ur\n"}},
		"cargo": {rule: Cargo, want: []string{"a", "far", "patched", "renamed", "tested"}, files: map[string]string{
			"p/Cargo.toml": "[package]\nname = \"m\"\n[workspace]\nmembers = [\"crates/*\"]\n[dependencies]\na = { path = \"../a\" }\nb = \"1\"\nother = { path = \"../other\" }\n" +
				"r = { path = \"../renamed\", package = \"renamed\" }\n[patch.crates-io]\npatched = { path = \"../patched\" }\n",
			"p/crates/c/Cargo.toml": "[package]\nname = \"c\"\n[target.'cfg(unix)'.dev-dependencies]\ntested = { path = \"../../../tested\" }\n",
			"a/Cargo.toml":          transitive, "far/Cargo.toml": "[package]\nname = \"far\"\n",
			"other/Cargo.toml":   "[package]\nname = \"another\"\n",
			"renamed/Cargo.toml": "[package]\nname = \"renamed\"\n",
			"patched/Cargo.toml": "[package]\nname = \"patched\"\n",
			"tested/Cargo.toml":  "[package]\nname = \"tested\"\n"}},
		"node": {rule: Node, want: []string{"linked", "scoped"}, files: map[string]string{
			"p/package.json": `{"workspaces": ["packages/*"]}`, "p/packages/w/package.json": `{}`,
			"linked/package.json": `{"name": "linked"}`,
			"scoped/package.json": `{"name": "@s/scoped"}`, "other/package.json": `{"name": "another"}`,
			"none/a.ts": ""},
			links: map[string]string{"p/node_modules/linked": "linked",
				"p/packages/w/node_modules/@s/scoped": "scoped", "p/node_modules/other": "other",
				"p/node_modules/none": "none"}},
	} {
		top := testkit.Folder(t)
		put := func(path, text string) {
			path = filepath.Join(top, path)
			testkit.Write(t, path, text)
		}
		for path, text := range c.files {
			put(path, text)
		}
		for path, to := range c.links {
			testkit.Must(t, os.MkdirAll(filepath.Dir(filepath.Join(top, path)), 0o755))
			testkit.Link(t, filepath.Join(top, to), filepath.Join(top, path))
		}
		project := filepath.Join(top, "p")
		l := &Local{rule: c.rule, folders: func() []string {
			return []string{project}
		}, reach: source.NewReach(project)}
		names := func() (out []string) {
			for _, dir := range l.Folders() {
				rel, _ := filepath.Rel(top, dir)
				out = append(out, rel)
			}
			slices.Sort(out)
			return slices.Compact(out)
		}
		if got := names(); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
		for path := range c.files { // nothing names a dependency any more
			put(path, "module gone\n")
		}
		if got := names(); len(got) > 0 {
			t.Errorf("%s: %v after its files changed", name, got)
		}
	}
}

// What another user owns is not shown by the word of a project.
func TestLocalFolderOfAnother(t *testing.T) {
	t.Parallel()
	top := testkit.Folder(t)
	for path, text := range map[string]string{"p/go.mod": "module m\nreplace x/o => ../o\n",
		"o/go.mod": "module x/o\n"} {
		path = filepath.Join(top, path)
		testkit.Write(t, path, text)
	}
	project := filepath.Join(top, "p")
	dirs := func() []string {
		return (&Local{rule: Go, folders: func() []string {
			return []string{project}
		}, reach: source.NewReach(project)}).Folders()
	}
	if got := dirs(); len(got) != 1 {
		t.Fatalf("%v", got)
	}
	for _, path := range []string{filepath.Join(top, "o", "go.mod"), filepath.Join(top, "o")} {
		if err := os.Lchown(path, 12345, 12345); err != nil {
			t.Skip("only root can give files away: ", err)
		}
		if got := dirs(); len(got) > 0 {
			t.Errorf("%s is of another user: %v", path, got)
		}
		testkit.Must(t, os.Lchown(path, os.Geteuid(), os.Getegid()))
	}
}
