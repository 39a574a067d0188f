package audit

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/internal/testkit"
	"lspi/lsp"
	"lspi/lsp/spec"
)

// A place is covered by what begins before it and does not end before it, also when something shorter begins in
// between.
func TestCoveredBy(t *testing.T) {
	span := func(path string, line, from, to int) lsp.Place {
		return lsp.Place{Path: path, Range: contract.Range{Start: contract.Position{Line: line, Character: from},
			End: contract.Position{Line: line, Character: to}}}
	}
	covered := CoveredBy([]lsp.Place{span("a", 1, 7, 9), span("a", 1, 2, 20), span("a", 1, 3, 4),
		span("a", 2, 5, 6), span("b", 1, 30, 31)})
	for _, c := range []struct {
		path      string
		line, at  int
		isCovered bool
	}{{"a", 1, 1, false}, {"a", 1, 2, true}, {"a", 1, 12, true}, {"a", 1, 20, true}, {"a", 1, 21, false},
		{"a", 2, 5, true}, {"a", 2, 4, false},
		{"b", 1, 3, false}, {"b", 1, 30, true}, {"c", 1, 1, false}} {
		testkit.Equal(t, covered(c.path, contract.Position{Line: c.line, Character: c.at}), c.isCovered, c.path,
			c.line, c.at, !c.isCovered)
	}
}

// What a bundler writes is one line of megabytes, in which a name may stand a hundred thousand times: the search
// looks at each byte a bounded number of times, and ends with the time that the call has for it.
func TestUsesOnOneLongLine(t *testing.T) {
	const unit, times = "a.b(c,\"getName\",d(e)).getName+Reflect.get(f,\"getName\");", 20_000
	path := filepath.Join(t.TempDir(), "bundle.js")
	testkit.Must(t, os.WriteFile(path, []byte("\ufeffüé;"+strings.Repeat(unit, times)), 0o600))
	text, err := source.Read(path)
	testkit.Must(t, err)
	rules := &spec.Dynamic{Keys: true, Getters: []string{"get"}}
	// before, one half of a megabyte took more than five minutes
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	found, all := MemberPlaces(ctx, text, path, "getName", rules)
	if !all || len(found) != 2*times {
		t.Fatalf("%d places of %d, all %v", len(found), 2*times, all)
	}
	for _, n := range []int{0, 1, len(found) - 2, len(found) - 1} {
		column := 4 + n/2*len(unit) + []int{strings.Index(unit, ".getName") + 1,
			strings.LastIndex(unit, "getName")}[n%2]
		if want := (contract.Position{Line: 1, Character: column}); found[n].At != want ||
			found[n].Keyed != (n%2 == 1) {
			t.Errorf("place %d is at %v, want %v", n, found[n].At, want)
		}
	}
	testkit.Equal(t, MissingIn(path, "getName", func(string, contract.Position) bool {
		return ctx.Err() == nil
	}), 0, "looking for uses in a file that did not compile took too long")
	cancel()
	if _, all := MemberPlaces(ctx, text, path, "getName", rules); all {
		t.Error("it went on when the time was over")
	}
}

// A text names a member where it is an argument of a function that takes such names.
func TestTakesMember(t *testing.T) {
	rules := &spec.Dynamic{Getters: []string{"getattr"}}
	for before, want := range map[string]bool{
		`getattr(x, `: true, `y = getattr (f(a, b(c)), `: true, `if (getattr(x, `: true,
		`getattr(x, y); call(`: false, `forgetattr(x, `: false, `[`: false, `getattr(x), `: false, ``: false,
	} {
		testkit.Equal(t, TakesMember(before, rules), want, before, !want)
	}
}
