package pyright

import (
	"path/filepath"
	"strings"
	"testing"

	"lspi/internal/testkit"
)

func TestPyrightScope(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		path  string
		out   bool
	}{
		{"no configuration", nil, "a.py", false},
		{"empty", map[string]string{"pyrightconfig.json": "{}"}, "a.py", false},
		{"a folder of include", map[string]string{"pyrightconfig.json": `{"include": ["pkg"]}`}, "pkg/x/a.py", false},
		{"beside include", map[string]string{"pyrightconfig.json": `{"include": ["pkg"]}`}, "tests/a.py", true},
		{"a name that begins alike", map[string]string{"pyrightconfig.json": `{"include": ["pkg"]}`}, "pkg2/a.py",
			true},
		{"include of the folder itself", map[string]string{"pyrightconfig.json": `{"include": ["."]}`}, "tests/a.py",
			false},
		{"an excluded file", map[string]string{"pyrightconfig.json": `{"exclude": ["click/core.py"]}`},
			"click/core.py", true},
		{"beside an excluded file", map[string]string{"pyrightconfig.json": `{"exclude": ["click/core.py"]}`},
			"click/utils.py", false},
		{"exclude before include", map[string]string{"pyrightconfig.json": `{"include": ["a"], "exclude": ["a/b"]}`},
			"a/b/c.py", true},
		{"any folders", map[string]string{"pyrightconfig.json": `{"exclude": ["**/gen"]}`}, "a/b/gen/c.py", true},
		{"any folders, none", map[string]string{"pyrightconfig.json": `{"exclude": ["**/gen"]}`}, "gen/c.py", true},
		{"stars in a name", map[string]string{"pyrightconfig.json": `{"exclude": ["**/*_pb?.py"]}`}, "a/x_pb2.py",
			true},
		{"a star is no slash", map[string]string{"pyrightconfig.json": `{"include": ["src/*.py"]}`}, "src/a/b.py",
			true},
		{"absolute entries are ignored", map[string]string{"pyrightconfig.json": `{"include": ["/nowhere"]}`}, "a.py",
			false},
		{"comments and commas",
			map[string]string{"pyrightconfig.json": "{ // x\n /* \" */ \"include\": [\"p//q\", \"pkg\",], }"},
			"tests/a.py", true},
		{"comments and commas, inside",
			map[string]string{"pyrightconfig.json": "{ // x\n /* \" */ \"include\": [\"p//q\", \"pkg\",], }"},
			"pkg/a.py", false},
		{"not to be read", map[string]string{"pyrightconfig.json": `{"include": [`}, "a.py", false},
		{"ignore says nothing of it", map[string]string{"pyrightconfig.json": `{"ignore": ["a.py"]}`}, "a.py", false},
		{"pyproject.toml", map[string]string{"pyproject.toml": "[tool.pyright]\ninclude = [\"pkg\"]\n"}, "tests/a.py",
			true},
		{"another table", map[string]string{"pyproject.toml": "[tool.ruff]\ninclude = [\"pkg\"]\n"}, "tests/a.py",
			false},
		{"pyrightconfig.json comes first", map[string]string{"pyrightconfig.json": "{}",
			"pyproject.toml": "[tool.pyright]\ninclude = [\"pkg\"]\n"}, "tests/a.py", false},
		{"extended", map[string]string{"pyrightconfig.json": `{"extends": "cfg/base.json"}`,
			"cfg/base.json": `{"exclude": ["../old"]}`}, "old/a.py", true},
		{"extended and replaced",
			map[string]string{"pyrightconfig.json": `{"extends": "cfg/base.json", "exclude": []}`,
				"cfg/base.json": `{"exclude": ["../old"]}`}, "old/a.py", false},
		{"an environment", map[string]string{"pyrightconfig.json": `{"include": ["pkg"]}`, "env1/pyvenv.cfg": ""},
			"env1/lib/a.py", false},
	} {
		dir := t.TempDir()
		for name, text := range c.files {
			file := filepath.Join(dir, filepath.FromSlash(name))
			testkit.Write(t, file, text)
		}
		scope := ReadScope(dir, []string{"pyright"})
		if out := scope != nil && scope.LeavesOut(filepath.Join(dir, filepath.FromSlash(c.path))); out != c.out {
			t.Errorf("%s: %s is left out: %v", c.name, c.path, out)
		}
	}
}

// A repository's pyproject.toml cannot exhaust the stack.
func TestNestedTOMLIsNotRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pyproject.toml")
	testkit.Write(t, file, "[tool.pyright]\ninclude = ['a']\n[x]\nx = "+strings.Repeat("[", 3_000_000))
	if c := readConfig(file, []string{"pyright"}); c != nil {
		t.Errorf("%+v", c)
	}
}
