//go:build !linux

package watch

import (
	"io/fs"
	"os"
)

// lstat looks at a path without following a link.
func lstat(path string) (node, error) { return look(os.Lstat(path)) }

// stat follows links.
func stat(path string) (node, error) { return look(os.Stat(path)) }

func look(fi fs.FileInfo, err error) (node, error) {
	if err != nil {
		return node{}, err
	}
	n := node{
		stamp:  stamp{size: fi.Size(), mtime: fi.ModTime().UnixNano()},
		access: uint64(fi.Mode().Perm()),
		sort:   sortOf(fi.Mode()),
	}
	complement(&n, fi)
	return n, nil
}

func sortOf(mode fs.FileMode) sort {
	switch {
	case mode.IsRegular():
		return file
	case mode.IsDir():
		return folder
	case mode&fs.ModeSymlink != 0:
		return link
	}
	return other
}
