package lang

import (
	"fmt"
	"strings"
	"testing"
)

func TestRustMacroTexts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want string // the lines that hold go in the text of a macro
	}{
		{"fn f() { go() }\nmacro_rules! other { () => { run() } }\nfn g() { go() }\n", "[]"},
		{"macro_rules! m {\n(go, $go:expr) => {\n$crate::a::go(&$go)\n};\n(x) => (\ngo\n);\n}\ngo();\n", "[3 6]"},
		{"macro_rules! go ( () => { 1 } );\ngo!();\n", "[]"},
		{"macro_rules! m { () => {\n// go\n/* go */\n\"go\" ; r#\"go\"# ; 'g' ; go_on ; 'go: loop {}\n} }\nfn go() {}\n", "[]"},
		{"mod a { fn f() {\n#[macro_export]\nmacro_rules! m { ($($x:ident => $y:expr),*) => { $( go($x) )* }; }\n}\nfn g() { go() } }\n", "[3]"},
		{"fn f() { g!(); }\nuse macro_rules;\nfn h() { go() }\n", "[]"},
		{"macro_rules! m { () => { go() ", "[1]"},
	} {
		var lines []int
		for _, at := range RustMacroTexts(c.text) {
			if c.text[at:wordEnd(c.text, at)] != "go" {
				continue
			}
			lines = append(lines, 1+strings.Count(c.text[:at], "\n"))
		}
		if got := fmt.Sprint(lines); got != c.want {
			t.Errorf("%s: %s, want %s", c.text, got, c.want)
		}
	}
	if n := len(RustMacroTexts("macro_rules! m { (a) => { b($c, d!()) } }")); n != 2 {
		t.Errorf("%d words, want b and d", n)
	}
}
