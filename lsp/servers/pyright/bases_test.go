package pyright

import (
	"fmt"
	"strings"
	"testing"

	"lspi/internal/source"
	"lspi/internal/testkit"
)

func TestBases(t *testing.T) {
	for head, want := range map[string]string{
		"class A: pass":        "[]",
		"class A():\n    pass": "[]",
		"class A(B): pass":     "[B]",
		"class A[T: int](m.n.B, Generic[T, U], C): x()":                                                   "[B Generic C]",
		"class A(\n    B,  # not this one: (X, Y\n    metaclass=M, flag=f(Z),\n):\n    def f(self): g(h)": "[B]",
		"class A(make(Q), B)": "[make B]",
		"class A(B":           "[]",
	} {
		var got []string
		for _, at := range bases(head, strings.Index(head, "A")+1) {
			from, to, _ := source.WordAround(head, at)
			got = append(got, head[from:to])
		}
		testkit.Equal(t, fmt.Sprint(got), want, head, got)
	}
}
