package spec

import (
	"path/filepath"
	"testing"

	"lspi/internal/testkit"
)

func TestPackagesMissing(t *testing.T) {
	p := &Packages{Manifest: "package.json", Keys: []string{"dependencies", "devDependencies"}, Folder: "node_modules",
		Instead: []string{".pnp.cjs"}, Generators: []Generator{{Marks: []string{"yarn.lock"}, Command: "yarn install"},
			{Command: "npm install"}}}
	const some = `{"name":"x","dependencies":{"a":"1"},"devDependencies":{"b":"1","c":"1"}}`
	for _, c := range []struct {
		name   string
		files  map[string]string
		path   string
		folder string
		total  int
		maker  string
	}{
		{"nothing installed", map[string]string{"package.json": some}, "src/a.ts", ".", 3, "npm install"},
		{"asked about the folder itself", map[string]string{"package.json": some, "yarn.lock": ""}, ".", ".", 3,
			"yarn install"},
		{"installed", map[string]string{"package.json": some, "node_modules/a/index.js": ""}, "src/a.ts", "", 0, ""},
		{"installed above", map[string]string{"p/package.json": some, "node_modules/a/index.js": ""}, "p/a.ts", "", 0,
			""},
		{"plug and play", map[string]string{"package.json": some, ".pnp.cjs": ""}, "a.ts", "", 0, ""},
		{"no dependencies", map[string]string{"package.json": `{"name":"x","dependencies":{}}`}, "a.ts", "", 0, ""},
		{"the nearest manifest counts", map[string]string{"package.json": some, "p/package.json": `{}`}, "p/a.ts", "",
			0, ""},
		{"a manifest that is no JSON", map[string]string{"package.json": `{`}, "a.ts", "", 0, ""},
		{"of the wrong type", map[string]string{"package.json": `{"dependencies":[1],"devDependencies":{"b":1}}`},
			"a.ts", ".", 1, "npm install"},
		{"no manifest", map[string]string{"a.ts": ""}, "a.ts", "", 0, ""},
		{"above the repository", map[string]string{"package.json": some, "repo/.git/HEAD": ""}, "repo/a.ts", "", 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			c.files[".git/HEAD"] = ""
			for name, text := range c.files {
				path := filepath.Join(root, filepath.FromSlash(name))
				testkit.Write(t, path, text)
			}
			folder, total := p.Missing(filepath.Join(root, filepath.FromSlash(c.path)))
			want, maker := "", ""
			if c.folder != "" {
				want, maker = filepath.Join(root, c.folder), p.Generator(folder).Command
			}
			if folder != want || total != c.total || maker != c.maker {
				t.Errorf("%q, %d, %q", folder, total, maker)
			}
		})
	}
}
