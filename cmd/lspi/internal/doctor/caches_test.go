package doctor

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"lspi/internal/testkit"
)

func TestUsageOf(t *testing.T) {
	dir := t.TempDir()
	testkit.Equal(t, UsageOf(t.Context(), filepath.Join(dir, "none")), Usage{}, "a folder that is not there")
	testkit.Write(t, filepath.Join(dir, "a", "b"), strings.Repeat("x", 100_000))
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
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if u := UsageOf(ended, dir); !u.More {
		t.Errorf("a count that ended before it was done is told as whole: %+v", u)
	}
}
