package reload

import (
	"os"
	"slices"
	"time"
)

// Quiet is how long nothing may have happened to a file before it is read.
const Quiet = 300 * time.Millisecond

// Stamp is what tells that a file or folder has changed. The zero value is of one that is not there.
type Stamp struct {
	Modified time.Time
	Size     int64
	Mode     os.FileMode
}

// Stamps are those of files and folders, in their order.
func Stamps(paths []string) []Stamp {
	out := make([]Stamp, len(paths))
	for i, path := range paths {
		if info, err := os.Stat(path); err == nil {
			out[i] = Stamp{info.ModTime(), info.Size(), info.Mode()}
		}
	}
	return out
}

// Settled finds out whether files that have changed stay as they are now. The zero value has seen nothing. It is not safe for concurrent use.
type Settled struct {
	seen  []Stamp
	since time.Time
}

// Look reports whether nothing has happened to the files for [Quiet]: by their own times, or because they were the same all the time since a
// look so long ago. before are the stamps that were acted on last.
func (s *Settled) Look(before, now []Stamp) bool {
	at := time.Now()
	if !slices.Equal(s.seen, now) {
		s.seen, s.since = now, at
	}
	if at.Sub(s.since) >= Quiet {
		return true
	}
	for i := range now {
		if now[i] == before[i] {
			continue
		}
		// A file that is gone has no time, and one of the future tells none.
		if age := at.Sub(now[i].Modified); age < Quiet || now[i].Modified.IsZero() {
			return false
		}
	}
	return true
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
