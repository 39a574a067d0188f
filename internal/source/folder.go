package source

import (
	"os"
	"path/filepath"
)

// IsFolder reports whether there is a folder at a path, or a link to one.
func IsFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// TooWide reports whether a folder holds the user's own files: the root, and what is above or at the home.
func TooWide(dir string) bool {
	home, err := os.UserHomeDir()
	if _, in := RelativeTo(dir, home); err == nil && (in || dir == home) {
		return true
	}
	return filepath.Dir(dir) == dir || IsSystem(dir)
}

// Glob are the paths that match a pattern with slashes below a folder, whose own name is no pattern; without a
// folder the pattern is one of whole paths.
func Glob(dir, pattern string) []string {
	if pattern = filepath.FromSlash(pattern); dir != "" {
		pattern = filepath.Join(GlobQuote(dir), pattern)
	}
	found, _ := filepath.Glob(pattern)
	return found
}

// GlobQuote makes a path safe as the beginning of a glob.
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
