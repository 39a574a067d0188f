package pyright

import (
	"path/filepath"
	"strings"
	"testing"

	"lspi/internal/testkit"
)

func TestSearchPaths(t *testing.T) {
	const packages = ".venv/lib/python3.12/site-packages"
	for _, c := range []struct {
		name  string
		files map[string]string
		root  string // "" is the top
		own   bool   // there is an environment
		want  []string
	}{
		{"src of nested projects", map[string]string{"pyproject.toml": "", "src/a/__init__.py": "",
			"libs/b/pyproject.toml": "", "libs/b/src/b/__init__.py": "", "c/setup.py": "", "c/src/c.py": ""}, "", true,
			[]string{"c/src", "libs/b/src", "src"}},
		{"src that is a package", map[string]string{"a/pyproject.toml": "", "a/src/__init__.py": ""}, "", true, nil},
		{"a package beside the project file", map[string]string{"my-lib/pyproject.toml": "",
			"my-lib/my_lib/__init__.py": ""}, "", true, []string{"my-lib"}},
		{"no project", map[string]string{"a/src/a.py": ""}, "", true, nil},
		{"data of tests, dependencies", map[string]string{"tests/p/pyproject.toml": "", "tests/p/src/a.py": "",
			"node_modules/p/setup.py": "", "node_modules/p/src/a.py": "", ".tox/p/setup.py": "",
			".tox/p/src/a.py": ""}, "", true, nil},
		{"what project files name", map[string]string{
			"a/pyproject.toml": "[tool.pytest.ini_options]\npythonpath = [\"lib\", \"../b\", \"none\"]\n", "a/lib/x.py": "",
			"b/pyproject.toml": "[tool.pytest.ini_options]\npythonpath = \"one two\"\n", "b/one/y.py": "", "b/two/z.py": "",
			"c/pyproject.toml": "[tool.setuptools.packages.find]\nwhere = [\"lib\"]\n", "c/lib/c.py": "",
			"d/pyproject.toml": "[tool.setuptools]\npackages = [\"d\"]\npackage-dir = {\"\" = \"lib\"}\n", "d/lib/d.py": "",
			"e/pyproject.toml": "[[tool.poetry.packages]]\ninclude = \"e\"\nfrom = \"lib\"\n", "e/lib/e.py": "",
			"f/pyproject.toml": "[tool.maturin]\npython-source = \"python\"\n", "f/python/f.py": "",
			"g/pyproject.toml": "[tool.hatch.build]\ndev-mode-dirs = [\"lib\"]\n", "g/lib/g.py": ""}, "", true,
			[]string{"a/lib", "b/one", "b/two", "c/lib", "d/lib", "e/lib", "f/python", "g/lib"}},
		{"what files of pytest and setuptools name", map[string]string{
			"a/setup.cfg": "[tool:pytest]\n# old\npythonpath = lib\n  more\n\n[options.packages.find]\nwhere = code\n",
			"a/lib/x.py":  "", "a/more/m.py": "", "a/code/c.py": "",
			"b/pytest.ini": "[other]\npythonpath = none\n[pytest]\naddopts = -q\npythonpath = one two\n", "b/one/y.py": "",
			"b/two/z.py": "", "b/none/n.py": "", "c/tox.ini": "[pytest]\npythonpath=lib", "c/lib/l.py": ""}, "", true,
			[]string{"a/code", "a/lib", "a/more", "b/one", "b/two", "c/lib"}},
		{"half-written", map[string]string{"a/pyproject.toml": "[tool", "a/src/a.py": ""}, "", true, []string{"a/src"}},
		{"modules of the same name", map[string]string{"a/pyproject.toml": "", "a/src/app/__init__.py": "",
			"a/src/app/main.py": "", "b/pyproject.toml": "", "b/src/app/__init__.py": "", "b/src/app/main.py": "",
			"c/pyproject.toml": "", "c/src/c.py": ""}, "", true, []string{"c/src"}},
		{"tests of the same name", map[string]string{"a/pyproject.toml": "", "a/a/__init__.py": "",
			"a/tests/__init__.py": "", "a/tests/test_a.py": "", "b/pyproject.toml": "", "b/b/__init__.py": "",
			"b/tests/__init__.py": "", "b/tests/conftest.py": "", "a/setup.py": "", "b/setup.py": ""}, "", true,
			[]string{"a", "b"}},
		{"one package over two folders", map[string]string{"a/pyproject.toml": "", "a/src/acme/x/__init__.py": "",
			"b/pyproject.toml": "", "b/src/acme/y/__init__.py": ""}, "", true, []string{"a/src", "b/src"}},
		{"of the root alone with an environment", map[string]string{"a/pyproject.toml": "", "a/src/a.py": "",
			"b/pyproject.toml": "", "b/src/b.py": "", ".git/HEAD": ""}, "a", true, []string{"a/src"}},
		{"within a package", map[string]string{"app/__init__.py": "", "app/web/__init__.py": "", "app/web/a.py": ""},
			"app/web", true, []string{""}},
		{"of the repository without", map[string]string{"a/pyproject.toml": "", "a/src/a.py": "",
			"b/pyproject.toml": "", "b/src/b.py": "", ".git/HEAD": ""}, "a", false, []string{"a/src", "b/src"}},
		{"finders", map[string]string{"lib/a/__init__.py": "", "lib/c/__init__.py": "", packages + "/__editable___a_1_finder.py": "import sys\nMAPPING: dict[str, str] = " +
			"{'a': 'TOP/lib/a', 'other': 'TOP/lib/c', 'gone': 'TOP/x/gone'}\n"}, "", true, []string{"lib"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			top := testkit.TempDir(t)
			for name, text := range c.files {
				testkit.Write(t, filepath.Join(top, filepath.FromSlash(name)), replaceTop(text, top))
			}
			var installed, want []string
			if c.own {
				installed = []string{filepath.Join(top, filepath.FromSlash(packages))}
			}
			for _, dir := range c.want {
				want = append(want, filepath.Join(top, filepath.FromSlash(dir)))
			}
			testkit.Diff(t, SearchPaths(filepath.Join(top, c.root), installed), want)
		})
	}
}

func TestListedIn(t *testing.T) {
	top := testkit.TempDir(t)
	for name, text := range map[string]string{"lib/x.py": "", "packages/near/x.py": "", "packages/a.pth": "\n# lib\n" +
		replaceTop("TOP/lib", top) + "\nnear\nimport sys\ngone\n"} {
		testkit.Write(t, filepath.Join(top, filepath.FromSlash(name)), text)
	}
	testkit.Diff(t, listedIn(filepath.Join(top, "packages")), []string{filepath.Join(top, "lib"),
		filepath.Join(top, "packages", "near")})
}

// replaceTop writes the path of a folder as the finders of setuptools do.
func replaceTop(text, top string) string {
	return strings.ReplaceAll(text, "TOP", filepath.ToSlash(top))
}
