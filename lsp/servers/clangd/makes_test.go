package clangd

import (
	"strings"
	"testing"

	"lspi/internal/testkit"
)

func TestMakes(t *testing.T) {
	const byDefault, from, copies, ends = "Foo() {}", "Foo(int a, int b);", "Foo(const Foo &o) {}", "~Foo();"
	for _, c := range []struct {
		text string
		by   string // declarations by which the name behind @ makes or ends an object
	}{
		{"auto p = std::make_shared<@Foo>(1, 2);", byDefault + from + copies + ends},
		{"std::map<int, @Foo> all;", byDefault + from + copies + ends},
		{"std::unique_ptr<@Foo> p;", ""}, {"static_cast<@Foo *>(p);", ""}, {"std::vector<@Foo *> all;", ""},
		{"struct Car {\n  int n() { return 1; }\n  @Foo part;\n};", byDefault + copies + ends},
		{"struct Car : Base, public @Foo { };", byDefault + copies + ends},
		{"struct Car : Foo { using @Foo::Foo; };", byDefault + from + copies + ends},
		{"struct Car { @Foo *part; };", ""}, {"struct Car { void take(@Foo &part); };", ""},
		{"struct @Foo { };", ""}, {"void f() {\n  @Foo foo;\n}", ends}, {"struct Foo { @Foo(); };", ""},
	} {
		at := strings.IndexByte(c.text, '@')
		text := c.text[:at] + c.text[at+1:]
		for _, declaration := range []string{byDefault, from, copies, ends} {
			testkit.Equal(t, makes(declaration)(text, at, at+len("Foo")), strings.Contains(c.by, declaration), c.text,
				declaration)
		}
	}
}
