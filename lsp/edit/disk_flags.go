//go:build linux || darwin

package edit

import (
	"errors"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// moveNow renames without replacing anything.
func moveNow(from, to string) error {
	err := renameFlags(from, to, noReplace)
	if unsupported(err) {
		return moveByLink(from, to, nothing)
	}
	return linkError("rename", from, to, err)
}

// exchangeNow swaps two files in one step.
func exchangeNow(a, b string) error {
	err := renameFlags(a, b, exchange)
	if unsupported(err) {
		return errNoExchange
	}
	return linkError("exchange", a, b, err)
}

// unsupported are the errors of file systems that have no such flags (on macOS HFS+, APFS has all), and of Linux kernels without
// renameat2.
func unsupported(err error) bool {
	return errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.ENOTSUP)
}

func linkError(op, from, to string, err error) error {
	if err == nil {
		return nil
	}
	return &os.LinkError{Op: op, Old: from, New: to, Err: err}
}

// copyExtended copies extended attributes (access lists are among them) as far as the system allows.
func copyExtended(f *os.File, like string) {
	size, err := unix.Listxattr(like, nil)
	if err != nil || size == 0 {
		return
	}
	names := make([]byte, size)
	n, err := unix.Listxattr(like, names)
	if err != nil {
		return
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(names[:n]), "\x00"), "\x00") {
		value := make([]byte, 64<<10) // the most that Linux has
		if n, err := unix.Getxattr(like, name, value); err == nil {
			unix.Fsetxattr(int(f.Fd()), name, value[:n], 0)
		}
	}
}
