package watch

import (
	"io/fs"
	"syscall"
)

// lstat looks at a path without following a link. The system call is used directly: a walk makes one per file, and
// os.Lstat costs three times the memory for it.
func lstat(path string) (node, error) { return look("lstat", path, syscall.Lstat) }

// stat follows links.
func stat(path string) (node, error) { return look("stat", path, syscall.Stat) }

func look(op, path string, call func(string, *syscall.Stat_t) error) (node, error) {
	var st syscall.Stat_t
	for {
		err := call(path, &st)
		if err == syscall.EINTR { // FUSE does that
			continue
		}
		if err != nil {
			return node{}, &fs.PathError{Op: op, Path: path, Err: err}
		}
		break
	}
	return node{
		stamp:  stamp{size: st.Size, mtime: st.Mtim.Nano(), ctime: st.Ctim.Nano(), ino: st.Ino},
		dev:    uint64(st.Dev),
		nlink:  uint64(st.Nlink),
		access: uint64(st.Mode&0o7777) ^ uint64(st.Uid)<<16 ^ uint64(st.Gid)<<40,
		sort:   sortOf(st.Mode),
	}, nil
}

func sortOf(mode uint32) sort {
	switch mode & syscall.S_IFMT {
	case syscall.S_IFREG:
		return file
	case syscall.S_IFLNK:
		return link
	case syscall.S_IFDIR:
		return folder
	}
	return other
}
