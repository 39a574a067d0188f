package lang

import (
	"strings"
	"testing"
)

func TestPythonAlias(t *testing.T) {
	for text, want := range map[string]bool{
		"from a import name as b": true,
		"import x, name as b\n":   true,
		"import m.name as b; b()": true,
		"from a import (\n    x,\n\n    y as z, # (\n    name as b,\n)": true,
		"with name as b:\n":              false,
		"try: pass\nexcept name as b:\n": false,
		"x = (\n    name as b\n)":        false,
		"name as b":                      false,
		"from a import name, b":          false,
	} {
		at := PythonAlias(text, strings.Index(text, "name")+len("name"))
		if (at >= 0) != want || want && !strings.HasPrefix(text[at:], "b") {
			t.Errorf("%q: %d, want %v", text, at, want)
		}
	}
}
