package folders

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// ReadFile reads a regular file of at most limit bytes. It looks before it opens, because opening a pipe would block for
// good. Its errors do not name the path; callers do.
func ReadFile(path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errNotExist
	case err != nil:
		return nil, withoutPath(err)
	case info.IsDir():
		return nil, errors.New("this is a folder, not a file")
	case !info.Mode().IsRegular():
		return nil, errors.New("this is not a regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, withoutPath(err)
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, withoutPath(err)
	}
	if int64(len(content)) > limit {
		return nil, fmt.Errorf("the file is larger than %d bytes", limit)
	}
	return content, nil
}

// errNotExist is fs.ErrNotExist in the words of a message for people.
var errNotExist = notExist{}

type notExist struct{}

func (notExist) Error() string        { return "the file does not exist" }
func (notExist) Is(target error) bool { return target == fs.ErrNotExist }

func withoutPath(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
