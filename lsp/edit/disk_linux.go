package edit

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// unsupported are the errors of file systems that have no renameat2 flags, and of kernels that have no renameat2.
func unsupported(err error) bool {
	return errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.ENOTSUP)
}

func moveNow(from, to string) error {
	err := unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, unix.RENAME_NOREPLACE)
	if unsupported(err) {
		return moveByLink(from, to, nothing)
	}
	return linkError("rename", from, to, err)
}

func exchangeNow(a, b string) error {
	err := unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
	if unsupported(err) {
		return errNoExchange
	}
	return linkError("exchange", a, b, err)
}

func linkError(op, from, to string, err error) error {
	if err == nil {
		return nil
	}
	return &os.LinkError{Op: op, Old: from, New: to, Err: err}
}
