package golang

import (
	"strings"
	"testing"
)

func TestImpliedUse(t *testing.T) {
	for _, test := range []struct {
		path, text, name, as, want string
	}{
		{"a.go", "package a\n\nfunc init() {}\n", "init", "", "runs it"},
		{"a.go", "package main\n\nfunc main() {}\n", "main", "", "begins"},
		{"a.go", "package a\n\nfunc main() {}\n", "main", "", ""},
		{"a_test.go", "package a\n\nfunc TestMain(m *testing.M) {}\n", "TestMain", "", "go test"},
		{"a_test.go", "package a\n\nfunc TestA(t *testing.T) {}\n", "TestA", "", "go test"},
		{"a_test.go", "package a\n\nfunc TestA(t *testing.T) {}\n", "TestA", "TestB", ""},
		{"a_test.go", "package a\n\nfunc TestA(t *testing.T) {}\n", "TestA", "checkA", "go test"},
		{"a_test.go", "package a\n\nfunc Testify() {}\n", "Testify", "", ""},
		{"a.go", "package a\n\nfunc TestA() {}\n", "TestA", "", ""},
		{"a.go", "package a\n\nfunc (e *E) Unwrap() error { return nil }\n", "Unwrap", "Inner", "package errors"},
		{"a.go", "package a\n\nfunc (e *E) Unwrap(n int) error { return nil }\n", "Unwrap", "Inner", ""},
		{"a.go", "package a\n\nvar x = hook()\n", "x", "", "initializes"},
		{"a.go", "package a\n\nvar x = hook()\n", "x", "y", ""},
		{"a.go", "package a\n\nvar x = map[string]int{\"a\": hook()}\n", "x", "", "initializes"},
		{"a.go", "package a\n\nvar x = func() int { return 1 }()\n", "x", "", "initializes"},
		{"a.go", "package a\n\nvar x = func() int { return hook() }\n", "x", "", ""},
		{"a.go", "package a\n\nvar x = errors.New(\"a\")\n", "x", "", ""},
		{"a.go", "package a\n\nvar x = []byte(\"a\")\n", "x", "", ""},
		{"a.go", "package a\n\nvar x = T(1)\n\ntype T int\n", "x", "", ""},
		{"a.go", "package a\n\nfunc f() {\n\tvar x = hook()\n}\n", "x", "", ""},
		{"a.go", "package a\n\nfunc f() {}\n", "f", "", ""},
	} {
		line := 3
		if strings.Contains(test.text, "\tvar") {
			line = 4
		}
		got := ImpliedUse(test.path, test.text, test.name, test.as, line)
		if (test.want == "") != (got == "") || !strings.Contains(got, test.want) {
			t.Errorf("%q as %q: %q, want %q", test.text, test.as, got, test.want)
		}
	}
}
