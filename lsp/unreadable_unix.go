//go:build unix

package lsp

import (
	"errors"

	"golang.org/x/sys/unix"
)

// mayNotRead reports whether a file is there and this user has no right to read it. A link that leads nowhere is no
// such file.
func mayNotRead(path string) bool {
	err := unix.Faccessat(unix.AT_FDCWD, path, unix.R_OK, unix.AT_EACCESS)
	return errors.Is(err, unix.EACCES) || errors.Is(err, unix.EPERM)
}
