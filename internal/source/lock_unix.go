//go:build unix

package source

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// LockFile locks f for as long as it is open, without blocking; ok is false when another open file holds the lock.
// Each open file locks for itself, also within one process.
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
