package source

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// errNotRegular is why a file is not read.
var errNotRegular = errors.New("not a regular file")

// errTooLarge is why a file is not read.
var errTooLarge = errors.New("larger than such a file may be")

// OpenRegular opens a regular file that a repository or a server names. A pipe in its place would make a reader wait for ever, a
// device would have no end: they are not opened (a device may act on that), and what is opened is looked at once more.
func OpenRegular(path string) (*os.File, os.FileInfo, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, &os.PathError{Op: "open", Path: path, Err: errNotRegular}
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err = f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &os.PathError{Op: "open", Path: path, Err: errNotRegular}
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// ReadRegular reads all of a regular file that has at most limit bytes.
func ReadRegular(path string, limit int64) ([]byte, error) {
	f, info, err := OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && max(info.Size(), int64(len(raw))) > limit {
		err = &os.PathError{Op: "read", Path: path, Err: errTooLarge}
	}
	if err != nil {
		return nil, err
	}
	return raw, nil
}
