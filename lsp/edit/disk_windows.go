package edit

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// moveNow uses MoveFileEx, which replaces nothing unless told to. MOVEFILE_WRITE_THROUGH makes it return when the
// move is on disk.
func moveNow(from, to string) error {
	a, err := windows.UTF16PtrFromString(from)
	if err != nil {
		return err
	}
	b, err := windows.UTF16PtrFromString(to)
	if err != nil {
		return err
	}
	err = windows.MoveFileEx(a, b, windows.MOVEFILE_WRITE_THROUGH)
	if errors.Is(err, windows.ERROR_ALREADY_EXISTS) || errors.Is(err, windows.ERROR_FILE_EXISTS) {
		err = fs.ErrExist
	}
	if err != nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
	return nil
}

func exchangeNow(_, _ string) error { return errNoExchange }

// syncFolderNow does nothing: Windows has no sync of folders.
func syncFolderNow(*os.File) error { return nil }

func writable(string) bool { return true }

func furtherNames(fs.FileInfo) int { return 0 }

func copyAttributes(f *os.File, like string) error {
	info, err := os.Lstat(like)
	if err != nil {
		return err
	}
	return f.Chmod(info.Mode().Perm())
}
