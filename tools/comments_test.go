package tools

import "testing"

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
	} {
		if got := len(inCode(c.path, c.line, occurrences(c.line, "Foo"))); got != c.want {
			t.Errorf("%s %q: %d, want %d", c.path, c.line, got, c.want)
		}
	}
}
