package doctor

import (
	"context"
	"crypto/rand"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"lspi/internal/testkit"
)

func TestUsageOf(t *testing.T) {
	dir := t.TempDir()
	testkit.Equal(t, UsageOf(t.Context(), filepath.Join(dir, "none")), Usage{}, "a folder that is not there")
	testkit.Write(t, filepath.Join(dir, "a", "b"), noise(100_000))
	testkit.Write(t, filepath.Join(dir, "c"), "x")
	testkit.Must(t, os.Link(filepath.Join(dir, "a", "b"), filepath.Join(dir, "d")))
	u := UsageOf(t.Context(), dir)
	files := 2
	if runtime.GOOS == "windows" {
		files = 3 // names are not told apart from files there
	}
	if u.Files != files || u.Bytes < 100_000 || u.Bytes > 400_000 || u.More {
		t.Errorf("%+v", u)
	}
	testkit.Holds(t, u.String(), "kB in ", "for people")
	if runtime.GOOS != "windows" { // where links need a right of their own
		link := filepath.Join(t.TempDir(), "link")
		testkit.Must(t, os.Symlink(dir, link))
		testkit.Equal(t, UsageOf(t.Context(), link), u, "a folder behind a link")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if u := UsageOf(ended, dir); !u.More {
		t.Errorf("a count that ended before it was done is told as whole: %+v", u)
	}
}

// A file system that never answers holds nobody up; what was counted until then is told.
func TestCountedWithinItsLimit(t *testing.T) {
	answers := make(chan struct{})
	t.Cleanup(func() { close(answers) })
	ctx, cancel := context.WithCancel(t.Context())
	u := countWithin(ctx, func(_ context.Context, add func(uint64)) (more bool) {
		add(7)
		cancel()
		<-answers
		return false
	})
	testkit.Equal(t, u, Usage{Files: 1, Bytes: 7, More: true})
}

// noise is what no file system makes smaller.
func noise(bytes int) string {
	raw := make([]byte, bytes)
	_, _ = rand.Read(raw)
	return string(raw)
}
