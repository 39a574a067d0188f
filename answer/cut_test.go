package answer

import "testing"

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
		if got := CutText(c.in, c.n); got != c.want {
			t.Errorf("cutText(%q, %d) is %q, want %q", c.in, c.n, got, c.want)
		}
	}
}
