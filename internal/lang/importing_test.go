package lang

import (
	"maps"
	"slices"
	"testing"

	"lspi/internal/testkit"
)

func TestImporting(t *testing.T) {
	testkit.Diff(t, ImportNames("/p/lib/index.ts"), []string{"index", "lib", "p", "/"})
	imports := map[string][]string{"/b.ts": {"a"}, "/c/index.ts": {"b"}, "/d.ts": {"c", "e"}, "/e.ts": {"d"}, "/f.ts": {"g"}}
	got := Importing([]string{"/a.ts"}, slices.Sorted(maps.Keys(imports)), func(path string) []string {
		return imports[path]
	})
	testkit.Diff(t, slices.Sorted(maps.Keys(got)), []string{"/a.ts", "/b.ts", "/c/index.ts", "/d.ts", "/e.ts"})
}
