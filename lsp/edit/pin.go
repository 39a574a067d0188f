package edit

import "errors"

// Between the last check of a path and the write, somebody may replace a folder on the way by a symbolic link, and the
// write would land elsewhere. So each operation that changes files opens the folders of its paths, one below the other
// and without following a link, and uses the last name relative to what it has opened.

// errLinked says that a folder of a path has become a symbolic link.
var errLinked = errors.New("a folder on the way to it is a symbolic link now")

// pinned calls f with names for the paths that stay in the folders which are there now.
func pinned(f func(paths []string) error, paths ...string) error {
	held := make([]string, len(paths))
	for i, path := range paths {
		name, release, err := pin(path)
		if err != nil {
			return err
		}
		defer release()
		held[i] = name
	}
	return f(held)
}
