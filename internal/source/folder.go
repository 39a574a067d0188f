package source

import (
	"os"
	"path/filepath"
)

// IsFolder reports whether path is a folder, or a link to one.
func IsFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// TooWide reports whether a folder holds the user's own files beside those of a project or a package: the root of the
// file system, the user's home and what is above it, and system folders.
func TooWide(dir string) bool {
	home, err := os.UserHomeDir()
	if _, in := RelativeTo(dir, home); err == nil && (in || dir == home) {
		return true
	}
	return filepath.Dir(dir) == dir || IsSystem(dir)
}

// Glob returns the paths that match a pattern with slashes below dir, whose own name is taken literally. With dir ""
// the pattern is one of whole paths.
func Glob(dir, pattern string) []string {
	if pattern = filepath.FromSlash(pattern); dir != "" {
		pattern = filepath.Join(GlobQuote(dir), pattern)
	}
	found, _ := filepath.Glob(pattern)
	return found
}

// GlobQuote quotes a path for use at the beginning of a glob.
func GlobQuote(path string) string {
	var out []rune
	for _, r := range path {
		switch r {
		case '*', '?', '[', '\\':
			if filepath.Separator != '\\' {
				out = append(out, '\\')
			}
		}
		out = append(out, r)
	}
	return string(out)
}
