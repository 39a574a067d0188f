package golang

import (
	"fmt"
	"slices"
	"testing"

	"lspi/internal/testkit"
)

// What go build, go test or the linker refuses, and gopls 0.23.0 does not tell of, is a change; what any edit may
// do is none.
func TestCompare(t *testing.T) {
	const a = "package a\n\nfunc Foo() int { return 1 }\n"
	const embed = "package a\n\nimport \"embed\"\n\n//go:embed x.txt\nvar S embed.FS\n"
	const linked = "package a\n\nimport _ \"unsafe\"\n\n//go:linkname bar runtime.nanotime\nfunc bar() int64\n"
	const cgo = "package a\n\n// int one(void) { return 1; }\nimport \"C\"\n\nfunc Foo() int { return int(C.one()) }\n"
	const exported = "package a\n\nimport \"C\"\n\n//export Foo\nfunc Foo() C.int { return 1 }\n"
	for _, c := range []struct {
		base, before, after string
		want                string // line and what; "" for none
	}{
		{"a.go", a, "package a\n\nfunc Foo() int\n", "3 the function Foo, which has no body"},
		{"a.go", "package a\n\nfunc Foo() int\n", a, "3 the function Foo, which has no body"},
		{"a.go", "package a\n\nfunc Foo() int\n",
			"package a\n\n// Foo is\n// there.\nfunc Foo() int\n\nvar X = Foo()\n", ""},
		{"a.go", a, "package a\n\n//go:build windows\n\nfunc Foo() int { return 1 }\n", "3 the directive //go:build"},
		{"a.go", a, "//go:build windows\n\n" + a, ""},
		{"a.go", a, "package a\n\n//go:noinline\nvar X int\n\nfunc Foo() int { return 1 }\n",
			"3 the directive //go:noinline"},
		{"a.go", a, "package a\n\n//go:noinline\nfunc Foo() int { return 1 }\n", ""},
		{"a.go", a, "package a\n\n//go:generate x\n//nolint:all\n//  go:embed y\nfunc Foo() int { return 1 }\n", ""},
		{"a.go", "package a\n\n//go:nosplit\nfunc Foo() int { return 1 }\n",
			"package a\n\n//go:nosplit\nfunc Foo2(n int) int { return 2 }\n", ""},
		{"a.go", "package a\n\n//go:nosplit\nfunc Foo() int { return 1 }\n",
			"package a\n\n//go:nosplit\nvar Foo int\n", "3 the directive //go:nosplit"},
		{"a.go", "package a\n\n//go:nosplit\nfunc Foo() int { return 1 }\n", a, ""},
		{"a.go", a, "//go:debug nosuch=1\n" + a, "1 the directive //go:debug"},

		{"a.go", "package a\n\nconst (\n\tA = iota\n\tB\n\tC\n)\n", "package a\n\nconst (\n\tA = iota\n\tC\n)\n",
			"5 the value of C, which counts by iota"},
		{"a.go", "package a\n\nconst (\n\tA = iota\n\tB\n)\n", "package a\n\nconst (\n\tA = iota\n)\n", ""},
		{"a.go", "package a\n\nconst (\n\tA = iota\n\tC\n)\n", "package a\n\nconst (\n\tA = iota\n\tB\n\tC\n)\n", ""},
		{"a.go", "package a\n\nconst (\n\tA = iota\n\tB\n)\n", "package a\n\nconst (\n\tA = iota\n\t_\n)\n", ""},

		{"a.go", linked, linked + "\nfunc Foo() int64 { return bar() }\n", ""},
		{"a.go", linked, "package a\n\n//go:linkname bar runtime.nanotime\nfunc bar() int64\n",
			"3 the directive //go:linkname"},
		{"a.go", linked, "package a\n\nimport _ \"unsafe\"\n\n//go:linkname bar runtime.nanotime\nfunc baz() int64\n",
			"5 the directive //go:linkname"},
		{"a.go", linked, "package a\n\nimport _ \"unsafe\"\n\nfunc bar() int64\n", "5 the directive //go:linkname"},

		{"a.go", "package a\n", embed, ""},
		{"a.go", "", "package a\n\nimport _ \"embed\"\n\nvar (\n\t//go:embed x.txt\n\tS []byte\n)\n", ""},
		{"a.go", embed, "package a\n\n//go:embed x.txt\nvar S string\n", "3 the directive //go:embed"},
		{"a.go", embed, "package a\n\nimport \"embed\"\n\n//go:embed x.txt\nvar S, T embed.FS\n",
			"5 the directive //go:embed"},
		{"a.go", embed, "package a\n\nimport _ \"embed\"\n\n//go:embed x.txt\nvar S int\n",
			"5 the directive //go:embed"},
		{"a.go", embed, "package a\n\nimport _ \"embed\"\n\n//go:embed x.txt\nvar S = \"\"\n",
			"5 the directive //go:embed"},

		{"a.go", cgo, cgo + "\nfunc Bar() int { return int(C.one()) }\n", ""},
		{"a.go", cgo,
			"package a\n\n// int two(void) { return 1; }\nimport \"C\"\n\nfunc Foo() int { return int(C.one()) }\n",
			`4 the C code of import "C"`},
		{"a.go", cgo,
			"package a\n\n// int one(void) { return 1; }\n\nimport \"C\"\n\nfunc Foo() int { return int(C.one()) }\n",
			`5 the C code of import "C"`},
		{"a.go", cgo, cgo + "\nfunc Bar() int { return int(C.abs(1)) }\n", "8 the use of C.abs"},
		{"a.go", exported, "package a\n\nimport \"C\"\n\n//export Foo\nfunc Foo(n C.int) C.int { return 1 }\n",
			"5 the C function //export Foo"},
		{"a.go", exported, "package a\n\nimport \"C\"\n\nfunc Foo() C.int { return 1 }\n",
			"5 the C function //export Foo"},

		{"a_test.go", a, a + "\nfunc TestX(t int) {}\n", "5 the signature of the test function TestX"},
		{"a_test.go", a, a + "\nfunc TestX(t *testing.T) error { return nil }\n",
			"5 the signature of the test function TestX"},
		{"a_test.go", a, a + "\nfunc FuzzX[P any](f *testing.F) {}\n", "5 the signature of the test function FuzzX"},
		{"a_test.go", a, a + "\nfunc TestMain(m *testing.M, n int) {}\n",
			"5 the signature of the test function TestMain"},
		{"a_test.go", a,
			a + "\nfunc TestMain(m *testing.M) {}\nfunc TestX(*T) {}\nfunc Benchmark1(b *testing.B) {}\nfunc Testing(n int) {}\n", ""},
		{"a.go", a, a + "\nfunc TestX(t int) {}\n", ""},

		{"a.go", a, "package a\n\nfunc Foo() int { return (", ""}, // gopls tells of that
		{"a.go", a, "", ""},
	} {
		got := ""
		if change := Compare(c.base, c.before, c.after); change != nil {
			got = fmt.Sprint(change.Line, " ", change.What)
		}
		testkit.Equal(t, got, c.want, c.before, c.after)
	}
}

func TestMainless(t *testing.T) {
	for _, c := range []struct {
		texts map[string]string
		want  string
	}{
		{map[string]string{"a.go": "package main\n\nfunc run() {}\n", "b.go": "package main\n\nfunc main() {}\n"}, ""},
		{map[string]string{"a.go": "// Does.\npackage main\n\nfunc run() {}\n",
			"b.go": "package main\n\nfunc (t) main() {}\n"}, "a.go:2"},
		{map[string]string{"a.go": "package a\n"}, ""},
	} {
		got := ""
		if base, line := Mainless(c.texts); base != "" {
			got = fmt.Sprintf("%s:%d", base, line)
		}
		testkit.Equal(t, got, c.want, c.texts)
	}
}

func TestNamesFromOutside(t *testing.T) {
	var got []string
	AssemblyNames(
		"// ·no\nTEXT ·foo(SB),NOSPLIT,$0\n\tMOVQ $const_limit+T_next, AX // ·no\n\tMOVQ $T__size, CX\n\tCALL ex·com∕m∕a·Bar(SB)\n", func(line int, pkg, name string) {
			got = append(got, fmt.Sprintf("%d %s %s", line, pkg, name))
		})
	if want := []string{"2  foo", "3  limit", "3  T.next", "4  T", "5 ex.com/m/a Bar"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	got = nil
	CNames("package a\n\nimport \"C\"\n\nvar x C.struct_box\nvar y, z = C.one(), C.one()\n",
		func(line int, name string) {
			got = append(got, fmt.Sprintf("%d %s", line, name))
		})
	if want := []string{"5 box", "6 one"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	got = nil
	Linknames("package a\n\n//go:linkname local\n//go:linkname x ex.com/m/yaml%2ev3.(*T).M\n",
		func(line int, remote string) {
			pkg, name := SplitLinkname(remote)
			got = append(got, fmt.Sprintf("%d %s %s", line, pkg, name))
		})
	if want := []string{"4 ex.com/m/yaml.v3 T.M"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
