//go:build unix

package watch

import (
	"io/fs"

	"golang.org/x/sys/unix"
)

// lstat looks at a path without following a link. It calls the system directly: a walk makes one call per file, and
// os.Lstat allocates three times as much.
func lstat(path string) (node, error) { return look("lstat", path, unix.Lstat) }

// stat looks at a path and follows links.
func stat(path string) (node, error) { return look("stat", path, unix.Stat) }

func look(op, path string, call func(string, *unix.Stat_t) error) (node, error) {
	var st unix.Stat_t
	err := call(path, &st)
	for err == unix.EINTR { // file systems in FUSE return it
		err = call(path, &st)
	}
	if err != nil {
		return node{}, &fs.PathError{Op: op, Path: path, Err: err}
	}
	mode := uint32(st.Mode) // the widths of the fields differ among systems
	return node{
		stamp:  stamp{size: st.Size, mtime: st.Mtim.Nano(), ctime: st.Ctim.Nano(), ino: uint64(st.Ino)},
		dev:    uint64(st.Dev),
		nlink:  uint64(st.Nlink),
		access: uint64(mode&0o7777) ^ uint64(st.Uid)<<16 ^ uint64(st.Gid)<<40,
		sort:   sortOf(mode),
	}, nil
}

func sortOf(mode uint32) sort {
	switch mode & unix.S_IFMT {
	case unix.S_IFREG:
		return file
	case unix.S_IFLNK:
		return link
	case unix.S_IFDIR:
		return folder
	}
	return other
}
