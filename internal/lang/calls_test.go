package lang

import (
	"strings"
	"testing"

	"lspi/internal/testkit"
)

func TestCallForms(t *testing.T) {
	for _, c := range []struct{ path, text, want string }{
		{"a.rs", `fn f() { low(); a.b::<u8>(1); twice!(low(x)); Some(2); "no()"; 'x'; /* no() */ // no()`,
			"low b twice! +low Some"},
		{"a.rs", "fn f() { vec![one(), two!{three()}]; four(); if !(five()) {} }", "vec! +one +two! +three four five"},
		{"a.cc", "int f(int x) { if (x) return g<int>(x) + int(2.0) + t.run(); /* no(\n no() */ return sizeof(x); }",
			"f g run"},
		{"a.py", "def f(x):\n    \"\"\"Doc no().\n    no()\n    \"\"\"\n    x.add(len('no()'), f'{yes()}')\n    d['k']()\n    getattr(x, 'y')()\n    if (x): pass\n", "add len yes d[] getattr getattr()"},
		{"a.ts", "function f(x) { x?.add(); x.y?.(); d['k'](); new C(); `${g()} no()`; if (!x) h<string>(1) }",
			"add y d[] C g h"},
	} {
		var got []string
		from := strings.IndexAny(c.text, "{:")
		if c.path == "a.cc" {
			from = 0
		}
		for _, f := range CallForms(c.path, c.text, from, len(c.text)) {
			name := c.text[f.At:wordEnd(c.text, f.At)]
			if f.Macro {
				name += "!"
			}
			if f.Args {
				name = "+" + name
			}
			if f.Indexed {
				name += "[]"
			}
			if f.Result {
				name += "()"
			}
			got = append(got, name)
		}
		testkit.Equal(t, strings.Join(got, " "), c.want, c.text)
	}
}

func TestBodyEnd(t *testing.T) {
	text := "int f(int x = g({1})) const { if (x) { y(); } }\nint h();\n"
	testkit.Equal(t, text[4:BodyEnd("a.cc", text, 4)], "f(int x = g({1})) const { if (x) { y(); } }", text)
	h := strings.Index(text, "h()")
	testkit.Equal(t, BodyEnd("a.cc", text, h), h, text)
}

func TestMacroCalls(t *testing.T) {
	for text, want := range map[string]bool{
		"macro_rules! m { () => { low() } }":                              true,
		"macro_rules! m { () => { other!() } }":                           true,
		"macro_rules! m { ($f:ident) => { $f() } }":                       true,
		"macro_rules! m { ($($a:tt)*) => { println!(\"a()\", $($a)*) } }": false,
		"macro_rules! m { () => { 1 } }":                                  false,
	} {
		testkit.Equal(t, MacroCalls("a.rs", text), want, text)
	}
}
