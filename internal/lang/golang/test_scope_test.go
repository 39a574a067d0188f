package golang

import (
	"testing"

	"lspi/internal/testkit"
)

func TestWhichTestsConcernASource(t *testing.T) {
	const source = "package p\nimport \"strings\"\nfunc F(s T) string { return strings.ToUpper(s.name) + len2(1) }\nfunc len2(int) string { return \"\" }\n"
	for _, c := range []struct {
		name, test string
		want       bool
	}{
		{"declares a name of its own", "package p\nfunc TestF() { len2(1) }\n", false},
		{"declares the same", "package p\nfunc len2() {}\n", true},
		{"declares what the source imports", "package p\nvar strings = 1\n", true},
		{"imports what the source declares", "package p\nimport len2 \"a/b\"\n", true},
		{"imports by its path", "package p\nimport \"example.com/go-len2/v3\"\n", true},
		{"takes all names of a package", "package p\nimport . \"a/b\"\n", true},
		{"shadows a name of the language", "package p\ntype string int\n", true},
		{"has a method for a type of the source", "package p\nfunc (t T) name() {}\n", true},
		{"has a method for a type of its own", "package p\ntype own int\nfunc (t own) name() {}\n", false},
		{"has a local of the name", "package p\nfunc TestF() { len2 := 1; _ = len2 }\n", false},
		{"may have many init", "package p\nfunc init() {}\nvar _ = 1\n", false},
		{"is broken", "package p\nfunc {\n", true},
		{"is a package of its own", "package p_test\nfunc len2() {}\n", false},
		{"is of another package", "package q\n", true},
	} {
		testkit.Equal(t, TestScopeOf(c.test).Concerns(source), c.want, c.name)
	}
}
