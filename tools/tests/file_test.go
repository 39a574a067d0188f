package tests

import (
	"strings"
	"testing"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/internal/testkit"
	"lspi/lsp"
)

// function is a symbol on lines of a text, with its name at the first place of the line that has it.
func function(text *source.Text, kind lsp.SymbolKind, name string, from, to int, within ...lsp.Symbol) lsp.Symbol {
	at := strings.Index(text.Line(from), name) + 1
	return lsp.Symbol{Name: name, Kind: kind, Children: within,
		Range: contract.Range{Start: contract.Position{Line: from, Character: 1},
			End: contract.Position{Line: to, Character: 1}},
		NameAt: contract.Range{Start: contract.Position{Line: from, Character: at},
			End: contract.Position{Line: from, Character: at + len(name)}}}
}

func namesOf(all []Test) string {
	var out []string
	for _, t := range all {
		out = append(out, t.Name())
	}
	return strings.Join(out, ", ")
}

// Tests that a text alone tells: by calls with a title, by macros.
func TestInTexts(t *testing.T) {
	for _, c := range []struct{ path, text, want string }{
		{"/a.test.ts", "// it(\"not\", f)\nconst s = 'it(\"not\")';\nx.it('not');\nit(name, f);\n" +
			"describe('a', () => {\n  describe(\"b'c\", () => {\n    it.only(`d ${1}`, () => {});\n  });\n" +
			"  it('e\\'f', () => {});\n});\ntest('g', () => {});\n", "a > b'c > d ${1}, a > e'f, g"},
		{"/a.test.js", "test.each`a|b\n${1}|${2}`('t %s', () => {});\nit.each([[1, 2]])(\"u\", () => {});\n", "t %s, u"},
		{"/a.ts", "it('none', () => {});\n", ""},
		{"/a.ts", "import { it } from 'vitest';\nit('one', () => {});\n", "one"},
		{"/a_test.cc", "// TEST(No, Comment) {}\nTEST(One, Two) {\n  f();\n}\n TEST_F(Fix,\n  Three)\n{\n}\n" +
			"#define TEST(a, b) void a##b()\nTEST_CASE(\"a title\", \"[tag]\") {\n}\nTEST(Only, Declared);\n",
			"One.Two, Fix.Three, a title"},
	} {
		testkit.Equal(t, namesOf(In(source.New(c.path, c.text), nil)), c.want, c.path)
	}
}

// Tests that are known by their declarations.
func TestInDeclarations(t *testing.T) {
	golang := source.New("/a_test.go", "func TestMain(m *M) {}\nfunc TestA(t *T) {}\nfunc Testify() {}\nfunc ExampleA() {\n"+
		"\t// Output: 1\n}\nfunc ExampleB() {}\nfunc FuzzA(f *F) {}\nfunc BenchmarkA() {}\n")
	testkit.Equal(t, namesOf(In(golang, []lsp.Symbol{function(golang, "function", "TestMain", 1, 1),
		function(golang, "function", "TestA", 2, 2), function(golang, "function", "Testify", 3, 3),
		function(golang, "function", "ExampleA", 4, 6), function(golang, "function", "ExampleB", 7, 7),
		function(golang, "function", "FuzzA", 8, 8), function(golang, "function", "BenchmarkA", 9, 9)})),
		"TestA, ExampleA, FuzzA")
	rust := source.New("/a.rs", "mod tests {\n#[tokio::test]\nfn a() {}\nfn b() {}\n}\n")
	a := function(rust, "function", "a", 3, 3)
	a.Range.Start.Line, a.NameAt.Start.Character = 2, 4
	testkit.Equal(t, namesOf(In(rust, []lsp.Symbol{function(rust, "module", "tests", 1, 5, a,
		function(rust, "function", "b", 4, 4))})), "tests::a")
	python := source.New("/test_a.py", "class TestA:\n  def test_a(self): pass\n  def setUp(self): pass\n"+
		"class Other:\n  def test_b(self): pass\ndef test_c(): pass\ndef helper(): pass\n")
	testkit.Equal(t, namesOf(In(python, []lsp.Symbol{function(python, "class", "TestA", 1, 3,
		function(python, "method", "test_a", 2, 2), function(python, "method", "setUp", 3, 3)),
		function(python, "class", "Other", 4, 5, function(python, "method", "test_b", 5, 5)),
		function(python, "function", "test_c", 6, 6), function(python, "function", "helper", 7, 7)})),
		"TestA::test_a, test_c")
}

// A target of Cargo and the modules from its root to a file.
func TestTargets(t *testing.T) {
	named := crate{Test: []target{{Name: "integration", Path: "tests/lib.rs"}}}
	for _, c := range []struct {
		of                crate
		path, flag, path2 string
	}{
		{crate{}, "/x/src/lib.rs", "--lib", ""},
		{crate{}, "/x/src/a/mod.rs", "--lib", "a"},
		{crate{}, "/x/src/a/b.rs", "--lib", "a::b"},
		{crate{}, "/x/src/bin/tool.rs", "--bin tool", ""},
		{crate{}, "/x/tests/outer.rs", "--test outer", ""},
		{crate{}, "/x/tests/outer/deep.rs", "--test outer", "deep"},
		{named, "/x/tests/lib.rs", "--test integration", ""},
	} {
		flag, root := c.of.target("/x", c.path)
		testkit.Equal(t, flag+" "+strings.Join(modules(root, c.path), "::"), c.flag+" "+c.path2, c.path)
	}
}
