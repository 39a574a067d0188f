package lang

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
		at := ByID("python").Unclosed(text)
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
	out, err := exec.CommandContext(t.Context(), python, "-c",
		"import sysconfig; print(sysconfig.get_path('stdlib'))").Output()
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
		if at := ByID("python").Unclosed(string(text)); at >= 0 {
			t.Errorf("%s: %.60q", path, text[at:])
		}
		return nil
	})
	if err != nil || files == 0 {
		t.Errorf("%d files, %v", files, err)
	}
}

func TestUnclosedTexts(t *testing.T) {
	type texts = map[string]string // to how what is never closed begins; "" where all is closed
	for name, c := range map[string]struct {
		find  func(string) int
		texts texts
	}{
		"c": {ByID("c").Unclosed, texts{
			"int f();\n/* late\nint g();\n":                        "/* late",
			"/*/ int g();\n":                                       "/*/",
			"// /*\n/* a */ int f(); /* b\n * c */\n":              "",
			"const char* s = \"/*\"; char c = '\"'; // \"\nf();\n": "",
			"int n = 1'000'000; /* x\n":                            "/* x",
			"auto s = R\"(a\nf();\n":                               "R\"(a",
			"auto s = u8R\"x(a)\" )x\"; f();\n":                    "",
			"auto s = FOOR\"(a\"; f();\n":                          "",
			"#include <a/*.h>\nf();\n":                             "",
			"#  include <a.h> /* b\nf();\n":                        "/* b",
			"#if 0\ndon't /* so\n#endif\nf();\n":                   "",
			"#define X \"a\\\n/*\"\nf();\n":                        "",
		}},
		"go": {ByID("go").Unclosed, texts{
			"var s = `a\nfunc f() {}\n":          "`a",
			"var s = `/*\n//` // `\nvar r = '`'": "",
			"/* a\nfunc f() {}\n":                "/* a",
		}},
		"rust": {ByID("rust").Unclosed, texts{
			"fn f() {}\n/* a /* b */\nfn g() {}\n":        "/* a",
			"/* a /* b */ */ fn g<'a>(c: &'a str) {}\n":   "",
			"let s = \"a\nfn g() {}\n":                    "\"a",
			"let s = \"a\n\\\" b\"; g();\n":               "",
			"let c = ('\"', '\\'', b'\"', '\\u{22}');\n":  "",
			"let s = (r\"\\\", r#\"a\"b\"#, br##\"\"##);": "",
			"let s = r#\"a\" b;\n":                        "r#\"a\" b",
			"let r#type = 'l: loop {};\n":                 "",
			"#!/usr/bin/env don\"t\nfn f() {}\n":          "",
			"// \"\nfn f() {}\n":                          "",
		}},
		"typescript": {ByID("typescript").Unclosed, texts{
			"const s = `a\nf();\n":                            "`a",
			"const s = `a ${f(`b ${{}}`)} c`; f();\n":         "",
			"const s = `a ${f(`b\n)}\n":                       "`a",
			"const s = `\\``; /* a\nf();\n":                   "/* a",
			"const r = [/`/, /[/`]/g, a / b]; f() / `x`;\n":   "",
			"if (x) return /\"`/.test(y);\n":                  "",
			"const a = <p>don't {/* x */}</p>;\nconst b = `x": "`x",
			"const g = 'src/*.ts', h = \"`\"; // `\n":         "",
			"#!/usr/bin/env `\nf();\n":                        "",
		}},
	} {
		for text, want := range c.texts {
			at := c.find(text)
			if want == "" && at != -1 || want != "" && (at < 0 || !strings.HasPrefix(text[at:], want)) {
				t.Errorf("%s: %q: %d, want %q", name, text, at, want)
			}
		}
	}
}

// What a piece of code opens without closing it, or closes without having opened it, is found outside of strings
// and comments.
func TestUnpaired(t *testing.T) {
	for _, c := range []struct {
		find  func(string) int
		texts map[string]string // with what is found, "" for nothing
	}{
		{ByID("go").Unpaired, map[string]string{"return nil\n}": "}", "if x {\n\tf()": "{\n\tf()", "} {": "} {",
			"return \"}\" + `)` + string('{') // }": "", "f(func() { g([]int{1}) })": ""}},
		{ByID("c").Unpaired, map[string]string{"return 1;\n}": "}", "if (x) {": "{", "f('{', \"}\", R\"(])\"); /* { */": "",
			"#if A\nif (x) {\n#else\nif (y) {\n#endif\n}": "", "int n = 1'000; g({1, 2});": ""}},
		{ByID("rust").Unpaired, map[string]string{"x)": ")", "match x {": "{",
			"let c = ('{', b'}', r#\"(\"#); f::<'a>(&'a s) /* { /* } */ */": ""}},
		{ByID("python").Unpaired, map[string]string{"return x)": ")", "f(a,": "(a,",
			"x = '(' # )\ny = f'{a[0]}' + \"\"\"[\"\"\"": "", "f('''\n(": "('''\n(", "x = [(1, 2), {3: 4}]": ""}},
		{ByID("typescript").Unpaired, map[string]string{"return x;\n}": "}", "if (x) {": "{",
			"f(`{${a({})}(`, '(', /[(]/, [\")\"]); // {": "", "const a = <p>:)</p>;": "",
			"if (x) /[(]/.test(y);": "", "(i++ / 2) / 3": "", "(x! / 2) / 3": "", "/* ( */ a = b / (c)": "",
			"f((a / b) / c": "", "`${x": ""}},
	} {
		for text, want := range c.texts {
			at := c.find(text)
			if want == "" && at != -1 || want != "" && (at < 0 || text[at:] != want) {
				t.Errorf("%q: %d, want %q", text, at, want)
			}
		}
	}
	// Whole sources of real projects have no bracket without a pair.
	for _, corpus := range []string{"zod", "click"} {
		root := filepath.Join("..", ".servers", "corpora", corpus)
		_ = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || ByID(Of(path).ID).scan == nil {
				return nil
			}
			text, _ := os.ReadFile(path)
			if at := Of(path).Unpaired(string(text)); at >= 0 {
				t.Errorf("%s: %.60q", path, text[at:])
			}
			return nil
		})
	}
}
