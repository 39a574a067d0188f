package router

import (
	"path/filepath"
	"slices"
	"strings"

	"lspi/internal/source"
	"lspi/lsp/spec"
)

// unwatchedNames are folders of version control and dependencies that are large and do not change while a server
// works.
var unwatchedNames = []string{".git", ".hg", ".jj", ".svn", "node_modules"}

// NeverWatched reports whether a folder is neither watched nor walked, by its base name.
func NeverWatched(path string) bool { return slices.Contains(unwatchedNames, filepath.Base(path)) }

// SkippedDirs returns the names of the build and dependency folders of the table and of its servers, sorted.
func (t *Table) SkippedDirs() []string {
	out := append(SkipDirs(t.Specs), t.SkipDirs...)
	slices.Sort(out)
	return slices.Compact(out)
}

// SkipDirs returns the names of the build and dependency folders of servers, sorted.
func SkipDirs(specs []spec.Spec) []string {
	var out []string
	for i := range specs {
		out = append(out, specs[i].SkipDirs...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// WatchedThoughIgnored reports whether a folder is watched although .gitignore ignores it. Generated sources are
// commonly ignored by git and very much read by language servers; so all folders are watched but those with the names
// of skippedDirs (sorted, [Table.SkippedDirs]) and hidden folders, where caches and environments are.
func WatchedThoughIgnored(skippedDirs []string, path string) bool {
	base := filepath.Base(path)
	_, skipped := slices.BinarySearch(skippedDirs, base)
	return !skipped && !strings.HasPrefix(base, ".") && !NeverWatched(path)
}

// builtSources are the extensions of sources that builds write and servers read, by imports and includes.
var builtSources = []string{".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".py", ".pyi", ".go", ".h",
	".hh", ".hpp", ".hxx", ".inc", ".cs", ".java", ".kt"}

// foldersWithoutSources are build and dependency folders that hold no sources of the workspace, or too many to
// follow.
var foldersWithoutSources = []string{"target", "_deps", "CMakeFiles", "__pycache__", "venv", "env", "site-packages",
	"renv", "lua_modules", "deps", "vendor", "Pods", "elm-stuff"}

// FollowedUnlisted reports whether changes of a path in an ignored build folder, or in one with copies of dependencies
// ([spec.RootRule].Copied), are followed although it does not count as a file of the workspace. Servers read what the
// project imports from there (dist/index.d.ts of a neighbouring package, generated headers): gopls, tsserver and
// pyright answered from the old text while such changes were not reported to them.
func (t *Table) FollowedUnlisted(path string, isDir bool) bool {
	base := filepath.Base(path)
	if isDir {
		for i := range t.Specs {
			if copied := t.Specs[i].Roots.Copied; copied != nil && copied(source.OS{}, path) {
				return true
			}
		}
		return !strings.HasPrefix(base, ".") && !NeverWatched(path) && !slices.Contains(foldersWithoutSources, base)
	}
	return slices.Contains(builtSources, strings.ToLower(filepath.Ext(base)))
}
