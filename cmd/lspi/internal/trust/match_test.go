package trust

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"lspi/internal/testkit"
)

// Which workspace a folder means, in a home where one folder with projects is allowed, and a part of a repository
// elsewhere.
func TestMatch(t *testing.T) {
	t.Parallel()
	home, err := filepath.EvalSymlinks(t.TempDir())
	testkit.Must(t, err)
	at := func(path string) string { return filepath.Join(home, filepath.FromSlash(path)) }
	for _, dir := range []string{"src/one/.git", "src/one/lib/deep", "src/one/vendored/.git", "src/one/vendored/sub",
		"src/plain/sub", "src/two/api",
		"other/api", "mono/.git", "mono/part/sub", "srcs", "secret"} {
		testkit.Must(t, os.MkdirAll(at(dir), 0o755))
	}
	testkit.Must(t, os.WriteFile(at("src/file"), nil, 0o644))
	links := runtime.GOOS != "windows"
	if links {
		testkit.Must(t, os.Symlink(at("secret"), at("src/link-out")))
		testkit.Must(t, os.Symlink(at("src/one"), at("link-in")))
	}
	r := Reach{
		Allowed: []string{at("src"), at("mono/part"), at("other/api")},
		// two of them by hosts over stdio, elsewhere
		Open: []string{at("src/two/api"), at("src/one"), at("secret"), at("mono")},
		User: User{Home: home},
	}
	for _, c := range []struct{ given, root, reason string }{
		{given: at("src/one"), root: "src/one"},
		{given: at("src/one/lib/deep"), root: "src/one"},
		{given: at("src/one/"), root: "src/one"},
		{given: at("src/two/../one/lib"), root: "src/one"},
		{given: "~/src/one/lib", root: "src/one"},
		{given: "file://" + filepath.ToSlash(at("src/one/lib")), root: "src/one"},
		{given: at("src/one/vendored/sub"), root: "src/one/vendored"}, // a repository in the open one
		{given: at("src/two/api"), root: "src/two/api"},
		{given: at("src/two"), root: "src"},
		{given: at("src/plain/sub"), root: "src"},
		{given: at("src"), root: "src"},
		{given: at("mono/part/sub"), root: "mono/part"}, // the repository is not allowed, nor is what is open there
		{given: "one", root: "src/one"},
		{given: "two/api", root: "src/two/api"},
		{given: "api", reason: Ambiguous},
		{given: at("mono"), reason: NotAllowed},
		{given: at("secret"), reason: NotAllowed}, // open, and not allowed
		{given: "secret", reason: NotAllowed},
		{given: at("srcs"), reason: NotAllowed},
		{given: at("src/../secret"), reason: NotAllowed},
		{given: at("src/missing"), reason: NotAllowed},
		{given: at("missing"), reason: NotAllowed},
		{given: at("src/file"), reason: NotAllowed},
		{given: home, reason: NotAllowed},
		{given: "/", reason: NotAllowed},
		{given: ".", reason: NotAllowed},
		{given: "..", reason: NotAllowed},
		{given: "../src/one", reason: NotAllowed},
		{given: "", reason: NotAllowed},
		{given: "~", reason: NotAllowed},
		{given: "file://elsewhere" + filepath.ToSlash(at("src/one")), reason: NotAllowed},
		{given: "http://localhost" + filepath.ToSlash(at("src/one")), reason: NotAllowed},
	} {
		root, real, err := r.Match(c.given)
		var none *NoMatchError
		switch {
		case c.reason == "" && (err != nil || root != at(c.root) || !r.Allows(real)):
			t.Errorf("%s: %s, %v", c.given, root, err)
		case c.reason != "" && (!errors.As(err, &none) || none.Reason != c.reason || root != ""):
			t.Errorf("%s: %s, %v", c.given, root, err)
		case c.reason == Ambiguous && !slices.Equal(none.Candidates, []string{at("other/api"), at("src/two/api")}):
			t.Errorf("%s may be %v", c.given, none.Candidates)
		}
	}
	if links {
		if root, _, err := r.Match(at("src/link-out")); err == nil {
			t.Errorf("a link leads out, to %s", root)
		}
		if root, _, err := r.Match(at("link-in/lib")); err != nil || root != at("src/one") {
			t.Errorf("a link leads in: %s, %v", root, err)
		}
	}
	// What is missing and what is forbidden are told alike.
	_, _, missing := r.Match("/nowhere/to/be/found")
	_, _, forbidden := r.Match(at("secret"))
	if a, b := missing.(*NoMatchError), forbidden.(*NoMatchError); a.Reason != b.Reason ||
		!slices.Equal(a.Known, b.Known) {
		t.Errorf("%v; %v", missing, forbidden)
	}
	if slices.Contains(r.Known(), at("secret")) {
		t.Errorf("known: %v", r.Known())
	}
}
