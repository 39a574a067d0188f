package lang

import (
	"strings"
	"testing"

	"lspi/internal/testkit"
)

// A name is aside in a comment or a string of code; in data a string is a name, and behind a minus one may be an
// operand.
func TestAside(t *testing.T) {
	for _, c := range []struct {
		path, text string
		aside      []int // which of the names
	}{
		{"a.go", "// hi\nvar hi = \"hi\" /*\nhi */", []int{0, 2, 3}},
		{"a.py", "def hi():\n    \"\"\"\n    hi there\n    \"\"\"\n# hi", []int{1, 2}},
		{"a.ts", "hi(`${hi} hi`) // hi", []int{2, 3}},
		{"a.c", "clamp(-lo,hi); f(-hi,x);", nil},
		{"a.pl", "sub hi {} # hi", []int{1}},
		{"package.json", `{"hi": "hi"}`, nil},
		{"a.tf", `variable "hi" {}`, nil},
		{"a.r", `setClass("hi")`, nil},
		{"a.md", "hi", nil},
		{"unknown.thing", `"hi"`, nil},
	} {
		aside := Aside(c.path, c.text, "hi")
		var got []int
		n, at := 0, 0
		for {
			i := strings.Index(c.text[at:], "hi")
			if i < 0 {
				break
			}
			if at += i; aside[at] {
				got = append(got, n)
			}
			n, at = n+1, at+len("hi")
		}
		testkit.Diff(t, got, c.aside, c.path+": "+c.text)
	}
}
