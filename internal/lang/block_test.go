package lang

import (
	"fmt"
	"strings"
	"testing"

	"lspi/internal/testkit"
)

func TestPythonBlock(t *testing.T) {
	for text, want := range map[string]string{
		"def f(): ...\nx = 1\n":                                  "0 true",
		"def f():\n    ...\n\nx = 1\n":                           "1 true",
		"def f(\n  a,\n): ...\ndef g(): ...\n":                   "2 true",
		"class C:\n\tx = 1\n\n# c\n\ty = 1\n# d\nz = 1\n":        "4 true",
		"async def f():\n    x = '''\na\n'''\n    return x\ny\n": "4 true",
		"def f(a=\\\n1): ...\ny\n":                               "1 true",
		"def f(): # c:\\\n  ...\ny\n":                            "0 false",
		"def f():\n    x = [\n":                                  "0 false",
		"def f():\n  ...":                                        "1 true",
		"x = 1\n":                                                "0 false",
	} {
		last, ok := PythonBlock(strings.Split(text, "\n"), 0)
		if strings.HasSuffix(want, "false") {
			last = 0
		}
		testkit.Equal(t, fmt.Sprint(last, ok), want, text)
	}
}
