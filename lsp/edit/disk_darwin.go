package edit

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// unsupported are the errors of file systems without renamex_np's flags (HFS+ has none, APFS all).
func unsupported(err error) bool {
	return errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP)
}

func moveNow(from, to string) error {
	err := unix.RenamexNp(from, to, unix.RENAME_EXCL)
	if unsupported(err) {
		return moveByLink(from, to, nothing)
	}
	return linkError("rename", from, to, err)
}

func exchangeNow(a, b string) error {
	err := unix.RenamexNp(a, b, unix.RENAME_SWAP)
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
