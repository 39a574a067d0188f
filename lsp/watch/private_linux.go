package watch

import (
	"errors"
	"os"
	"syscall"
)

// lockDir locks a barrier's folder. It returns errPrivateTaken when another process has the lock, or the folder is
// gone. On a file system without locks it returns nil and no error: nobody gets a lock there, and nothing is swept.
func lockDir(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
	case errors.Is(err, syscall.EWOULDBLOCK):
		f.Close()
		return nil, errPrivateTaken
	case err != nil:
		f.Close()
		return nil, nil
	}
	// The process that had the lock before may have removed the folder: then this is a lock on nothing.
	held, err := f.Stat()
	if err == nil {
		var there os.FileInfo
		if there, err = os.Lstat(path); err == nil && os.SameFile(held, there) {
			return f, nil
		}
	}
	f.Close()
	return nil, errPrivateTaken
}

// ownDir reports whether path is a folder, and not a link to one, of the user who runs this.
func ownDir(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.IsDir() {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Getuid()
}
