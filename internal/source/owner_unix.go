//go:build unix

package source

import (
	"os"
	"syscall"
)

// OfThisUser reports whether a file or folder belongs to the user as whom lspi runs. A link counts for itself.
func OfThisUser(path string) bool {
	info, err := os.Lstat(path)
	if err != nil {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}

// OfAnotherUser reports whether a file or folder belongs to a user who is neither this one nor root.
func OfAnotherUser(path string) bool {
	info, err := os.Lstat(path)
	if err != nil {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Uid != 0 && int(stat.Uid) != os.Geteuid()
}
