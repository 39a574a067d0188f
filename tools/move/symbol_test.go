package move

import "testing"

func TestFoundSqueezed(t *testing.T) {
	for _, c := range []struct {
		in, text, want string
		ok             bool
	}{
		{"a();\nf(x,  y);\nb();", "f(x, y)", "f(x,  y);", true},
		{"const a = { b, c };", "const a = {\n  b,\n  c,\n}", "const a = { b, c };", true},
		{"type T = A | B;", "type T =\n  | A\n  | B;", "type T = A | B;", true},
		{"f(); f();", "f()", "", false},
		{"f(1);", "f(2);", "", false},
	} {
		start, end, ok := foundSqueezed(c.in, c.text)
		if ok != c.ok || ok && c.in[start:end] != c.want {
			t.Errorf("%q in %q: %v %q", c.text, c.in, ok, c.in[start:end])
		}
	}
}

func TestWithout(t *testing.T) {
	for _, c := range []struct{ list, item, others string }{
		{"{ a, b as c, d }", "b as c", "{ a, d }"},
		{"{ b }", "b", ""},
		{"{ type b, a }", "type b", "{ a }"},
		{"{ bb, a }", "", "{ bb, a }"},
		{"{\n  a,\n  b,\n}", "b", "{\n  a,\n}"},
	} {
		if item, others := without(c.list, "b"); item != c.item || others != c.others {
			t.Errorf("%q: %q %q", c.list, item, others)
		}
	}
}
