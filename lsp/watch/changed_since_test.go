package watch

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"lspi/internal/testkit"
)

// What changed since a time is told by the times of files, also from before the first barrier.
func TestChangedSince(t *testing.T) {
	inBothModes(t, func(t *testing.T, o Options) {
		b := newBench(t, o, "a", "1", "b", "1")
		now := time.Now()
		testkit.Equal(t, strings.Join(b.j.ChangedSince(now.Add(-time.Hour)), " "), b.path("a")+" "+b.path("b"))
		testkit.Equal(t, len(b.j.ChangedSince(now.Add(time.Hour))), 0)
		// A file may get an old time, and is there since now all the same.
		b.write("c", "1")
		testkit.Must(t, os.Chtimes(b.path("c"), time.Time{}, now.Add(-time.Hour)))
		if _, err := b.j.Barrier(t.Context()); err != nil {
			t.Fatal(err)
		}
		testkit.Equal(t, slices.Contains(b.j.ChangedSince(now), b.path("c")), true)
	})
}
