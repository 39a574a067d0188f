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

// unsupported reports whether the file system has no such flags (HFS+ on macOS; APFS has them), or the Linux kernel
// has no renameat2.
func unsupported(err error) bool {
	return errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.ENOTSUP)
}

func linkError(op, from, to string, err error) error {
	if err == nil {
		return nil
	}
	return &os.LinkError{Op: op, Old: from, New: to, Err: err}
}

// copyExtended copies extended attributes as far as the system allows. On Linux access lists are among them; those of
// macOS are not, and are lost.
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
		size, err := unix.Getxattr(like, name, nil) // a resource fork of macOS may have megabytes
		if err != nil {
			continue
		}
		value := make([]byte, size)
		if n, err := unix.Getxattr(like, name, value); err == nil {
			unix.Fsetxattr(int(f.Fd()), name, value[:n], 0)
		}
	}
}
