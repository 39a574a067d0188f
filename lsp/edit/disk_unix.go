//go:build unix

package edit

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

func syncFolderNow(f *os.File) error { return f.Sync() }

// writable reports whether the system lets this user write the file.
func writable(path string) bool {
	err := unix.Access(path, unix.W_OK)
	return !errors.Is(err, unix.EACCES) && !errors.Is(err, unix.EROFS) && !errors.Is(err, unix.EPERM)
}

// furtherNames returns how many names a file has beside the one under which it was found.
func furtherNames(info fs.FileInfo) int {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || !info.Mode().IsRegular() {
		return 0
	}
	return max(int(st.Nlink)-1, 0)
}

// copyAttributes gives a new file the mode of another, and its owner and extended attributes where allowed.
func copyAttributes(f *os.File, like string) error {
	var from, to unix.Stat_t
	if err := unix.Lstat(like, &from); err != nil {
		return &fs.PathError{Op: "lstat", Path: like, Err: err}
	}
	if err := unix.Fstat(int(f.Fd()), &to); err != nil {
		return &fs.PathError{Op: "fstat", Path: f.Name(), Err: err}
	}
	mode := uint32(from.Mode) & 0o7777
	if from.Uid != to.Uid || from.Gid != to.Gid {
		if err := f.Chown(int(from.Uid), int(from.Gid)); err != nil {
			f.Chown(-1, int(from.Gid)) // the group alone may be allowed
			mode &= 0o777              // without setuid and setgid, which would now mean another owner
		}
	}
	copyExtended(f, like)
	if err := unix.Fchmod(int(f.Fd()), mode); err != nil {
		return &fs.PathError{Op: "chmod", Path: f.Name(), Err: err}
	}
	return nil
}
