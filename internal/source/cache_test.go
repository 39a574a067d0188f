package source

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"lspi/contract"
	"lspi/internal/testkit"
)

// cached is a cache and one file that was last written long ago.
type cached struct {
	*testing.T
	*Cache
	path string
}

func newCached(t *testing.T, limit int, text string) *cached {
	c := &cached{t, NewCache(limit), filepath.Join(t.TempDir(), "f")}
	c.write(text)
	c.age()
	return c
}

func (c *cached) write(text string) {
	c.Helper()
	testkit.Must(c, os.WriteFile(c.path, []byte(text), 0o600))
}

// age sets the file's time back, so that it is not racy.
func (c *cached) age() {
	c.Helper()
	old := time.Now().Add(-time.Hour)
	testkit.Must(c, os.Chtimes(c.path, old, old))
}

func (c *cached) load(want string) *Text {
	c.Helper()
	text, err := c.Load(c.path, everywhere)
	if err != nil || text.Content() != want {
		c.Fatalf("%v, %v; want %q", text, err, want)
	}
	return text
}

func TestCacheKeepsWhatDidNotChange(t *testing.T) {
	c := newCached(t, 1<<20, "one")
	first := c.load("one")
	if c.load("one") != first {
		t.Error("read again")
	}
	c.write("two")
	c.load("two")
}

// Other caches go by the object: what is written anew and is the same stays the same.
func TestCacheKeepsTheObjectOfTheSameContent(t *testing.T) {
	c := newCached(t, 1<<20, "one")
	first := c.load("one")
	for range 3 {
		c.write("one")
		if c.load("one") != first {
			t.Error("another object")
		}
	}
}

// Two writes within a tick of the clock have the same time and may have the same size.
func TestCacheDoesNotTrustAFreshTime(t *testing.T) {
	c := newCached(t, 1<<20, "")
	for i := range 200 {
		text := fmt.Sprintf("%03d", i)
		c.write(text)
		c.load(text)
	}
}

func TestCacheSeesAReplacedFile(t *testing.T) {
	c := newCached(t, 1<<20, "one")
	c.load("one")
	info, err := os.Stat(c.path)
	testkit.Must(t, err)
	other := c.path + ".new"
	testkit.Must(t, os.WriteFile(other, []byte("two"), 0o600))
	testkit.Must(t, os.Chtimes(other, info.ModTime(), info.ModTime()))
	testkit.Must(t, os.Rename(other, c.path))
	c.load("two")
}

// A tool that sets the time back cannot set back that of the inode.
func TestCacheSeesAChangeUnderTheSameTime(t *testing.T) {
	c := newCached(t, 1<<20, "one")
	info, err := os.Stat(c.path)
	testkit.Must(t, err)
	c.load("one")
	c.write("two")
	testkit.Must(t, os.Chtimes(c.path, info.ModTime(), info.ModTime()))
	if now, err := os.Stat(c.path); err != nil || changeTime(info) == changeTime(now) {
		t.Skip("this system has no change time, or a coarse one")
	}
	c.load("two")
}

func TestCacheForgetsWhatIsGone(t *testing.T) {
	c := newCached(t, 1<<20, "one")
	c.load("one")
	testkit.Must(t, os.Remove(c.path))
	if _, err := c.Load(c.path, everywhere); kindOf(err) != contract.KindFileNotFound {
		t.Fatal(err)
	}
	if len(c.byPath) != 0 || c.size != 0 {
		t.Errorf("%d entries of %d bytes are left", len(c.byPath), c.size)
	}
	testkit.Must(t, os.Mkdir(c.path, 0o700))
	if _, err := c.Load(c.path, everywhere); kindOf(err) != contract.KindNotAFile {
		t.Fatal(err)
	}
}

func TestCacheIsBounded(t *testing.T) {
	dir := t.TempDir()
	const limit = 10_000
	c := NewCache(limit)
	path := func(i int) string { return filepath.Join(dir, fmt.Sprint(i)) }
	for i := range 40 {
		testkit.Must(t, os.WriteFile(path(i), []byte(strings.Repeat("\n", 200)), 0o600))
	}
	var load sync.WaitGroup
	for range 3 {
		load.Go(func() {
			for i := range 40 {
				if _, err := c.Load(path(i), everywhere); err != nil {
					t.Error(err)
				}
				if _, err := c.Load(path(0), everywhere); err != nil { // stays recent
					t.Error(err)
				}
			}
		})
	}
	load.Wait()
	if c.size > limit || len(c.byPath) != c.order.Len() || c.size != c.order.Len()*(200+4*201) {
		t.Errorf("%d bytes in %d entries, %d in the map", c.size, c.order.Len(), len(c.byPath))
	}
	if c.byPath[path(0)] == nil || c.byPath[path(1)] != nil {
		t.Error("not the least recently used went")
	}
}
