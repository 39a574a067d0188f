package source

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"lspi/internal/testkit"
)

func write(t testing.TB, path string) {
	t.Helper()
	testkit.Must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	testkit.Must(t, os.WriteFile(path, nil, 0o644))
}

func TestCacheSeesEveryChange(t *testing.T) {
	for _, aged := range []bool{true, false} {
		t.Run(fmt.Sprintf("aged=%v", aged), func(t *testing.T) {
			dir, cache := t.TempDir(), NewDiskCache()
			check := func(when string, want map[string]bool) {
				t.Helper()
				for glob, has := range want {
					for range 2 { // asked, then remembered
						testkit.Equal(t, cache.Has(dir, glob), has, when, glob)
					}
				}
				if aged {
					testkit.Age(t, dir, dir)
				}
			}
			check("empty", map[string]bool{"go.mod": false, "*.sln": false, "build/x": false, "b*/x": false})
			check("still empty", map[string]bool{"go.mod": false, "*.sln": false, "build/x": false, "b*/x": false})
			write(t, filepath.Join(dir, "go.mod"))
			check("created", map[string]bool{"go.mod": true, "*.mod": true, "*.sln": false})
			write(t, filepath.Join(dir, "build", "y"))
			check("folder created", map[string]bool{"go.mod": true, "build/x": false, "b*/x": false, "b*/y": true})
			if aged {
				testkit.Age(t, dir, filepath.Join(dir, "build"))
			}
			write(t, filepath.Join(dir, "build", "x"))
			check("created below", map[string]bool{"build/x": true, "b*/x": true})
			testkit.Must(t, os.Rename(filepath.Join(dir, "go.mod"), filepath.Join(dir, "go.sum")))
			check("renamed", map[string]bool{"go.mod": false, "go.sum": true})
			testkit.Must(t, os.RemoveAll(filepath.Join(dir, "build")))
			check("folder removed", map[string]bool{"build": false, "build/x": false, "b*/y": false})
		})
	}
	if NewDiskCache().Has(filepath.Join(t.TempDir(), "missing"), "*") {
		t.Error("a missing folder has entries")
	}
}

func TestCacheRemembersOnlyWhatIsSettled(t *testing.T) {
	dir, cache := t.TempDir(), NewDiskCache()
	cache.Has(dir, "go.mod")
	testkit.Equal(t, len(cache.folders), 0, "a folder that changed a moment ago is remembered")
	testkit.Age(t, dir, dir)
	cache.Has(dir, "go.mod")
	testkit.Equal(t, len(cache.folders), 1, "a settled folder is not remembered")
}
