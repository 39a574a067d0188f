package edit

import (
	"errors"
	"io/fs"
	"path/filepath"
)

// Unfinished are the files, by their real paths, that edits were about which a killed process left unfinished in these
// roots, as [Writer.Recover] would find them. It changes nothing; an edit that is being applied right now does not count.
func (w *Writer) Unfinished(roots []string) ([]string, error) {
	left, err := w.left()
	if err != nil || len(left) == 0 {
		return nil, err
	}
	real := realRoots(roots)
	var out []string
	for _, path := range left {
		h, _, whole, err := read(path)
		if errors.Is(err, fs.ErrNotExist) || err == nil && (whole == 0 || !overlap(h.Roots, real)) {
			continue
		}
		if err != nil {
			return out, unreadable(path, err)
		}
		release, err := w.tryLock(h.Roots)
		if err != nil {
			return out, err
		}
		if release != nil {
			release()
			if exists(path) { // it was not finished meanwhile
				out = append(out, files(h.Steps)...)
			}
		}
	}
	return out, nil
}

// realRoots are the roots without symbolic links; one that cannot be resolved stays as it is.
func realRoots(roots []string) []string {
	out := make([]string, len(roots))
	for i, root := range roots {
		var err error
		if out[i], err = filepath.EvalSymlinks(root); err != nil {
			out[i] = filepath.Clean(root)
		}
	}
	return out
}
