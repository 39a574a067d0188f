//go:build unix

package source

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// LockFile locks f for as long as it is open, without waiting; ok is false when somebody else holds it. Each open
// file has its own lock, also in one process.
func LockFile(f *os.File, exclusive bool) (ok bool, err error) {
	how := unix.LOCK_SH
	if exclusive {
		how = unix.LOCK_EX
	}
	for {
		err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if errors.Is(err, unix.EWOULDBLOCK) {
			return false, nil
		}
		return err == nil, err
	}
}
