package lang

import (
	"strings"
	"testing"

	"lspi/internal/source"
	"lspi/internal/testkit"
)

func TestInCode(t *testing.T) {
	for _, c := range []struct {
		path, line string
		want       int // occurrences of Foo that are code
	}{
		{"a.go", "// Foo does.", 0},
		{"a.go", "x := Foo() // Foo again", 1},
		{"a.go", `u := "http://x" + Foo`, 1},
		{"a.rs", "fn f<'a>(x: &'a Foo) {} // Foo", 1},
		{"a.go", "r := '/' + Foo", 1},
		{"a.cc", " * Foo is documented", 0},
		{"a.cc", "y = a * Foo;", 1},
		{"a.c", "/* Foo", 0},
		{"a.py", "# Foo", 0},
		{"a.py", "x = Foo // 2", 1},
		{"a.lua", "-- Foo", 0},
		{"a.c", "#include Foo", 1},
		{"a.go", `fmt.Println("Foo failed:", Foo(1))`, 1},
		{"a.go", "s := `Foo ${Foo}` + \"{Foo}\"", 0},
		{"a.go", `c := '"'; Foo('\'', "Foo")`, 1},
		{"a.go", `log.Print("say \"Foo\"", Foo)`, 1},
		{"a.cc", `log("Foo failed", Foo(1'000))`, 1},
		{"a.rs", `println!("Foo {}", Foo(1))`, 1},
		{"a.rs", `println!("{Foo} {Foo:?} Foo"); let x: &'a str = "Foo";`, 2},
		{"a.ts", "console.log('Foo', \"Foo\", `Foo ${Foo()}`, Foo())", 2},
		{"a.py", `print("Foo failed", Foo(1), 'Foo')`, 1},
		{"a.py", `print(f"Foo {Foo} {Foo.x!r}", "{Foo}")`, 2},
		{"a.py", `x = """Foo""" + Foo # 'Foo'`, 1},
		{"a.py", `"""Foo does`, 0},
		{"a.sh", `echo "Foo ${Foo}" Foo`, 2},
		{"a.kt", `println("Foo ${Foo()}")`, 1},
		{"a.go", `"`, 0},
		{"a.py", `f"{`, 0},
		{"a.nix", "a // Foo # Foo", 1},
		{"a.ml", "let x = Foo // Foo", 2},
		{"a.md", "https://x.org/Foo", 1},
		{"a.h++", "Foo(); // Foo", 1},
		{"BUILD", "Foo() # Foo // Foo", 1},
	} {
		testkit.Equal(t, len(InCode(c.path, c.line, source.Occurrences(c.line, "Foo"))), c.want, c.path, c.line)
	}
}

func TestInComment(t *testing.T) {
	for _, c := range []struct {
		path, text string // the offset is that of @
		want       bool
	}{
		{"a.ts", "// see ./@x\n", true},
		{"a.ts", "const a = `// ${b('./@x')}`\n", false},
		{"a.ts", "const url = 'https://@x'\n", false},
		{"a.ts", "/// <reference path=\"./@x.ts\" />\n", false},
		{"a.js", "/** @type {import('./@x').A} */\n", false},
		{"a.ts", "/* a\n   ./@x */\n", true},
		{"a.go", "//go:embed @x\nvar x string\n", false},
		{"a.go", "//go:generate stringer @x\n", false},
		{"a.go", "// text @x\nvar x string\n", true},
		{"a.c", "/*\n#include \"@x.h\"\n*/\n", true},
		{"a.c", "#include \"@x.h\" /* why */\n", false},
		{"a.py", "import x # of @x\n", true},
		{"a.py", "s = '# @x'\n", false},
		{"a.py", "s = \"\"\"\nimport @x\n\"\"\"\n", false},
		{"a.vue", "<script>\nimport a from './@x'\n</script>\n", false},
		{"a.rs", "/// See @x\nfn a() {}\n", true},
		{"a.rs", "const A: &str = include_str!(\"@x\");\n", false},
	} {
		if got := InComment(c.path, c.text, strings.Index(c.text, "@")); got != c.want {
			t.Errorf("%s %q: %v", c.path, c.text, got)
		}
	}
}
