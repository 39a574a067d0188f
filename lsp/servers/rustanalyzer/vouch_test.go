package rustanalyzer

import (
	"strings"
	"testing"

	"lspi/internal/source"
	"lspi/internal/testkit"
)

// The trait in whose implementation the item x stands.
func TestTraitOf(t *testing.T) {
	for code, want := range map[string]string{
		"impl Draw for Ring {\n    fn x() {}\n}":                                          "Draw",
		"unsafe impl Send for A { fn x() {} }":                                            "Send",
		"impl ops::Add<i32> for V {\n    type Output = V;\n    // a\n    fn x() {}\n}":    "Add",
		"impl<T: Into<u8>, U> From<T> for V<U>\nwhere\n    T: Copy,\n{\n    fn x() {}\n}": "From",
		"impl<'a> IntoIterator for &'a V {\n    fn x() {}\n}":                             "IntoIterator",
		"impl Ring {\n    fn x() {}\n}":                                                   "",
		"impl<F> Ring<F> where F: for<'a> Fn(&'a u8) {\n    fn x() {}\n}":                 "",
		"impl A for B {\n    fn y() {}\n}\nfn x() {}":                                     "",
		"impl A for B {\n    fn y() {}\n}\nmod m {\n    fn x() {}\n}":                     "",
		"trait T {\n    fn x();\n}":                                                       "",
	} {
		text := source.New("a.rs", code)
		line := 1 + strings.Count(code[:strings.Index(code, " x(")], "\n")
		got := ""
		if at := traitOf(text, line); at >= 0 {
			from, to, _ := source.WordAround(code, at)
			got = code[from:to]
		}
		testkit.Equal(t, got, want, code)
	}
}
