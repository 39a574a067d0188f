package overlay

import (
	"strings"
	"testing"

	"lspi/internal/source"
	"lspi/internal/testkit"
)

func TestHeads(t *testing.T) {
	for _, c := range []struct {
		text string // the name is "name"
		kind Kind
		body string
		want string
	}{
		{"def name(a: int, b=\":\") -> int: return 1\n", Function, ":", "def name(a: int, b=\":\") -> int"},
		{"x = 1\n\n@a(\n  b,\n)\n@c\ndef name(\n    a,\n):\n    return 1\n", Function, ":",
			"@a( b, ) @c def name( a, )"},
		{"foo(\n  b,\n)\ndef name(): pass\n", Function, ":", "def name()"},
		{"class name(Base): pass\n", Type, ":", "class name(Base)"},
		{"name: int = f(1)\n", Value, ":", ""},
		{"name = lambda a: a\n", Value, ":", "name = lambda a"},
		{"  static name<T extends {a: number}>(x: {b: T}) { return x }\n", Function, "{",
			"static name<T extends {a: number}>(x: {b: T})"},
		{"const name = (a, b) => a;\n", Value, "{", "name = (a, b)"},
		{"const name = async function (a) { return 1 }\n", Value, "{", "name = async function (a)"},
		{"const name = { a: 1 };\n", Value, "{", ""},
		{"let name = 3;\n", Value, "{", ""},
		{"name", Function, "{", "name"},
	} {
		testkit.Equal(t, HeadOf(source.New("x", c.text), strings.Index(c.text, "name"), c.kind, c.body), c.want, c.text)
	}
}

func TestOptionalParameters(t *testing.T) {
	for _, c := range []struct {
		was, now string
		want     bool
	}{
		{"def f(a)", "def f(a, b=1)", true}, {"def f()", "def f(b: dict[str, int] = {}, *c, **d)", true},
		{"def f( a, )", "def f( a, b=1, )", true},
		{"def f(a) -> int", "def f(a, b=1) -> int", true}, {"f(a)", "f(a, b?: number, ...c: any[])", true},
		{"def f(a)", "def f(a, b)", false}, {"def f(a)", "def f(b=1, a)", false}, {"def f(a)", "def f()", false},
		{"def f(a)", "def g(a, b=1)", false},
		{"def f(a) -> int", "def f(a, b=1) -> str", false}, {"def f(a)", "def f(a: int)", false}, {"", "f(a)", false},
		{"f()", "f(a)()", false},
	} {
		testkit.Equal(t, OnlyAddsOptional(c.was, c.now), c.want, c.was, c.now)
	}
}
