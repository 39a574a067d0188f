package watch

import (
	"path/filepath"
	"strings"
)

// place identifies a file by the path of its folder and its own name. Both strings are those of the snapshot, so a
// step of the history allocates no string.
type place struct{ dir, name string }

func (p place) path() string { return join(p.dir, p.name) }

func placeOf(path string) place {
	return place{dir: filepath.Dir(path), name: filepath.Base(path)}
}

func join(dir, name string) string {
	if strings.HasSuffix(dir, string(filepath.Separator)) { // the root of the file system
		return dir + name
	}
	return dir + string(filepath.Separator) + name
}

func baseOf(path string) string { return path[strings.LastIndexByte(path, filepath.Separator)+1:] }
