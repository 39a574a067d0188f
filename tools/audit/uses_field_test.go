package audit

import (
	"strings"
	"testing"

	"lspi/internal/testkit"
)

func TestMayBeField(t *testing.T) {
	for text, want := range map[string]bool{
		"type P struct{ |A, B int }":       true,
		"func f() P { return P{|A: 1} }":   true,
		"\tp.|F(1)":                        true,
		"ops->|open(1);":                   true,
		"  int |x;":                        true,
		"  int (*|open)(int);":             true,
		"\t|F func(int)":                   true,
		"  struct inner |x;":               true,
		"class EXPORT |Slice {":            true, // a macro, or a type
		"class |Slice {":                   false,
		"type |P struct{ A int }":          false,
		"func |Map[T any](s []T) {}":       false,
		"func (p P) |M() {}":               false,
		"Status DBImpl::|Work(State* s) {": false,
	} {
		at := strings.Index(text, "|")
		testkit.Equal(t, mayBeField(strings.Replace(text, "|", "", 1), at), want, text)
	}
}
