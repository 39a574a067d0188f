package config

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
	s.Set([]string{filepath.Join(dir, "a/b/config.toml"), filepath.Join(dir, "lspi.toml"),
		filepath.Join(dir, "link.toml"), filepath.Join(dir, "a/b/presets")})

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

// A change that is seen without an event is looked at again, once for all who have seen it.
func TestLater(t *testing.T) {
	var w Watcher
	defer w.Close()
	changed := make(chan struct{}, 100)
	s := w.Watch(func() { changed <- struct{}{} })
	s.Later()
	s.Later()
	heard(t, changed, "a second look")
	s.Later()
	heard(t, changed, "a third look")
	s.Stop()
	s.Later()
	testkit.Equal(t, len(changed), 0, "calls behind the end")
}

func TestSettled(t *testing.T) {
	now := time.Now()
	stamp := func(modified, changed time.Time, size int64) Stamp {
		return Stamp{Modified: modified.UnixNano(), Changed: changed.UnixNano(), Size: size}
	}
	hour := now.Add(-time.Hour)
	old, fresh := stamp(hour, hour, 1), stamp(now, now, 2)
	dir := t.TempDir()
	aged := filepath.Join(t.TempDir(), "aged")
	testkit.Must(t, os.Mkdir(aged, 0o755))
	testkit.Must(t, os.Chtimes(aged, hour, hour))
	gone, goneLongAgo := filepath.Join(dir, "gone"), filepath.Join(aged, "below", "gone")
	for name, c := range map[string]struct {
		path        string
		before, now []Stamp
		want        bool
	}{
		"long ago":          {gone, []Stamp{{}}, []Stamp{old}, true},
		"just now":          {gone, []Stamp{old}, []Stamp{fresh}, false},
		"gone":              {gone, []Stamp{old}, []Stamp{{}}, false},
		"gone long ago":     {goneLongAgo, []Stamp{old}, []Stamp{{}}, true},
		"future":            {gone, []Stamp{old}, []Stamp{stamp(now.Add(time.Hour), now, 1)}, false},
		"emptied":           {gone, []Stamp{old}, []Stamp{stamp(hour, hour, 0)}, false},
		"an old one is new": {gone, []Stamp{old}, []Stamp{stamp(hour, now, 1)}, false},
		"the other":         {gone, []Stamp{fresh, old}, []Stamp{fresh, stamp(now.Add(-time.Minute), hour, 1)}, true},
	} {
		s := Settled{}
		paths := []string{c.path, c.path}
		testkit.Equal(t, s.Look(paths, c.before, c.now), c.want, name)
		s.later()
		testkit.Equal(t, s.Look(paths, c.before, c.now), true, name+", later")
	}
}

// later makes it as if the same was seen so long ago.
func (s *Settled) later() {
	for i, at := range s.changed {
		if !at.IsZero() {
			s.changed[i] = at.Add(-Quiet)
		}
	}
}

// A file that is gone, was there, and is gone again does not rest because it is as it was.
func TestSettledGoneAgain(t *testing.T) {
	hour := time.Now().Add(-time.Hour).UnixNano()
	there, other := Stamp{Modified: hour, Size: 1}, Stamp{Modified: hour, Size: 2}
	paths := []string{filepath.Join(t.TempDir(), "a"), "b"}
	before, now := []Stamp{{}, there}, []Stamp{{}, other}
	var s Settled
	s.Look(paths, before, []Stamp{there, other})
	testkit.Equal(t, s.Look(paths, before, now), false, "right behind it")
	testkit.Equal(t, s.Look(paths, before, now), false, "right behind it, once more")
	s.later()
	testkit.Equal(t, s.Look(paths, before, now), true, "later")
}

// A link that leads to another file has another stamp, also where both files have the same size and time.
func TestStampsOfLinks(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	var stamps [2]Stamp
	for i, name := range []string{"a", "b"} {
		path := filepath.Join(dir, name)
		testkit.Write(t, path, name)
		testkit.Must(t, os.Chtimes(path, time.Unix(1, 0), time.Unix(1, 0)))
		_ = os.Remove(link)
		testkit.Link(t, path, link)
		stamps[i] = Stamps([]string{link})[0]
	}
	if stamps[0] == stamps[1] {
		t.Errorf("%+v twice", stamps[0])
	}
}
