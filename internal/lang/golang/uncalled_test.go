package golang

import "testing"

// Whether a function has no callers is read from the texts only where nothing but the same folder can call it, and
// a name in a place of any other kind counts as a use.
func TestLocalFunction(t *testing.T) {
	for _, c := range []struct {
		path, text, name string
		line             int
		want             bool
	}{
		{"a.go", "package a\n\nfunc f() {}\n", "f", 3, true},
		{"a.go", "package a\n\nfunc F() {}\n", "F", 3, false},
		{"a.go", "package main\n\nfunc F() {}\n", "F", 3, true},
		{"a_test.go", "package a\n\nfunc TestF() {}\n", "TestF", 3, true},
		{"a.go", "package a\n\nfunc (t T) f() {}\n", "f", 3, false},
		{"a.go", "package a\n\nvar f = func() {}\n", "f", 3, false},
		{"a.go", "package a\n\nfunc f() {}\n", "f", 4, false},
		{"a.go", "package a\n\nvar s = \"\n\nfunc f() {}\n", "f", 5, true},
		{"a.go", "package a\n\nfunc g() {}\n\n/*\nfunc f() {}\n*/\n", "f", 6, false},
	} {
		if got := LocalFunction(c.path, c.text, c.name, c.line); got != c.want {
			t.Errorf("%s %q line %d: %v", c.path, c.text, c.line, got)
		}
	}
}

func TestUses(t *testing.T) {
	for _, c := range []struct {
		text, name string
		want       bool
	}{
		{"package main\n\n// main is the main function.\nfunc main() { println(\"main\") }\n", "main", false},
		{"package main\n\nfunc main() { main() }\n", "main", true},
		{"package a\n\nvar X = f\n", "f", true},
		{"package a\n\nfunc (t T) f() {}\n", "f", true},
		{"package a\n\nfunc g() { x.f() }\n", "f", true},
		{"package a\n\nfunc ff() { ff2() }\n", "f", false},
		{"package a\n\nvar s = `\n f()\n", "f", true},
	} {
		if got := Uses(c.text, c.name); got != c.want {
			t.Errorf("%q in %q: %v", c.name, c.text, got)
		}
	}
}
