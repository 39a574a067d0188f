package lang

import (
	"path/filepath"
	"slices"
	"strings"
)

// FolderNames are the names of files that others import by the name of their folder.
var FolderNames = []string{"index", "mod", "lib", "main", "__init__"}

// ImportNames are the words by which imports name a file: its name, and the folders above it where the name stands
// for its folder.
func ImportNames(path string) []string {
	name, _, _ := strings.Cut(filepath.Base(path), ".")
	out := []string{name}
	if slices.Contains(FolderNames, name) {
		for dir := filepath.Dir(path); len(out) < 4; dir = filepath.Dir(dir) {
			out = append(out, filepath.Base(dir))
		}
	}
	return out
}

// Importing are files and those of sources that come to one of them by their imports, going by names alone; imports
// are the words by which a source names what it imports.
func Importing(files, sources []string, imports func(path string) []string) map[string]bool {
	users := map[string][]string{} // by the words that they import
	for _, path := range sources {
		for _, name := range imports(path) {
			users[name] = append(users[name], path)
		}
	}
	seen := map[string]bool{}
	for next := slices.Clone(files); len(next) > 0; {
		path := next[len(next)-1]
		next = next[:len(next)-1]
		if seen[path] {
			continue
		}
		seen[path] = true
		for _, name := range ImportNames(path) {
			next = append(next, users[name]...)
			// Each name is followed once, so that files which import each other end the walk.
			delete(users, name)
		}
	}
	return seen
}
