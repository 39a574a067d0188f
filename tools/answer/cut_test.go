package answer

import (
	"testing"

	"lspi/internal/testkit"
)

// A cap in code points counts the ellipsis too.
func TestCutText(t *testing.T) {
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{
		{"abc", 3, "abc"},
		{"abcd", 3, "ab…"},
		{"äöü", 3, "äöü"},
		{"äöüß", 3, "äö…"},
		{"🦀🦀", 1, "…"},
		{"", 1, ""},
	} {
		testkit.Equal(t, CutText(c.in, c.n), c.want, c.in, c.n)
	}
}
