package source

import (
	"path/filepath"
	"strings"
)

// RelativeTo returns path relative to dir, both absolute; ok is false when path is not below dir. For dir itself it
// returns ".".
//
// Every place of an answer passes here several times. So the usual case, two clean paths, is a comparison of text,
// which takes a fiftieth of [filepath.Rel].
func RelativeTo(dir, path string) (rel string, ok bool) {
	if rest, ok := strings.CutPrefix(path, dir); ok && len(rest) > 1 && rest[0] == filepath.Separator && plain(rest) &&
		!separated(dir) {
		return rest[1:], true
	}
	rel, err := filepath.Rel(dir, path)
	return rel, err == nil && filepath.IsLocal(rel)
}

// Within reports whether path is dir or lies below it. Both are absolute.
func Within(dir, path string) bool {
	_, in := RelativeTo(dir, path)
	return in
}

// plain reports whether a path that begins with a separator is certainly clean: it has no empty part, and none that
// begins with a dot.
func plain(path string) bool {
	for i := range len(path) {
		if path[i] != filepath.Separator {
			continue
		}
		if i+1 == len(path) || path[i+1] == filepath.Separator || path[i+1] == '.' {
			return false
		}
	}
	return filepath.Separator == '/' // elsewhere there are two separators and reserved names
}

// separated reports whether a folder ends with a separator, as only the root of a file system does.
func separated(dir string) bool {
	return dir == "" || dir[len(dir)-1] == filepath.Separator
}

// Absolute returns the absolute path of a path that a file in folder names, with slashes on every system.
func Absolute(folder, path string) string {
	if path = filepath.FromSlash(path); filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(folder, path)
}
