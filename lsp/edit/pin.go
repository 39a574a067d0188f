package edit

import "errors"

// Between the last look at a path and the write, somebody may put a symbolic link in the place of a folder on the
// way, so that the write would land elsewhere. Everything that changes files therefore holds its folders: they are
// opened one below the other without following a link, and the last name is used in what was opened.

// errLinked is why a folder is not held.
var errLinked = errors.New("a folder on the way to it is a symbolic link now")

// pinned calls f with names of the paths that stay in the folders that are there now.
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
