package recall

import (
	"os"
	"path/filepath"
)

// place answers whether folders are in one workspace. It is for one question: what it remembers of the
// disk is not kept.
type place struct {
	root  os.FileInfo
	known map[string]bool // by folder
}

func newPlace(root string) (*place, error) {
	info, err := os.Stat(root)
	if err != nil {
		return nil, err
	}
	return &place{root: info, known: map[string]bool{}}, nil
}

// holds reports whether a folder is the workspace or lies below it. Folders are compared as files of
// the system (device and inode), because names differ by symbolic links and, on some systems, by case.
// A folder that is gone counts where its name says.
func (p *place) holds(dir string) bool {
	if !filepath.IsAbs(dir) {
		return false
	}
	is, ok := p.known[dir]
	if !ok {
		is = p.above(resolved(filepath.Clean(dir)))
		p.known[dir] = is
	}
	return is
}

// above reports whether the workspace is dir or one of the folders above it.
func (p *place) above(dir string) bool {
	for {
		if info, err := os.Stat(dir); err == nil && os.SameFile(info, p.root) {
			return true
		}
		up := filepath.Dir(dir)
		if up == dir {
			return false
		}
		dir = up
	}
}

// resolved returns a path with the links of its existing part followed.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	up := filepath.Dir(path)
	if up == path {
		return path
	}
	return filepath.Join(resolved(up), filepath.Base(path))
}
