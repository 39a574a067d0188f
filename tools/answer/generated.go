package answer

import (
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// IsGenerated reports whether a program wrote a file: its text says so (said), or its name is one of those that the
// session takes for generated ([session.Session.GeneratedNames]).
func IsGenerated(c *Call, path string, said bool) bool {
	shown := c.Show(path)
	return said || slices.ContainsFunc(c.Session.GeneratedNames(), func(glob string) bool {
		return MatchesPath(glob, shown)
	})
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
