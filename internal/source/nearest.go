package source

import (
	"path/filepath"
)

// Nearest is the folder closest to the file that has the entry, not above limit; "" when there is none.
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
