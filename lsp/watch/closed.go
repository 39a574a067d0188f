package watch

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
)

// maxClosed bounds the closed folders that are remembered.
const maxClosed = 100

// noteClosed remembers a folder of which an error says that this user may not list or enter it.
func (j *Journal) noteClosed(path string, err error) {
	if !errors.Is(err, fs.ErrPermission) {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.closed) < maxClosed {
		j.closed[path] = true
	}
}

// Closed are the folders among what is tracked whose files nobody knows, because this user may not list or enter them, sorted,
// as far as the last Barrier saw them, and as far as they still are.
func (j *Journal) Closed() (out []string) {
	j.mu.Lock()
	for path := range j.closed {
		out = append(out, path)
	}
	j.mu.Unlock()
	out = slices.DeleteFunc(out, func(path string) bool { return !isClosed(path) })
	slices.Sort(out)
	return out
}

// isClosed tries it.
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
