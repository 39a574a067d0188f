package source

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// ErrNotRegular is in the error of a file that was not opened because it is a folder, a pipe, a socket or a device.
var ErrNotRegular = errors.New("not a regular file")

// ErrTooLarge is in the error of a file that is larger than the caller of [ReadRegular] allows.
var ErrTooLarge = errors.New("larger than such a file may be")

// OpenRegular opens a regular file for reading; it follows symbolic links. Repositories and servers name the files
// that lspi reads. Any of them may be a pipe, whose reader waits for a writer, or a device, on which opening alone
// may act: another kind of file is not opened, and the error holds [ErrNotRegular]. Since the path may be replaced
// after that check, opening does not block, and the opened file is checked again.
func OpenRegular(path string) (*os.File, fs.FileInfo, error) {
	return openRegularBy(path, os.Stat, os.OpenFile)
}

// openRegularBy is OpenRegular with the functions of package os, or the methods of an [os.Root].
func openRegularBy(path string, stat func(string) (fs.FileInfo, error), open func(string, int, fs.FileMode) (*os.File,
	error)) (*os.File, fs.FileInfo, error) {
	info, err := stat(path)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, &fs.PathError{Op: "open", Path: path, Err: ErrNotRegular}
	}
	f, err := open(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err = f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path, Err: ErrNotRegular}
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// ReadRegular reads a whole regular file. When it has more than limit bytes, the error holds [ErrTooLarge].
func ReadRegular(path string, limit int64) ([]byte, error) {
	f, info, err := OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, err
	}
	if max(info.Size(), int64(len(raw))) > limit {
		return nil, &fs.PathError{Op: "read", Path: path, Err: ErrTooLarge}
	}
	return raw, nil
}
