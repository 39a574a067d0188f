package watch

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"sync"
)

// maxClosed bounds the closed folders that are remembered.
const maxClosed = 100

// unreadable are paths in the tree that nobody should read as a source, or can. It remembers candidates; they are
// checked on disk when somebody asks. Its methods may be called from several goroutines.
type unreadable struct {
	mu sync.Mutex // guards the maps
	// special are paths that may be pipes, sockets or devices, or links to one: reading such a file may block for
	// ever, or never end. Their number has no limit, since a repository could hide such a file behind as many others.
	special map[string]bool
	closed  map[string]bool // folders that this user may be unable to list or enter
}

// noteSpecial records that path is special, or removes it when n says that it is not.
func (u *unreadable) noteSpecial(path string, n node) {
	special := n.sort == other || n.sort == link && isSpecial(path)
	u.mu.Lock()
	defer u.mu.Unlock()
	if special {
		u.special[path] = true
	} else {
		delete(u.special, path)
	}
}

// noteClosed records a folder when err says that this user may not list or enter it.
func (u *unreadable) noteClosed(path string, err error) {
	if !errors.Is(err, fs.ErrPermission) {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.closed) < maxClosed {
		u.closed[path] = true
	}
}

// specialFiles returns the paths for which wanted is true that are special now, sorted.
func (u *unreadable) specialFiles(wanted func(path string) bool) []string {
	u.mu.Lock()
	paths := slices.Sorted(maps.Keys(u.special))
	u.mu.Unlock()
	return slices.DeleteFunc(paths, func(path string) bool { return !wanted(path) || !isSpecial(path) })
}

// closedFolders returns the folders that this user cannot list or enter now, sorted.
func (u *unreadable) closedFolders() []string {
	u.mu.Lock()
	paths := slices.Sorted(maps.Keys(u.closed))
	u.mu.Unlock()
	return slices.DeleteFunc(paths, func(path string) bool { return !isClosed(path) })
}

// isSpecial reports whether path is a special file, or a link to one.
func isSpecial(path string) bool {
	n, err := stat(path)
	return err == nil && n.sort == other
}

// isClosed tries to list the folder, and to look at one entry: a folder that may be listed and not entered (mode r--)
// hides its files as well.
func isClosed(path string) bool {
	if n, err := lstat(path); err != nil || n.sort != folder {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return errors.Is(err, fs.ErrPermission)
	}
	defer f.Close()
	names, err := f.Readdirnames(1)
	if err != nil || len(names) == 0 {
		return err != nil && !errors.Is(err, io.EOF)
	}
	_, err = os.Lstat(join(path, names[0]))
	return errors.Is(err, fs.ErrPermission)
}
