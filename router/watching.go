package router

import (
	"path/filepath"
	"slices"
	"strings"
)

// neverWatched are folders of dependencies that are large and do not change while a server works.
var neverWatched = []string{".git", ".hg", ".jj", ".svn", "node_modules"}

// NeverWatched reports whether a folder, by its name, is neither watched nor walked.
func NeverWatched(path string) bool { return slices.Contains(neverWatched, filepath.Base(path)) }

// WatchedThoughIgnored reports whether a folder is watched although .gitignore ignores it: all are but the build and dependency
// folders of the table's servers and dot folders, where caches and environments are. Generated sources are commonly ignored
// by git and very much read by language servers.
func (t *Table) WatchedThoughIgnored(path string) bool {
	base := filepath.Base(path)
	if strings.HasPrefix(base, ".") || NeverWatched(path) {
		return false
	}
	for i := range t.Specs {
		if slices.Contains(t.Specs[i].SkipDirs, base) {
			return false
		}
	}
	return true
}
