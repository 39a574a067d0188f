package edit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// pin returns a name for path in its folder as that is now, by the folder's descriptor (proc(5), /proc/pid/fd). Where
// /proc is not mounted it returns the path itself. release closes the descriptor.
func pin(path string) (name string, release func(), err error) {
	dir := filepath.Dir(path)
	fd, err := folderWithoutLinks(dir)
	if err != nil {
		return "", nil, &fs.PathError{Op: "open", Path: dir, Err: err}
	}
	held := fmt.Sprintf("/proc/self/fd/%d", fd)
	if _, err := os.Stat(held); err != nil {
		_ = unix.Close(fd)
		return path, func() {}, nil
	}
	return filepath.Join(held, filepath.Base(path)), func() { _ = unix.Close(fd) }, nil
}

// folderWithoutLinks opens a folder by its absolute path, on which no symbolic link may be. O_PATH needs no right to
// read the folders on the way.
func folderWithoutLinks(dir string) (int, error) {
	const flags = unix.O_PATH | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC
	fd, err := unix.Open("/", flags, 0)
	for name := range strings.SplitSeq(strings.Trim(dir, "/"), "/") {
		if err != nil || name == "" {
			break
		}
		above := fd
		fd, err = unix.Openat(above, name, flags, 0)
		var at unix.Stat_t
		if errors.Is(err, unix.ENOTDIR) && unix.Fstatat(above, name, &at, unix.AT_SYMLINK_NOFOLLOW) == nil &&
			at.Mode&unix.S_IFMT == unix.S_IFLNK {
			err = errLinked
		}
		_ = unix.Close(above)
	}
	return fd, err
}
