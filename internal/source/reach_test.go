package source

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"lspi/internal/testkit"
)

func TestReach(t *testing.T) {
	project, packages, home := testkit.Folder(t, "a.w", "notes.txt", "sub/b.w"),
		testkit.Folder(t, "p/c.w", "p/readme.txt"), testkit.Folder(t, "d.w", "secret.w")
	testkit.Link(t, filepath.Join(home, "secret.w"), filepath.Join(project, "leads.w"))
	testkit.Link(t, filepath.Join(project, "a.w"), filepath.Join(project, "within.w"))
	testkit.Link(t, home, filepath.Join(project, "folder"))
	testkit.Link(t, filepath.Join(home, "secret.w"), filepath.Join(packages, "p/leads.w"))
	r := NewReach(project)
	r.Depend(func(base string) bool { return filepath.Ext(base) == ".w" || !strings.Contains(base, ".") },
		func() []string { return []string{packages, "/proc", "/dev"} })
	for path, shown := range map[string]bool{
		project + "/a.w": true, project + "/notes.txt": true, project + "/sub/b.w": true, project + "/within.w": true,
		project + "/leads.w": false, project + "/folder/d.w": false, project + "/../" + filepath.Base(home) +
			"/d.w": false,
		packages + "/p/c.w": true, packages + "/p/readme.txt": false, packages + "/p/leads.w": false,
		home + "/d.w": false, "/proc/self/environ": false, "/dev/zero": false,
	} {
		text, err := NewCache(1<<20).Load(path, r)
		if shown != (err == nil) || err != nil && !errors.Is(err, ErrOutsideSources) {
			t.Errorf("%s: %v, %v", path, text, err)
		}
	}
}

// What was read for one server is shown to another by the rules of that one.
func TestReachOfCachedText(t *testing.T) {
	project, packages := testkit.Folder(t, "a.w"), testkit.Folder(t, "c.w")
	testkit.Link(t, filepath.Join(packages, "c.w"), filepath.Join(project, "c.w"))
	wide := NewReach(project, packages)
	c := &cached{t, NewCache(1 << 20), filepath.Join(packages, "c.w")}
	c.age()
	for _, path := range []string{packages + "/c.w", project + "/c.w"} {
		if _, err := c.Load(path, wide); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Load(path, NewReach(project)); !errors.Is(err, ErrOutsideSources) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// A folder that somebody swaps for a link all the time never shows what the link leads to.
func TestReachWhileLinksAreSwapped(t *testing.T) {
	project, home := testkit.Folder(t, "sub/a.w"), testkit.Folder(t, "a.w")
	testkit.Must(t, os.WriteFile(filepath.Join(home, "a.w"), []byte("SECRET"), 0o600))
	sub, aside := filepath.Join(project, "sub"), filepath.Join(project, "aside")
	end := make(chan struct{})
	var swapping sync.WaitGroup
	swapping.Go(func() {
		for {
			select {
			case <-end:
				return
			default:
			}
			_ = os.Rename(sub, aside)
			_ = os.Symlink(home, sub)
			_ = os.Remove(sub)
			_ = os.Rename(aside, sub)
		}
	})
	r, read := NewReach(project), 0
	// on a busy machine the folder is seldom there
	for round := 0; round < 3000 || read == 0 && round < 100_000; round++ {
		text, _, err := r.readText(filepath.Join(sub, "a.w"))
		if err == nil && strings.Contains(text.Content(), "SECRET") {
			t.Fatal("shown")
		}
		if err == nil {
			read++
		}
	}
	close(end)
	swapping.Wait()
	if read == 0 {
		t.Error("nothing was ever read")
	}
}
