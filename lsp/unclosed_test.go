package lsp

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestPythonUnclosed(t *testing.T) {
	for text, want := range map[string]string{
		"x = 1\ndef x((:\n    q = f()\n":                 "((:",
		"x = ([1)\ny = 2\n":                              "([1",
		"x = 1)\ny = (1]\n":                              "",
		"a(\ndef f():\n    return g()) + 1\n":            "(\ndef",
		"a(x.import_, b if c else d)\n":                  "",
		"s = 'it\nt = (1)\n":                             "",
		"s = '''it\nt = (1)\n":                           "'''it",
		"x = (\ns = '''it\n":                             "(\ns",
		"s = '''a\\''' ( '''\n":                          "",
		"s = r'\\' # ( '\n":                              "",
		"s = 'a\\\r\n ( '\r\n":                           "",
		"# (\nx = 1\n":                                   "",
		"f'abc {x\nq = 1\n":                              "f'abc",
		"f'''abc {x\nq = 1\n":                            "f'''abc",
		"f'{{ ( {x:{w}.{p}} {y!r:>(} }} [ {d[\"(\"]}'\n": "",
		"f'{x['(']}' f\"{f\"{1}(\"}\"\n":                 "",
		"f'\\N{LEFT PARENTHESIS}\\{x}(' rf'\\{x}('\n":    "",
		"f'''{\n x # (\n}('''\n":                         "",
		"f'{x:%d pass (}'\n":                             "",
		"b'(' u'(' Rb'(\\'('\n":                          "",
	} {
		at := PythonUnclosed(text)
		if want == "" && at != -1 || want != "" && (at < 0 || !strings.HasPrefix(text[at:], want)) {
			t.Errorf("%q: %d, want %q", text, at, want)
		}
	}
}

// What Python itself compiles is closed.
func TestPythonUnclosedOfTheStandardLibrary(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3")
	}
	out, err := exec.CommandContext(t.Context(), python, "-c", "import sysconfig; print(sysconfig.get_path('stdlib'))").Output()
	if err != nil {
		t.Skip(err)
	}
	files := 0
	err = filepath.WalkDir(strings.TrimSpace(string(out)), func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil // not readable here
		}
		if e.IsDir() && e.Name() == "site-packages" {
			return fs.SkipDir
		}
		if filepath.Ext(path) != ".py" || strings.Contains(e.Name(), "bad") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil
		}
		files++
		if at := PythonUnclosed(string(text)); at >= 0 {
			t.Errorf("%s: %.60q", path, text[at:])
		}
		return nil
	})
	if err != nil || files == 0 {
		t.Errorf("%d files, %v", files, err)
	}
}
