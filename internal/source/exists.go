package source

import (
	"os"
	"slices"

	"github.com/bmatcuk/doublestar/v4"
)

// Exists reports whether something is at path, links followed.
func Exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Holds lists a folder once, and returns whether a glob of base names matches an entry.
func Holds(folder string) func(glob string) bool {
	names, _ := os.ReadDir(folder)
	return func(glob string) bool {
		return slices.ContainsFunc(names, func(e os.DirEntry) bool { return Match(glob, e.Name()) })
	}
}

// Match reports whether a glob, in the form of LSP's Pattern, matches a path with forward slashes. A malformed glob
// matches nothing.
func Match(glob, path string) bool {
	ok, err := doublestar.Match(glob, path)
	return ok && err == nil
}
