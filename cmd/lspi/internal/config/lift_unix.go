//go:build unix

package config

import (
	"os"
	"syscall"
)

// ownedWith reports whether the user, or whom the folder belongs to that lspi was started in, owns a folder or file: that one
// decides about the session anyway. What belongs to somebody else lifts nothing, as for git (safe.directory): whoever may write to
// /tmp or /srv could make all below it one workspace, with a configuration of theirs.
func ownedWith(start, path string) bool {
	if ownedByUser(path) {
		return true
	}
	of, ok := ownerOf(path)
	first, known := ownerOf(start)
	return ok && known && of == first
}

func ownerOf(path string) (uid uint32, ok bool) {
	info, err := os.Lstat(path)
	if err != nil {
		return 0, false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return st.Uid, true
}
