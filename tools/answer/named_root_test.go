package answer

import (
	"os"
	"path/filepath"
	"testing"

	"lspi/internal/testkit"
	"lspi/router"
	"lspi/tools/session"
)

// A path may begin with the name of a root, unless the workspace itself has something of that name; it never leads out
// of the root.
func TestPathInANamedRoot(t *testing.T) {
	dir := t.TempDir()
	one, two := filepath.Join(dir, "one"), filepath.Join(dir, "two")
	for _, folder := range []string{"one/go", "one/plain/one", "two/go", "two/sub", "plain/x"} {
		testkit.Must(t, os.MkdirAll(filepath.Join(dir, folder), 0o755))
	}
	c := &Call{Workspace: &session.Workspace{Root: one, Table: &router.Table{Workspace: one,
		Roots: []string{two, filepath.Join(dir, "plain")}}}}
	for given, want := range map[string]string{
		"one/go/x.go": "one/go/x.go", "two/go/x.go": "two/go/x.go", "go/x.go": "one/go/x.go", "two": "two",
		"two/../plain/x": "one/plain/x", "two/absent/x.go": "one/two/absent/x.go", "plain/x/y.go": "one/plain/x/y.go",
	} {
		testkit.Equal(t, c.AbsolutePath(given), filepath.Join(dir, want), given)
	}
}
