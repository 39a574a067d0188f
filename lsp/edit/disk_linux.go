package edit

import "golang.org/x/sys/unix"

// Flags of renameFlags: an error when something is at to; exchange both.
const (
	noReplace = unix.RENAME_NOREPLACE
	exchange  = unix.RENAME_EXCHANGE
)

func renameFlags(from, to string, flags uint) error {
	return unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, flags)
}
