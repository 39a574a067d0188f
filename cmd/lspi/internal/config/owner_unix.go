//go:build unix

package config

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// ownedByUser reports whether the user that lspi runs as owns a file or folder, itself and not by a link.
func ownedByUser(path string) bool {
	info, err := os.Lstat(path)
	if err != nil {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}

// onlyUserWrites is an error when somebody else could replace path: each folder above it and itself has to be owned by the
// user or root, and others may not write there, but where the folder keeps them from renaming what is not theirs (/tmp). A
// group of the user alone, which has the user's number, is no other.
func onlyUserWrites(path string) error {
	for at := filepath.Clean(path); ; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		if err != nil {
			return err
		}
		stat, ok := info.Sys().(*syscall.Stat_t)
		if !ok {
			return nil
		}
		mode, own := info.Mode(), int(stat.Gid) == os.Getegid() && os.Getegid() == os.Geteuid()
		where := at
		if at == path {
			where = "it"
		}
		switch {
		case int(stat.Uid) != os.Geteuid() && stat.Uid != 0:
			return fmt.Errorf("%s is not used: %s belongs to another user", path, at)
		case mode&fs.ModeSticky != 0 && mode.IsDir() && at != path:
		case mode.Perm()&0o002 != 0, mode.Perm()&0o020 != 0 && !own:
			return fmt.Errorf("%s is not used: others may write to %s (chmod go-w)", path, where)
		}
		if filepath.Dir(at) == at {
			return nil
		}
	}
}
