package watch

import (
	"io/fs"
	"os"
)

// lstat looks at a path without following a link. The file index, which would be the inode, is not asked for: each
// file would have to be opened.
func lstat(path string) (node, error) { return look(os.Lstat(path)) }

// stat follows links.
func stat(path string) (node, error) { return look(os.Stat(path)) }

func look(fi fs.FileInfo, err error) (node, error) {
	if err != nil {
		return node{}, err
	}
	return node{
		stamp:  stamp{size: fi.Size(), mtime: fi.ModTime().UnixNano()}, // mtime counts in 100 ns
		access: uint64(fi.Mode().Perm()),
		sort:   sortOf(fi.Mode()),
	}, nil
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
