package router

import (
	"path/filepath"
	"slices"
	"strings"
)

// neverWatched are folders of dependencies that are large and do not change under a server's feet.
var neverWatched = []string{".git", ".hg", ".jj", ".svn", "node_modules"}

func skipDir(path string) bool { return slices.Contains(neverWatched, filepath.Base(path)) }

// keep says what is watched although .gitignore ignores it: everything but the build and dependency folders of the
// catalogue and dot folders, where caches and environments are. Generated sources are commonly ignored by git and very
// much read by language servers.
func (p *Pool) keep(path string) bool {
	base := filepath.Base(path)
	if strings.HasPrefix(base, ".") || skipDir(path) {
		return false
	}
	for i := range p.opt.Table.Specs {
		if slices.Contains(p.opt.Table.Specs[i].SkipDirs, base) {
			return false
		}
	}
	return true
}
