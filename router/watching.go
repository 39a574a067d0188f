package router

import (
	"path/filepath"
	"slices"
	"strings"

	"lspi/lsp/spec"
)

// neverWatched are folders of dependencies that are large and do not change while a server works.
var neverWatched = []string{".git", ".hg", ".jj", ".svn", "node_modules"}

// NeverWatched reports whether a folder, by its name, is neither watched nor walked.
func NeverWatched(path string) bool { return slices.Contains(neverWatched, filepath.Base(path)) }

// SkippedDirs are the names of the build and dependency folders of the table and of its servers, sorted.
func (t *Table) SkippedDirs() []string {
	out := append(SkipDirs(t.Specs), t.SkipDirs...)
	slices.Sort(out)
	return slices.Compact(out)
}

// SkipDirs are the names of the build and dependency folders of servers, sorted.
func SkipDirs(specs []spec.Spec) []string {
	var out []string
	for i := range specs {
		out = append(out, specs[i].SkipDirs...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// WatchedThoughIgnored reports whether a folder is watched although .gitignore ignores it: all are but those with
// the names of [Table.SkippedDirs] and dot folders, where caches and environments are. Generated sources are
// commonly ignored by git and very much read by language servers.
func WatchedThoughIgnored(skippedDirs []string, path string) bool {
	base := filepath.Base(path)
	_, skipped := slices.BinarySearch(skippedDirs, base)
	return !skipped && !strings.HasPrefix(base, ".") && !NeverWatched(path)
}

// builtSources are the extensions of sources that builds write and that servers read, by imports and includes, like
// any other.
var builtSources = []string{".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".py", ".pyi", ".go", ".h",
	".hh", ".hpp", ".hxx", ".inc", ".cs", ".java", ".kt"}

// neverBuilt are build and dependency folders that hold no sources of the workspace, or too many.
var neverBuilt = []string{"target", "_deps", "CMakeFiles", "__pycache__", "venv", "env", "site-packages", "renv",
	"lua_modules", "deps", "vendor", "Pods", "elm-stuff"}

// FollowedApart reports whether the sources in an ignored build folder are followed although they belong to no
// project: what the project imports from it (dist/index.d.ts of a package beside, generated headers) is read by
// servers, which have to hear of its changes.
func FollowedApart(path string, isDir bool) bool {
	base := filepath.Base(path)
	if isDir {
		return !strings.HasPrefix(base, ".") && !NeverWatched(path) && !slices.Contains(neverBuilt, base)
	}
	return slices.Contains(builtSources, strings.ToLower(filepath.Ext(base)))
}
