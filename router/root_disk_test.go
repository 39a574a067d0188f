package router

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// age makes a folder, and those above it up to top, look as if they had not changed for a while.
func age(t testing.TB, top, dir string) {
	t.Helper()
	old := time.Now().Add(-time.Hour)
	for ; within(top, dir); dir = filepath.Dir(dir) {
		if err := os.Chtimes(dir, old, old); err != nil {
			t.Fatal(err)
		}
	}
}

func write(t testing.TB, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestDiskSeesEveryChange(t *testing.T) {
	for _, aged := range []bool{true, false} {
		t.Run(fmt.Sprintf("aged=%v", aged), func(t *testing.T) {
			dir, disk := t.TempDir(), NewDisk()
			check := func(when string, want map[string]bool) {
				t.Helper()
				for glob, has := range want {
					for range 2 { // asked, then remembered
						if got := disk.Has(dir, glob); got != has {
							t.Errorf("%s: Has(%q) = %v, want %v", when, glob, got, has)
						}
					}
				}
				if aged {
					age(t, dir, filepath.Join(dir))
				}
			}
			check("empty", map[string]bool{"go.mod": false, "*.sln": false, "build/x": false, "b*/x": false})
			check("still empty", map[string]bool{"go.mod": false, "*.sln": false, "build/x": false, "b*/x": false})
			write(t, filepath.Join(dir, "go.mod"))
			check("created", map[string]bool{"go.mod": true, "*.mod": true, "*.sln": false})
			write(t, filepath.Join(dir, "build", "y"))
			check("folder created", map[string]bool{"go.mod": true, "build/x": false, "b*/x": false, "b*/y": true})
			if aged {
				age(t, dir, filepath.Join(dir, "build"))
			}
			write(t, filepath.Join(dir, "build", "x"))
			check("created below", map[string]bool{"build/x": true, "b*/x": true})
			if err := os.Rename(filepath.Join(dir, "go.mod"), filepath.Join(dir, "go.sum")); err != nil {
				t.Fatal(err)
			}
			check("renamed", map[string]bool{"go.mod": false, "go.sum": true})
			if err := os.RemoveAll(filepath.Join(dir, "build")); err != nil {
				t.Fatal(err)
			}
			check("folder removed", map[string]bool{"build": false, "build/x": false, "b*/y": false})
		})
	}
	if NewDisk().Has(filepath.Join(t.TempDir(), "missing"), "*") {
		t.Error("a missing folder has entries")
	}
}

func TestDiskRemembersOnlyWhatIsSettled(t *testing.T) {
	dir, disk := t.TempDir(), NewDisk()
	disk.Has(dir, "go.mod")
	if len(disk.folders) != 0 {
		t.Error("a folder that changed a moment ago is remembered")
	}
	age(t, dir, dir)
	disk.Has(dir, "go.mod")
	if len(disk.folders) != 1 {
		t.Error("a settled folder is not remembered")
	}
}

// TestDiskAlike: both real file systems give the same routes.
func TestDiskAlike(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"go.mod", "p/build/compile_commands.json", "web/tsconfig.json", "all.sln", "cs/a.csproj"} {
		write(t, filepath.Join(dir, filepath.FromSlash(name)))
	}
	table, disk := &Table{Workspace: dir, Specs: Catalogue()}, NewDisk()
	for range 2 {
		for _, name := range []string{"x.go", "p/src/x.c", "web/a/x.ts", "cs/X.cs", "p/build/x.c", "none.py"} {
			path := filepath.Join(dir, filepath.FromSlash(name))
			want, err1 := table.Route(OS{}, path)
			got, err2 := table.Route(disk, path)
			if fmt.Sprint(briefs(want), err1) != fmt.Sprint(briefs(got), err2) {
				t.Errorf("%s: %v, want %v", name, briefs(got), briefs(want))
			}
		}
		age(t, dir, filepath.Join(dir, "p", "build"))
		age(t, dir, filepath.Join(dir, "web"))
		age(t, dir, filepath.Join(dir, "cs"))
	}
}

func TestDiskConcurrently(t *testing.T) {
	dir, disk := t.TempDir(), NewDisk()
	age(t, dir, dir)
	table := &Table{Workspace: dir, Specs: Catalogue()}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 50 {
				_, _ = table.Route(disk, filepath.Join(dir, fmt.Sprintf("x%d.py", i)))
			}
		})
	}
	wg.Wait()
}
