package rustanalyzer

import (
	"strings"
	"testing"

	"lspi/internal/source"
	"lspi/internal/testkit"
)

// The type whose item x is, and whether that is an inherent one.
func TestOwnerOf(t *testing.T) {
	for code, want := range map[string]string{
		"fn x() {}":                                        " no",
		"mod m {\n    fn x() {}\n}":                        " no",
		"impl Ring {\n    fn x() {}\n}":                    "Ring yes",
		"impl<T: Into<u8>> a::Ring<T> {\n    fn x() {}\n}": "Ring yes",
		"impl Draw for Ring {\n    fn x() {}\n}":           "trait no",
		"pub trait Draw: Sized {\n    fn x();\n}":          "trait no",
		"pub enum Tone {\n    x(u8),\n}":                   "Tone yes",
		"struct S;\n\nimpl $name {\n    fn x() {}\n}":      "trait no",
	} {
		line := 1 + strings.Count(code[:strings.Index(code, " x(")], "\n")
		owner, inherent := ownerOf(source.New("a.rs", code), line)
		testkit.Equal(t, owner+map[bool]string{true: " yes", false: " no"}[inherent], want, code)
	}
}
