package gopls

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"lspi/internal/lang"
	"lspi/internal/testkit"
)

// What sources of another build, or of another project, may notice of a new text.
func TestNamesThatAnEditChanges(t *testing.T) {
	const head = "package p\n\n"
	for name, c := range map[string]struct {
		before, after string
		want          string // changed and added names, sorted
		all           bool
	}{
		"body":    {"func F() { a() }", "func F() { b() }", "[] []", false},
		"comment": {"// F is\nfunc F() {}", "// F was\nfunc F() {}", "[] []", false},
		"head":    {"func F() {}", "func F(n int) {}", "[F] []", false},
		"removed": {"func F() {}\nfunc G() {}", "func G() {}", "[F] []", false},
		"renamed": {"func F() {}", "func G() {}", "[F] [G]", false},
		"method": {"type T int\nfunc (T) M() {}", "type T int\nfunc (T) M() int { return 1 }", "[M] []",
			false},
		"value":              {"const C = 1", "const C = 2", "[C] []", false},
		"interface":          {"type I interface{ M(); N() }", "type I interface{ M(int); N() }", "[I M N] []", false},
		"embedded":           {"type T struct{ A }", "type T struct{ B }", "[T] []", true},
		"only a declaration": {"", "func F() {}", "[] [F]", false},
	} {
		got := touchedBy(head+c.before, head+c.after)
		if said := fmt.Sprint(slices.Sorted(maps.Keys(got.Changed)),
			slices.Sorted(maps.Keys(got.Added))); said != c.want || got.All != c.all {
			t.Errorf("%s: %s %v, want %s %v", name, said, got.All, c.want, c.all)
		}
	}
	for name, c := range map[string]struct {
		before, after string
		all           bool
	}{
		"new file":   {"", "package p\n", false},
		"package":    {"package p\n", "package q\n", true},
		"constraint": {"package p\n", "//go:build linux\n\npackage p\n", true},
		"same constraint": {"//go:build linux\n\npackage p\n", "//go:build linux\n\npackage p\nvar V int\n",
			false},
		"constraint with //+b": {"// +build linux\n\npackage p\n", "// +build darwin\n\npackage p\n", true},
	} {
		if got := touchedBy(c.before, c.after); got.All != c.all {
			t.Errorf("%s: all %v", name, got.All)
		}
	}
}

func TestWhoMayBreak(t *testing.T) {
	edit := touched{Changed: map[string]bool{"F": true, "f": true}, Added: map[string]bool{"New": true}}
	for name, c := range map[string]struct {
		words, declared string
		beside, want    bool
	}{
		"holds it":                   {"F", "", false, true},
		"holds another":              {"G", "", true, false},
		"holds a private one":        {"f", "", false, false},
		"private, in the same place": {"f", "", true, true},
		"declares the new one":       {"", "New", true, true},
		"declares it elsewhere":      {"", "New", false, false},
	} {
		m := &lang.Mentions{Words: map[string]bool{c.words: true}, Declared: map[string]bool{c.declared: true}}
		testkit.Equal(t, edit.mayBreak(m, c.beside), c.want, name)
	}
	if !(touched{All: true}).mayBreak(&lang.Mentions{}, false) {
		t.Error("another package does not break anybody")
	}
}
