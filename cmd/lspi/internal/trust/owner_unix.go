//go:build unix

package trust

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// OwnedByUser reports whether the user that lspi runs as owns a file or folder. A symbolic link counts itself, not
// what it points to.
func OwnedByUser(path string) bool {
	uid, known := ownerOf(path)
	return known && int(uid) == os.Geteuid()
}

// trustedOwner reports whether path belongs to the user, or to the owner of the folder that lspi was started in,
// who decides about the session anyway. A folder of anybody else is never lifted to, as in git (safe.directory):
// whoever may write to /tmp or /srv could otherwise make everything below it one workspace, with a configuration of
// theirs.
func trustedOwner(start, path string) bool {
	if OwnedByUser(path) {
		return true
	}
	owner, ok := ownerOf(path)
	first, known := ownerOf(start)
	return ok && known && owner == first
}

func ownerOf(path string) (uid uint32, known bool) {
	info, err := os.Lstat(path)
	if err != nil {
		return 0, false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return stat.Uid, true
}

// OnlyUserWrites is an error when somebody else could replace path. The path and each folder above it has to belong
// to the user or root, and others must not have the right to write there. Two exceptions: a sticky folder (/tmp)
// keeps others from renaming what is not theirs, and a group with the user's own number has no other member.
func OnlyUserWrites(path string) error {
	for at := filepath.Clean(path); ; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		if err != nil {
			return err
		}
		stat, ok := info.Sys().(*syscall.Stat_t)
		if !ok {
			return nil
		}
		mode, ownGroup := info.Mode(), int(stat.Gid) == os.Getegid() && os.Getegid() == os.Geteuid()
		where := at
		if at == path {
			where = "it"
		}
		switch {
		case int(stat.Uid) != os.Geteuid() && stat.Uid != 0:
			return fmt.Errorf("%s is not used: %s belongs to another user", path, at)
		case mode&fs.ModeSticky != 0 && mode.IsDir() && at != path:
		case mode.Perm()&0o002 != 0, mode.Perm()&0o020 != 0 && !ownGroup:
			return fmt.Errorf("%s is not used: others may write to %s (chmod go-w)", path, where)
		}
		if filepath.Dir(at) == at {
			return nil
		}
	}
}
