package watch

import (
	"errors"
	"io"
	"os"
	"slices"
	"syscall"
)

// noteSpecial remembers a path that is a pipe, a socket or a device, or a link to one: who reads it as a source waits for ever, or
// reads without end. There is no bound, as for other files of the tree: beyond one a repository could hide one such file behind
// others. One that is gone is forgotten.
func (j *Journal) noteSpecial(path string, n node) {
	special := n.sort == other || n.sort == link && isSpecial(path)
	j.mu.Lock()
	defer j.mu.Unlock()
	if special {
		j.special[path] = true
	} else {
		delete(j.special, path)
	}
}

// isSpecial follows links.
func isSpecial(path string) bool {
	n, err := stat(path)
	return err == nil && n.sort == other
}

// Special are the special files among what is tracked, sorted, as far as the last Barrier saw them, and as far as they still are.
// Only those count that wanted reports true for.
func (j *Journal) Special(wanted func(path string) bool) (out []string) {
	j.mu.Lock()
	for path := range j.special {
		if wanted(path) {
			out = append(out, path)
		}
	}
	j.mu.Unlock()
	out = slices.DeleteFunc(out, func(path string) bool { return !isSpecial(path) })
	slices.Sort(out)
	return out
}

// errSpecial is why a file is not read.
var errSpecial = errors.New("not a regular file")

// maxRules is the largest ignore file that is read, in bytes.
const maxRules = 1 << 20

// readRegular reads a regular file up to a limit. To open a pipe would wait for its other end.
func readRegular(path string, limit int64) ([]byte, error) {
	if n, err := stat(path); err != nil || n.sort != file {
		return nil, errors.Join(err, errSpecial)
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, errSpecial)
	}
	return io.ReadAll(io.LimitReader(f, limit))
}
