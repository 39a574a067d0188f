package trust

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// entry is something that is trusted; path is its real path.
type entry interface{ path() string }

// entries are the entries of one kind: a folder with a small file for each, so that commands at the same time do not
// overwrite each other's. The zero value is empty and cannot store any.
type entries[E entry] struct{ dir string }

func (s entries[E]) file(real string) string {
	sum := sha256.Sum256([]byte(real))
	return filepath.Join(s.dir, hex.EncodeToString(sum[:])+".json")
}

// write stores an entry atomically.
func (s entries[E]) write(e E) error {
	content, err := json.MarshalIndent(e, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(s.dir, ".new-*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(append(content, '\n'))
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), s.file(e.path()))
}

// remove deletes the entry for a path and reports whether there was one.
func (s entries[E]) remove(real string) (bool, error) {
	err := os.Remove(s.file(real))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// read returns the entry for a path; fs.ErrNotExist when there is none.
func (s entries[E]) read(real string) (e E, err error) {
	if _, err := os.Stat(s.file(real)); err != nil {
		return e, err
	}
	if err := OnlyUserWrites(s.dir); err != nil {
		return e, err
	}
	return readEntry[E](s.file(real))
}

// readEntry reads the file of an entry; an entry that somebody else could have written is an error.
func readEntry[E entry](name string) (e E, err error) {
	if err := OnlyUserWrites(name); err != nil {
		return e, err
	}
	content, err := ReadFile(name, MaxFile)
	if err == nil {
		err = json.Unmarshal(content, &e)
	}
	if err != nil {
		return e, fmt.Errorf("%s: %w", name, err)
	}
	return e, nil
}

// list returns all entries, sorted by path. It skips an entry in a file named after another path: the file was renamed.
func (s entries[E]) list() ([]E, error) {
	names, err := filepath.Glob(filepath.Join(globEscape(s.dir), "*.json"))
	if s.dir == "" || err != nil || len(names) == 0 {
		return nil, err
	}
	if err := OnlyUserWrites(s.dir); err != nil {
		return nil, err
	}
	var out []E
	var errs []error
	for _, name := range names {
		e, err := readEntry[E](name)
		errs = append(errs, err)
		if err == nil && s.file(e.path()) == name {
			out = append(out, e)
		}
	}
	slices.SortFunc(out, func(a, b E) int { return strings.Compare(a.path(), b.path()) })
	return out, errors.Join(errs...)
}

// globEscape returns the pattern that matches only this folder.
func globEscape(dir string) string {
	return strings.NewReplacer(`[`, `[[]`, `*`, `[*]`, `?`, `[?]`).Replace(dir)
}
