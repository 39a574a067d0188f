package answer

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"lspi/contract"
)

// IsGenerated reports whether a program wrote a file: its text says so (said), or its name is one of those that the
// session takes for generated ([session.Session.GeneratedNames]).
func IsGenerated(c *Call, path string, said bool) bool {
	relative := c.Workspace.Relative(path)
	return said || slices.ContainsFunc(c.Session.GeneratedNames(), func(glob string) bool {
		return MatchesPath(glob, relative)
	})
}

// PathMatcher returns what reports whether the glob of an argument means a file, by its absolute path. The glob is
// relative to the workspace, absolute, or begins with the name of a root.
func PathMatcher(c *Call, glob string) func(path string) bool {
	absolute := c.Workspace.GlobsInRoots(glob)
	if filepath.IsAbs(filepath.FromSlash(glob)) {
		absolute = append(absolute, filepath.ToSlash(glob))
	}
	return func(path string) bool {
		return MatchesPath(glob, contract.EscapeLine(c.Workspace.Relative(path))) ||
			slices.ContainsFunc(absolute, func(glob string) bool {
				return MatchesPath(glob, contract.EscapeLine(filepath.ToSlash(path)))
			})
	}
}

// MatchesPath reports whether a path, as answers show it, is what a glob means. Without a slash the
// glob means names; a folder means all below it.
func MatchesPath(glob, shown string) bool {
	glob = strings.TrimPrefix(glob, "./")
	// As with .gitignore, which models know.
	if !strings.Contains(glob, "/") {
		if ok, _ := doublestar.Match(glob, path.Base(shown)); ok {
			return true
		}
	}
	glob = strings.TrimSuffix(glob, "/")
	whole, _ := doublestar.Match(glob, shown)
	below, _ := doublestar.Match(glob+"/**", shown)
	return whole || below
}
