package lang

import (
	"strings"
	"testing"

	"lspi/internal/testkit"
)

func TestFields(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ path, text, want string }{
		{"a.go", "package a\ntype P struct {\n\tA, B int\n\t*pkg.C\n\tD\n\tf func(x int)\n}\ntype N int\n", "P: A B C D f"},
		{"a.h", "struct span { int from, *to[2]; int (*run)(int, int); unsigned bit : 3; };", "span: from to run bit"},
		{"a.h", "typedef struct { int a; /* int x; */ struct in { int q; } b; } row_t;\nenum e { A, B };", "row_t: a b; in: q"},
		{"a.hpp", "class P : public Q<int> {\n public:\n  P() : a(1) {}\n  int sum(int n) const { return a + n; }\n" +
			"  std::map<int, int> m;\n private:\n  static int s;\n  using T = int;\n  int a = 1, b{2};\n};", "P: m a b"},
		{"a.h", "#define F struct x { int a; }\nstruct y;\nstruct y f(struct y *p) { return *p; }\n", ""},
		{"a.cc", "struct Table::Rep : ns::Base { int size; };", "Rep: size"},
		{"a.py", "class A:\n  x = 1\n", ""},
	} {
		var got []string
		for _, one := range Fields(c.path, c.text) {
			line := one.Type + ":"
			for _, f := range one.Fields {
				testkit.Equal(t, c.text[f.At:f.At+len(f.Name)], f.Name, c.text)
				line += " " + f.Name
			}
			got = append(got, line)
		}
		testkit.Equal(t, strings.Join(got, "; "), c.want, c.text)
	}
}

func TestMovedFields(t *testing.T) {
	t.Parallel()
	of := func(names string) []TypeFields {
		one := TypeFields{Type: "T"}
		for i, name := range strings.Fields(names) {
			one.Fields = append(one.Fields, NamedOffset{name, i})
		}
		return []TypeFields{one}
	}
	for _, c := range [][3]string{{"a b", "b a", "a"}, {"a b", "a m b", "b"}, {"a b", "a b c", ""}, {"a b c", "a c", "c"},
		{"a b", "x b", ""}} {
		got := ""
		for _, f := range MovedFields(of(c[0]), of(c[1])) {
			got += f.Name
		}
		testkit.Equal(t, got, c[2], c[0]+" → "+c[1])
	}
	testkit.Equal(t, len(MovedFields(of("a b"), nil)), 0)
}
