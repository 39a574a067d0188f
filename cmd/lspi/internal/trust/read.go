package trust

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"lspi/internal/source"
)

// ReadFile reads a regular file of at most limit bytes; it opens no pipe or device. Its errors do not name the path,
// because callers add it.
func ReadFile(path string, limit int64) ([]byte, error) {
	content, err := source.ReadRegular(path, limit)
	switch {
	case err == nil:
		return content, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, errNotExist
	case errors.Is(err, source.ErrTooLarge):
		return nil, fmt.Errorf("the file is larger than %d bytes", limit)
	case errors.Is(err, source.ErrNotRegular):
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			return nil, errors.New("this is a folder, not a file")
		}
		return nil, errors.New("this is not a regular file")
	}
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		return nil, p.Err
	}
	return nil, err
}

// errNotExist is fs.ErrNotExist with a text for people.
var errNotExist = notExist{}

type notExist struct{}

func (notExist) Error() string        { return "the file does not exist" }
func (notExist) Is(target error) bool { return target == fs.ErrNotExist }
