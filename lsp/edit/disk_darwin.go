package edit

import "golang.org/x/sys/unix"

// Flags of renameFlags: an error when something is at to; exchange both.
const (
	noReplace = unix.RENAME_EXCL
	exchange  = unix.RENAME_SWAP
)

func renameFlags(from, to string, flags uint32) error { return unix.RenamexNp(from, to, flags) }
