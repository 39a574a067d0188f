package clangd

import (
	"testing"

	"lspi/internal/testkit"
)

func TestRanges(t *testing.T) {
	for loop, want := range map[string]string{
		"for (int x : b) ;": "b", "for (auto &[k, v] : ns::all) ;": "all", "for (x : a.b->c) ;": "c",
		"for (int x : f(1, g(2))) ;": "f(1", "for (int x : Bag{{1}}) ;": "{{1", "for (int x : {1, 2}) ;": "",
		"for (int x : v[0]) ;": "[0]", "for (int x : *p) ;": "*p)", "for (int n = 0; int x : b) ;": "b",
		"for (int x : a | b) ;": "?", "for (int x : (*p).q) ;": "?",
		"for (int i = a ? 1 : 2; i < 3; i++) ;": "", "for (std::size_t i = 0;;) ;": "", "for x": "",
	} {
		at, ok := rangeOf(loop, len("for"))
		switch {
		case want == "" || want == "?":
			testkit.Equal(t, ok, want == "?", loop)
			testkit.Equal(t, !ok || at < 0, true, loop)
		default:
			testkit.Equal(t, ok && at >= 0, true, loop)
			testkit.Equal(t, loop[at:min(len(loop), at+len(want))], want, loop)
		}
	}
}
