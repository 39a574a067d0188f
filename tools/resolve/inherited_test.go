package resolve

import (
	"strings"
	"testing"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/internal/testkit"
	"lspi/lsp"
)

// What a type extends is named between its name and its body; arguments of a base, qualifiers and constraints are
// no bases.
func TestBaseNames(t *testing.T) {
	for _, c := range []struct{ language, text, name, want string }{
		{"python", "class A(B, m.C[D], metaclass=E):\n    x: F = G()\n", "A", "B C"},
		{"python", "class A[T](\n    B,  # not E\n    C,\n):\n    pass\n", "A", "B C"},
		{"python", "class A:\n    def f(self, b: B): pass\n", "A", ""},
		{"typescript", "class A<T extends X> extends ns.B<C<D>> implements E, F {\n  g: G\n}\n", "A", "B E F"},
		{"typescript", "export interface A\n  extends B,\n    C {\n  d: D;\n}\n", "A", "B C"},
		{"cpp", "class A final : public B<int>, private ns::C {\n  D d;\n};\n", "A", "B C"},
		{"cpp", "struct A;\nstruct B : C {};\n", "A", ""},
		{"rust", "trait A: B + C where D: E {}\n", "A", "B C"},
		{"java", "class A extends B<C> implements D { E e; }\n", "A", "B D"},
		{"kotlin", "class A(val b: B) : C(b), D {}\n", "A", "C D"},
	} {
		text := source.New("a", c.text)
		i := strings.Index(c.text, " "+c.name) + 1
		at := text.PositionAt(i)
		sym := lsp.Symbol{Name: c.name, NameAt: contract.Range{Start: at, End: at},
			Range: contract.Range{Start: at, End: text.PositionAt(len(c.text))}}
		var got []string
		for _, at := range baseNames(c.language, "a."+map[string]string{"python": "py", "typescript": "ts",
			"cpp": "cc", "rust": "rs"}[c.language], text, sym) {
			offset, err := text.Offset(at)
			testkit.Must(t, err)
			_, to, _ := source.WordAround(c.text, offset)
			got = append(got, c.text[offset:to])
		}
		testkit.Equal(t, strings.Join(got, " "), c.want, c.text)
	}
}
