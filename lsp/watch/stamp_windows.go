package watch

import (
	"io/fs"
	"os"
)

// lstat looks at a path without following a link. It leaves out the file index, which stands for the inode on
// Windows, because each file would have to be opened for it.
func lstat(path string) (node, error) { return look(os.Lstat(path)) }

// stat looks at a path and follows links.
func stat(path string) (node, error) { return look(os.Stat(path)) }

func look(fi fs.FileInfo, err error) (node, error) {
	if err != nil {
		return node{}, err
	}
	return node{
		stamp:  stamp{size: fi.Size(), mtime: fi.ModTime().UnixNano()}, // mtime has a resolution of 100 ns
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
