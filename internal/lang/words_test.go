package lang

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"lspi/internal/testkit"
)

// Each word x of a text, with how the text holds it. The notebook's and the template's words come from real files.
// A dollar sign is a letter in scripts, and the sign of a variable elsewhere.
func TestEachWordWithDollar(t *testing.T) {
	for _, c := range []struct{ path, text, want string }{
		{"a.ts", "$x(x$, $, a.$x$y, `${x} ${$x}`, '$x') // $x", "$x x$ $ a $x$y x $x x $x x $x"},
		{"a.sh", "x=$x; ${x}; $(x)", "x x $x x x"},
		{"a.svelte", "<script>let a = $x</script>", "script let a x $x script"},
		{"a.c", "int $x;", "int x $x"},
	} {
		var got []string
		EachWord(c.path, c.text, func(from, to int, _ Use) { got = append(got, c.text[from:to]) })
		testkit.Equal(t, strings.Join(got, " "), c.want, c.path)
		checkEachOf(t, c.path, c.text)
	}
}

func TestEachWord(t *testing.T) {
	for _, c := range []struct{ path, text, want string }{
		{"a.go", "x := 1 // a.x\nf(`x`, \"a x\", \"{{.x}}\", \"a.x\", 'x')", "code text alone text template qualified alone"},
		{"a.go", "/* x */ var x = `a\nx\n`", "text code text"},
		{"a.go", "/*\nint x;\n*/\nimport \"C\"\n// x\n//go:generate y -type=x\nvar a = C.x", "open text alone code"},
		{"a.go", "package a // x\n\n// x\n// int x;\nimport \"C\"", "text open open"},
		{"a.go", "t.Delims(\"<<\", `>>`).Parse(\"<<.x>> x\" + `<< .` + `x >>` + \"[[.x]]\"); a << x >> b",
			"template text template text code"},
		{"a.tmpl", "[[ .x ]] [[ if .x ]] [[ x ]] [x] {{ x }} << .x >>", "template template text text template template"},
		{"a.py", "x = f'{x}' # x\n'''\nx\n'''\ngetattr(o, 'x')\n\"m:x\"", "code code text text alone qualified"},
		{"a.py", `r"{{ x }}"`, "template"},
		{"a.ts", "const x = `a ${x} x`; // x\nf('x', /x/)", "code code text text alone text"},
		{"a.ts", "import { x } from './x'", "code text"},
		{"a.rs", "fn x() {} // x\n#[cfg(a)] fn b() { x() }\nmacro_rules! m { () => { x } }", "code text open open"},
		{"a.rs", `println!("{x} x", r#"x"#)`, "code text alone"},
		{"a.c", "int x; /* x */\n#define M x\n#if A\nint b = x;\n#endif\n#include \"x.h\"", "code text open open text"},
		{"a.hpp", "template <class T> int f(T t) { return t.x(); }\nint g() { return x; }", "open code"},
		{"a.hpp", "template <class T> auto f(T t) -> decltype(t.x()) requires requires(T t) { t.x(); } { return t.x(); } int x;",
			"open open open code"},
		{"a.hpp", "template <class T> S<T>::S(T t) : n(t.x()), m{t.x()} { t.x(); }\nint y{x};", "open open open code"},
		{"a.hpp", "template <> int f(int x) { return x; }\ntemplate struct V<x>;\nauto l = []<class T>(T t) { t.x(); };",
			"code code open open"},
		{"a.hpp", "for (auto i : l) { x(); }\nvoid f(const auto& t) { t.x(); }", "code open"},
		{"a.hpp", "class A { friend int x(A); int x(); };", "open code"},
		{"a.c", "#pragma weak a = x\n#pragma pack(push, x)\nint i __attribute__((cleanup(x), x));", "open code open code"},
		{"a.c", "int i() __attribute__((alias(\"x\"))), j() __attribute__((deprecated(\"x\")));", "open alone"},
		{"a.c", "asm(\"call x; .x %x\" : : \"r\"(x)); f(\"call x\");", "alone text text code text"},
		{"a.s", "x: x x, $x(%x) # x\n.size x, .x ; x", "code text code code text text code text text"},
		{"Makefile", "x: -DX=x -Wl,-e,x x=x", "code option option code code"},
		{"a.html", "<p>x {{ x }}</p><script>f(x) // x</script><% x %>", "text template code text template"},
		{"a.html", `<x-y x="x" onclick="x('x')" :x="x"><p x>Don't x</p><!-- x --><x/>`, "code code text code alone code code text text text text"},
		{"a.vue", "<template><p :t='x'>Don't x {{ x }}</p></template>\n<script>\nf(x)</script><style>x</style>",
			"code text code code text"},
		{"a.svelte", "<script>x</script>{#if x}<p on:click={x} t='x'>x</p>{/if}", "code code code text text"},
		{"a.astro", "---\nx()\n---\n<P x={x}>x</P>", "code code code text"},
		{"a.mdx", "import x from 'x'\n\nA x {x('x')} `x`\n\n<X x={x} />\n```\nx\n```", "code text text code alone text code code text"},
		{"a.ejs", "<p>x <%= x %></p><button onclick='x()'>", "text template template"},
		{"a.tsx", "<p>Don't {x} it's {x}</p>", "code code"},
		{"a.js", "eval('x()'); new Function('n', 'x(n)'); t = '<b (a)=\"x()\">x</b>'; g('a#x', './a.x')",
			"template template template text qualified qualified"},
		{"a.json", `{"s": "node -e \"require('./a').x()\""}`, "qualified"},
		{"a.md", "x `x` {{x}} a.x", "text text text text"},
		{"a.py.in", "x('x') # x", "code alone text"},
		{"a.h.j2", "x {{ x }} /* x */", "code template text"},
		{"a.yml.j2", "x: {{ x }}", "text template"},
		{"a.yml", "x: ${{ x }} {{ x }} # x", "text text template text"},
		{"a.json", `{"x": "a.x"}`, "text qualified"},
		{"a.sh", `x="$x" # x`, "code code text"},
		{"a.ipynb", `{"cells": [{"cell_type": "code", "source": ["x\n", "'x' # x"]}, {"cell_type": "markdown", "source": "x"},` +
			` {"source": "f(\"x\", x)", "cell_type": "code"}], "metadata": {"x": 1}}`, "code alone text alone code"},
	} {
		names := map[Use]string{CodeUse: "code", OpenUse: "open", TemplateUse: "template", AloneUse: "alone",
			QualifiedUse: "qualified", OptionUse: "option", TextUse: "text"}
		var got []string
		EachWord(c.path, c.text, func(from, to int, use Use) {
			if c.text[from:to] == "x" {
				got = append(got, names[use])
			}
		})
		testkit.Diff(t, strings.Join(got, " "), c.want, fmt.Sprintf("%s %s", c.path, c.text))
		checkEachOf(t, c.path, c.text)
	}
}

// checkEachOf compares EachOf with EachWord, for each word and for two of them.
func checkEachOf(t *testing.T, path, text string) {
	t.Helper()
	var all []string
	EachWord(path, text, func(from, to int, _ Use) { all = append(all, text[from:to]) })
	slices.Sort(all)
	all = append(slices.Compact(all), "x", "$x", "$", "nowhere")
	for i, word := range all {
		words := []string{word, all[(i+1)%len(all)]}
		var want, got []string
		EachWord(path, text, func(from, to int, use Use) {
			if slices.Contains(words, text[from:to]) {
				want = append(want, fmt.Sprint(from, to, use))
			}
		})
		EachOf(path, text, words, func(from, to int, use Use) { got = append(got, fmt.Sprint(from, to, use)) })
		testkit.Diff(t, strings.Join(got, ", "), strings.Join(want, ", "), fmt.Sprintf("%s %s: %v", path, text, words))
	}
}

func TestFencedRust(t *testing.T) {
	text := "# A\n```\none\n```\n```toml\ntwo\n```\n```rust,no_run\nthree\n```\n"
	got := ""
	for _, code := range FencedRust(text) {
		got += text[code[0]:code[1]]
	}
	if got != "one\nthree\n" {
		t.Errorf("%q", got)
	}
}

// A notebook is of the language that its metadata names in one of two places, by names of their own for some.
func TestLanguageOfNotebook(t *testing.T) {
	for metadata, want := range map[string]string{
		`{}`: "python", `{"kernelspec": {"language": "typescript"}}`: "typescript",
		`{"kernelspec": {"name": "deno", "language": "deno"}}`:  "typescript",
		`{"language_info": {"name": "C++17"}}`:                  "cpp",
		`{"kernelspec": {"language": "Rust"}}`:                  "rust",
		`{"kernelspec": {"language": "a language of its own"}}`: "",
	} {
		testkit.Diff(t, OfText("a.ipynb", `{"cells": [], "metadata": `+metadata+`}`).ID, want, metadata)
	}
}
