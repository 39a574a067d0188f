package source

import (
	"path/filepath"
)

// Nearest returns the folder nearest to the file at path that has the entry name, not above limit; "" when none has.
func Nearest(files Files, name, path, limit string) string {
	for dir := filepath.Dir(path); Within(limit, dir); dir = filepath.Dir(dir) {
		if files.Has(dir, name) {
			return dir
		}
		if dir == limit {
			break
		}
	}
	return ""
}
