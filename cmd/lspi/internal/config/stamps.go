package config

import (
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Quiet is how long nothing may have happened to a file before it is read.
const Quiet = 300 * time.Millisecond

// Stamp is what tells that a file or folder has changed. The zero value is of one that is not there.
type Stamp struct {
	Modified, Size int64 // nanoseconds since 1970
	Mode           os.FileMode
	// Changed and Inode tell what the others do not: a link that leads to another file of the same size, where all
	// files have one time (Nix), and a file that is replaced by one with an older time (cp -p, tar). 0 where the
	// system has none.
	Changed int64 // nanoseconds since 1970
	Inode   uint64
}

// Stamps are those of files and folders, in their order.
func Stamps(paths []string) []Stamp {
	out := make([]Stamp, len(paths))
	for i, path := range paths {
		if info, err := os.Stat(path); err == nil {
			out[i] = Stamp{Modified: info.ModTime().UnixNano(), Size: info.Size(), Mode: info.Mode()}
			out[i].Changed, out[i].Inode = identity(info)
		}
	}
	return out
}

// since is when something happened to a file last; that of one that is gone is when something was taken out of its
// folder. The zero time when nothing tells: a program that empties a file to write it anew leaves it with its old
// times for a moment (seen with ext4 of Linux 6.18 on a busy machine).
func (s Stamp) since(path string) time.Time {
	switch {
	case s.Size == 0 && s.Mode.IsRegular() && s != (Stamp{}):
		return time.Time{}
	case s != (Stamp{}):
		return time.Unix(0, max(s.Modified, s.Changed))
	}
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err == nil {
			return info.ModTime()
		}
		if dir == filepath.Dir(dir) {
			return time.Time{}
		}
	}
}

// Settled finds out whether files that have changed stay as they are now. The zero value has seen nothing. It is
// not safe for concurrent use.
type Settled struct {
	seen    []Stamp
	changed []time.Time // when each was first seen as it is; zero where it never changed
}

// Look reports whether nothing has happened to the files for [Quiet]: by their own times, or because they were the
// same all the time since a look so long ago. before are the stamps that were acted on last.
func (s *Settled) Look(paths []string, before, now []Stamp) bool {
	at := time.Now()
	if s.seen == nil {
		s.seen, s.changed = before, make([]time.Time, len(now))
	}
	rest := true
	for i := range now {
		if now[i] != s.seen[i] {
			s.changed[i] = at
		}
		if s.changed[i].IsZero() || at.Sub(s.changed[i]) >= Quiet {
			continue
		}
		// One that is as it was before may have been another one for a moment: it was written, and is gone again.
		since := now[i].since(paths[i])
		// the time of one of the future tells nothing
		rest = rest && now[i] != before[i] && !since.IsZero() && at.Sub(since) >= Quiet
	}
	s.seen = slices.Clone(now)
	return rest
}

// Young reports whether something has happened to one of the files within [Quiet].
func Young(paths []string, stamps []Stamp) bool {
	at := time.Now()
	for i, s := range stamps {
		if age := at.Sub(s.since(paths[i])); s != (Stamp{}) && age >= 0 && age < Quiet {
			return true
		}
	}
	return false
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
