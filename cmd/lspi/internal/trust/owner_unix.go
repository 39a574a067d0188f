//go:build unix

package trust

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// OwnedByUser reports whether the user that lspi runs as owns a file or folder. For a symbolic link, the link counts
// and not its target.
func OwnedByUser(path string) bool {
	uid, known := ownerOf(path)
	return known && int(uid) == os.Geteuid()
}

// trustedOwner reports whether path belongs to the user, or to the owner of start, the folder in which lspi was
// started, who decides about the session anyway. The workspace is never widened to a folder of anybody else, as in git
// (safe.directory): otherwise whoever may write to /tmp or /srv could make everything below it one workspace, with
// their configuration.
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

// OnlyUserWrites returns an error when somebody else could replace path. The path and each folder above it has to
// belong to the user or root, and others must not be able to write there. Two exceptions: in a sticky folder (/tmp)
// others cannot rename what is not theirs, and a group whose number is the user's own has no other member.
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
