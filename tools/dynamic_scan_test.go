package tools

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lspi/contract"
	"lspi/coverage"
	"lspi/internal/testkit"
	"lspi/internal/testkit/sessions"
	"lspi/lsp/spec"
	"lspi/source"
)

// What a bundler writes is one line of megabytes, in which a name may stand a hundred thousand times: the search looks at
// each byte a bounded number of times, and ends with the time that the call has for it.
func TestUsesOnOneLongLine(t *testing.T) {
	const unit, times = "a.b(c,\"getName\",d(e)).getName+Reflect.get(f,\"getName\");", 20_000
	path := filepath.Join(t.TempDir(), "bundle.js")
	testkit.Must(t, os.WriteFile(path, []byte("\ufeffüé;"+strings.Repeat(unit, times)), 0o600))
	text, err := source.Read(path)
	testkit.Must(t, err)
	rules := &spec.Dynamic{Keys: true, Getters: []string{"get"}}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second) // before, one half of a megabyte took more than five minutes
	defer cancel()
	found, all := coverage.MemberPlaces(ctx, text, path, "getName", rules)
	if !all || len(found) != 2*times {
		t.Fatalf("%d places of %d, all %v", len(found), 2*times, all)
	}
	for _, n := range []int{0, 1, len(found) - 2, len(found) - 1} {
		column := 4 + n/2*len(unit) + []int{strings.Index(unit, ".getName") + 1, strings.LastIndex(unit, "getName")}[n%2]
		if want := (contract.Position{Line: 1, Character: column}); found[n].At != want || found[n].Keyed != (n%2 == 1) {
			t.Errorf("place %d is at %v, want %v", n, found[n].At, want)
		}
	}
	testkit.Equal(t, coverage.MissingIn(path, "getName", func(string, contract.Position) bool { return ctx.Err() == nil }), 0, "looking for uses in a file that did not compile took too long")
	cancel()
	if _, all := coverage.MemberPlaces(ctx, text, path, "getName", rules); all {
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
		testkit.Equal(t, coverage.TakesMember(before, rules), want, before, !want)
	}
}

// A source that is too large to be read as text is not searched, and told when it holds the name: uses there are not known.
func TestLargeFilesAreToldAsUnsearched(t *testing.T) {
	t.Parallel()
	needServer(t, "pyright-langserver")
	large := strings.Repeat("# "+strings.Repeat("x", 77)+"\n", source.MaxBytes/80+1)
	for _, c := range []struct{ end, want string }{
		{"def use(x):\n    return x.area_of()\n", "partial dynamic_uses"}, {"def use(x):\n    return x.size_of()\n", "complete"},
	} {
		env := sessions.Real(t, project(t, map[string]string{"pyrightconfig.json": "{}", "a.py": "class Square:\n    def area_of(self) -> int:\n        return 1\n",
			"large.py": large + c.end}), "pyright")
		a := run(t, env, "find_references", map[string]any{"file_path": "a.py", "symbol_name": "area_of"})
		if got := strings.Join(append([]string{a["completeness"].(string)}, a.kinds()...), " "); got != c.want ||
			c.want != "complete" && !strings.Contains(fmt.Sprint(a["warnings"]), "large.py") {
			t.Errorf("%s: %v", got, a)
		}
	}
}
