package watch

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"lspi/internal/testkit"
)

// A sweep removes what nobody holds, and nothing that somebody does or that is none of ours.
func TestSweep(t *testing.T) {
	needsEvents(t)
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	make := func(path string) string {
		path = filepath.Join(tmp, path)
		testkit.Must(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, nil, 0o600)))
		return path
	}
	left, empty := make("lspi-barrier-1/17"), filepath.Join(tmp, "lspi-barrier-2")
	kept := []string{make("lspi-barrier-3/folder/file"), make("lspi-barrier-4"), make("other/file")}
	link := filepath.Join(tmp, "lspi-barrier-5")
	testkit.Must(t, errors.Join(os.Mkdir(empty, 0o700), os.Symlink(filepath.Dir(kept[2]), link)))
	b := newBench(t, Options{}, "a", "1") // lives
	b.mode(Events, "")
	b.j.watches.listener.mu.Lock()
	private, token := b.j.watches.listener.private.path, b.j.watches.listener.token
	b.j.watches.listener.mu.Unlock()
	if filepath.Dir(private) != tmp {
		t.Fatalf("the barrier's folder is %s", private)
	}
	sweep()
	for _, path := range append(kept, link, private, token) {
		if _, err := os.Lstat(path); err != nil {
			t.Error(err)
		}
	}
	for _, path := range []string{filepath.Dir(left), empty} {
		if _, err := os.Lstat(path); err == nil {
			t.Errorf("%s is left", path)
		}
	}
	b.write("a", "2")
	b.want("changed a")
}

// A folder that a sweep takes as it is made is not used.
func TestLockOfRemovedFolder(t *testing.T) {
	needsEvents(t)
	dir := filepath.Join(t.TempDir(), "x")
	testkit.Must(t, os.Mkdir(dir, 0o700))
	held, err := lockDir(dir)
	if err != nil || held == nil {
		t.Skipf("no locks here: %v", err)
	}
	defer held.Close()
	if _, err := lockDir(dir); !errors.Is(err, errPrivateTaken) {
		t.Errorf("locked twice: %v", err)
	}
	removeLeft(dir)
	if _, err := os.Stat(dir); err != nil {
		t.Errorf("a folder that is held was removed: %v", err)
	}
}
