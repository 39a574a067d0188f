package session

import (
	"os"
	"path/filepath"
	"testing"

	"lspi/internal/testkit"
	"lspi/router"
)

// A path of a further root stands behind the root's name where another root holds the same relative path and the name
// leads back to it; else it is absolute.
func TestShownPaths(t *testing.T) {
	dir := t.TempDir()
	for _, file := range []string{"one/go/x.go", "one/go/y.go", "one/taken/z", "mixed/go/x.go", "mixed/go/only.go", "mixed/gone/z",
		"a/same/go/x.go", "b/same/go/x.go", "taken/go/x.go", "mixed/deep/go/y.go", "odd/go/a\u202eb.go", "mixed/go/a\u202eb.go"} {
		testkit.Write(t, filepath.Join(dir, file), "")
	}
	one := filepath.Join(dir, "one")
	w := &Workspace{Root: one, Table: &router.Table{Workspace: one}}
	for _, root := range []string{"mixed", "a/same", "b/same", "taken", "mixed/deep", "odd"} {
		w.Table.Roots = append(w.Table.Roots, filepath.Join(dir, root))
	}
	testkit.Must(t, os.Remove(filepath.Join(dir, "mixed/go/only.go")))
	for path, want := range map[string]string{
		"one/go/x.go":               "go/x.go",
		"mixed/go/x.go":             "mixed/go/x.go",
		"mixed/go/y.go":             "mixed/go/y.go", // not there; one/go/y.go is
		"mixed/go/only.go":          "",
		"mixed/absent/x.go":         "",
		"mixed":                     "",
		"mixed/go":                  "mixed/go",
		"a/same/go/x.go":            "", // two roots of the name
		"taken/go/x.go":             "", // the workspace has a folder of the name
		"mixed/deep/go/y.go":        "deep/go/y.go",
		"elsewhere/go/x.go":         "",
		"odd/go/a\u202eb.go":        `odd/go/a\u{202E}b.go`,
		"mixed/../mixed/gone/z":     "",
		"mixed/go/x.go/not/a/place": "",
	} {
		if want == "" {
			want = filepath.Join(dir, path)
		}
		testkit.Equal(t, w.Show(filepath.Join(dir, path)), want, path)
	}
	w.Table.Roots = nil
	testkit.Equal(t, w.Show(filepath.Join(dir, "mixed/go/x.go")), filepath.Join(dir, "mixed/go/x.go"))
}
