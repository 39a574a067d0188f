package lang

import (
	"strings"
	"testing"
)

// declaredIn is the last thing of a name in a text, with what stands before it on its line behind a semicolon, to
// the end of the text.
func declaredIn(text, kind, name string, outer *Declared) *Declared {
	at := strings.LastIndex(text, " "+name) + 1
	from := strings.LastIndexAny(text[:at], "\n;") + 1
	return &Declared{Name: name, Kind: kind, From: from, At: at, End: len(text), Outer: outer}
}

func TestExports(t *testing.T) {
	for _, c := range []struct {
		language, path, text, kind, name, outer string // outer is "kind name", "" at the top
		want                                    bool
	}{
		{"go", "a.go", " Load", "function", "Load", "", true},
		{"go", "a.go", " load", "function", "load", "", false},
		{"go", "a.go", " Éa", "function", "Éa", "", true},
		{"go", "a.go", " (*T).Run", "method", "(*T).Run", "", true},
		{"go", "a.go", " (*t).Run", "method", "(*t).Run", "", false},
		{"go", "a.go", " (*List[T]).push", "method", "(*List[T]).push", "", false},

		{"python", "a.py", "def run(): ...", "function", "run", "", true},
		{"python", "a.py", "def _run(): ...", "function", "_run", "", false},
		{"python", "a.py", "__all__ = ('x', \"run\")\ndef run(): ...", "function", "run", "", true},
		{"python", "a.py", "__all__: list[str] = [\n  # all\n  'x',\n]\ndef run(): ...", "function", "run", "", false},
		{"python", "a.py", "__all__ = []\n__all__.extend(['_run'])\ndef _run(): ...", "function", "_run", "", true},
		{"python", "a.py", "__all__ = ['x'] + other.__all__\ndef run(): ...", "function", "run", "", true},
		{"python", "a.py", "__all__ = [n for n in dir()]\ndef run(): ...", "function", "run", "", true},
		{"python", "a.py", "__all__ = ['C']\nclass C:\n  def run(self): ...", "method", "run", "class C", true},
		{"python", "a.py", "__all__ = ['C']\nclass C:\n  def _run(self): ...", "method", "_run", "class C", false},

		{"rust", "a.rs", "pub fn run() {}", "function", "run", "", true},
		{"rust", "a.rs", "#[inline] pub const unsafe fn run() {}", "function", "run", "", true},
		{"rust", "a.rs", "pub(crate) fn run() {}", "function", "run", "", false},
		{"rust", "a.rs", "/// a pub run of\nfn run() {}", "function", "run", "", false},
		{"rust", "a.rs", "fn publish() {}\nfn run() {}", "function", "run", "", false},
		{"rust", "a.rs", "pub struct S { n: u32 }", "field", "n", "struct S", false},
		{"rust", "a.rs", "pub struct S { pub n: u32 }", "field", "n", "struct S", true},
		{"rust", "a.rs", "pub enum E { A }", "enum_member", "A", "enum E", true},

		{"typescript", "a.ts", "export function run() {}", "function", "run", "", true},
		{"typescript", "a.ts", "export {}\nfunction run() {}", "function", "run", "", false},
		{"typescript", "a.ts", "// export it\nfunction run() {}", "function", "run", "", true}, // no module
		{"typescript", "a.ts", "import x from 'y'\nexport type { Other, run as go }\nfunction run() {}", "function",
			"run", "", true},
		{"typescript", "a.ts", "export { run } from './b'\nfunction run() {}", "function", "run", "", false},
		{"typescript", "a.ts", "export default Run;\nclass Run {}\n", "class", "Run", "", true},
		{"typescript", "a.ts", "export const a = 1; const run = 2", "constant", "run", "", false},
		{"typescript", "a.ts", "export class C {\n  private run() {}\n}", "method", "run", "class C", false},
		{"javascript", "a.js", "module.exports = { other, go: run }\nfunction run() {}", "function", "run", "", true},
		{"javascript", "a.js", "function run() {}\nexports.other = 1", "function", "run", "", false},

		{"cpp", "a.cc", "int run() { return 1; }", "function", "run", "", true},
		{"cpp", "a.cc", "static int run() { return 1; }", "function", "run", "", false},
		{"cpp", "a.h", "inline const int run = 1;", "variable", "run", "", true},
		{"cpp", "a.cc", "const int run = 1;", "variable", "run", "", false},
		{"c", "a.c", "const int run = 1;", "variable", "run", "", true},
		{"cpp", "a.h", "class Run;", "class", "Run", "", false},
		{"cpp", "a.h", "class Run {};", "class", "Run", "", true},
		{"cpp", "a.h", "template <class T> class Run {};", "class", "Run", "", true},
		{"cpp", "a.h", "class C {\n  int run;\n};", "field", "run", "class C", false},
		{"cpp", "a.h", "struct C {\n  int run;\n};", "field", "run", "struct C", true},
		{"cpp", "a.h", "class C {\n public:\n  struct D {\n   private:\n    int x;\n  };\n  int run;\n};", "field",
			"run", "class C", true},
		{"cpp", "a.h", "class C {\n public: int x;\n private:\n  int run;\n};", "field", "run", "class C", false},
	} {
		var outer *Declared
		if kind, name, ok := strings.Cut(c.outer, " "); ok {
			outer = declaredIn(c.text, kind, name, nil)
		}
		d := declaredIn(c.text, c.kind, c.name, outer)
		if got := Exporter(c.language, c.path, c.text)(d); got != c.want {
			t.Errorf("%s: %s of %q: %v, want %v", c.language, c.name, c.text, got, c.want)
		}
	}
	if Exporter("java", "A.java", "class A {}") != nil {
		t.Error("a rule for Java")
	}
}

// The private type of an impl block in its source hides the block.
func TestExportsOfImpls(t *testing.T) {
	text := "pub struct Shown;\nstruct Hidden<T>(T);\npub(crate) enum Inner {}\n"
	rule := Exporter("rust", "a.rs", text)
	for name, want := range map[string]bool{
		"impl Shown": true, "impl<T> Hidden<T>": false, "impl fmt::Display for Inner": false,
		"impl<'a> Shape for &'a Shown": true, "impl Elsewhere": true,
	} {
		if got := rule(&Declared{Name: name, Kind: "object"}); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
