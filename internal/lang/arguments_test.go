package lang

import (
	"fmt"
	"testing"

	"lspi/internal/testkit"
)

func TestPythonArguments(t *testing.T) {
	for text, want := range map[string]string{
		"P":                                "[] false",
		"P = (1, 2)":                       "[] false",
		"P()":                              "[] false",
		"P(x=1)":                           "[] false",
		"P[int](a, (b, c), d)":             "[a, (b d)] false",
		`P("a, b", f(x, y=2), z == 1)`:     `["a f( z ] false`,
		"P(a, *rest)":                      "[a,] true",
		"P(a, **rest)":                     "[a,] false",
		"P(  # first\n    a,\n    b=2,\n)": "[a,] false",
		"P(a == b, c)":                     "[a  c)] false",
	} {
		begin, spread := PythonArguments(text, 1)
		got := ""
		for i, at := range begin {
			if i > 0 {
				got += " "
			}
			got += text[at:min(at+2, len(text))]
		}
		testkit.Equal(t, fmt.Sprintf("[%s] %v", got, spread), want, text)
	}
}
