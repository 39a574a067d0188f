package reload

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"lspi/internal/testkit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// heard waits for one call; the time is only there so that a test which fails ends.
func heard(t *testing.T, changed <-chan struct{}, what string) {
	t.Helper()
	select {
	case <-changed:
	case <-time.After(20 * time.Second):
		t.Fatalf("nothing was heard of %s", what)
	}
}

func TestWatch(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	testkit.Must(t, err)
	write := func(name, text string) {
		t.Helper()
		testkit.Must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		testkit.Must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	var w Watcher
	defer w.Close()
	changed := make(chan struct{}, 100)
	s := w.Watch(func() { changed <- struct{}{} })
	write("elsewhere/real.toml", "a")
	testkit.Must(t, os.Symlink(filepath.Join(dir, "elsewhere/real.toml"), filepath.Join(dir, "link.toml")))
	s.Set([]string{filepath.Join(dir, "a/b/config.toml"), filepath.Join(dir, "lspi.toml"), filepath.Join(dir, "link.toml"), filepath.Join(dir, "a/b/presets")})

	write("lspi.toml", "a")
	heard(t, changed, "a new file")
	write("lspi.toml", "b")
	heard(t, changed, "a file that is written")
	write("new.tmp", "c")
	testkit.Must(t, os.Rename(filepath.Join(dir, "new.tmp"), filepath.Join(dir, "lspi.toml")))
	heard(t, changed, "a file that is replaced")
	testkit.Must(t, os.Remove(filepath.Join(dir, "lspi.toml")))
	heard(t, changed, "a file that is gone")
	write("elsewhere/real.toml", "b")
	heard(t, changed, "a file behind a link")
	write("a/b/config.toml", "a") // its folders are new
	heard(t, changed, "a file in new folders")
	write("a/b/config.toml", "b")
	heard(t, changed, "the same once more")
	write("a/b/presets/x.toml", "a")
	heard(t, changed, "a new folder")
	write("a/b/presets/x.toml", "b")
	heard(t, changed, "a file in a folder")
	testkit.Must(t, os.RemoveAll(filepath.Join(dir, "a")))
	heard(t, changed, "folders that are gone")
	write("a/b/config.toml", "c")
	heard(t, changed, "folders that are there again")

	s.Stop()
	write("lspi.toml", "d")
	other := w.Watch(func() { changed <- struct{}{} })
	other.Set([]string{filepath.Join(dir, "lspi.toml")})
	write("lspi.toml", "e")
	heard(t, changed, "a second subscription")
	if n := len(changed); n > 1 { // one that came late of the folders before
		t.Errorf("%d more calls", n)
	}
}

func TestSettled(t *testing.T) {
	now := time.Now()
	old, fresh := Stamp{Modified: now.Add(-time.Hour), Size: 1}, Stamp{Modified: now, Size: 2}
	for name, c := range map[string]struct {
		before, now []Stamp
		want        bool
	}{
		"long ago":  {[]Stamp{{}}, []Stamp{old}, true},
		"just now":  {[]Stamp{old}, []Stamp{fresh}, false},
		"gone":      {[]Stamp{old}, []Stamp{{}}, false},
		"future":    {[]Stamp{old}, []Stamp{{Modified: now.Add(time.Hour)}}, false},
		"the other": {[]Stamp{fresh, old}, []Stamp{fresh, {Modified: now.Add(-time.Minute)}}, true},
	} {
		s := Settled{}
		testkit.Equal(t, s.Look(c.before, c.now), c.want, name)
		s.since = now.Add(-Quiet) // as if the same was seen so long ago
		testkit.Equal(t, s.Look(c.before, c.now), true, name+", later")
	}
}
