//go:build linux

package main

import (
	"errors"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// disk is the tree on disk, below root.
type disk struct {
	root  string
	files map[string]string // what was written, by path with slashes
}

// apply makes the files on disk those of a tree: first by the moves, then by writing what differs, in random order and
// in the different ways in which programs write files.
func (d *disk) apply(r *rand.Rand, moves []move, t *tree) error {
	for _, m := range moves {
		if err := d.move(m, t); err != nil {
			return err
		}
	}
	all := maps.Clone(d.files)
	maps.Copy(all, t.files)
	changed := slices.DeleteFunc(slices.Sorted(maps.Keys(all)), func(path string) bool {
		have, there := d.files[path]
		want, wanted := t.files[path]
		return there == wanted && have == want
	})
	r.Shuffle(len(changed), func(i, j int) { changed[i], changed[j] = changed[j], changed[i] })
	for _, path := range changed {
		if err := d.put(r, path, t); err != nil {
			return err
		}
	}
	return d.removeEmpty()
}

// move renames a folder, or the files of a unit, unless the target exists.
func (d *disk) move(m move, t *tree) error {
	for _, below := range []string{"", "src/"} {
		from, to := filepath.Join(d.root, below+m.from), filepath.Join(d.root, below+m.to)
		if info, err := os.Stat(from); err == nil && info.IsDir() {
			if err := d.rename(from, to); err != nil {
				return err
			}
		}
		for _, ext := range []string{".go", ".cc", ".h", ".rs", ".ts", ".py"} {
			if _, stays := t.files[below+m.from+ext]; stays {
				continue
			}
			if err := d.rename(from+ext, to+ext); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}

// rename renames on disk and in d.files. It returns fs.ErrNotExist, and renames nothing, when the target exists or its
// folder does not.
func (d *disk) rename(from, to string) error {
	if _, err := os.Stat(filepath.Dir(to)); err != nil {
		return fs.ErrNotExist
	}
	if _, err := os.Stat(to); err == nil {
		return fs.ErrNotExist
	}
	if err := os.Rename(from, to); err != nil {
		return err
	}
	was, is := d.rel(from), d.rel(to)
	for path, text := range d.files {
		if rest, ok := strings.CutPrefix(path, was); ok && (rest == "" || rest[0] == '/') {
			delete(d.files, path)
			d.files[is+rest] = text
		}
	}
	return nil
}

func (d *disk) rel(path string) string {
	rel, err := filepath.Rel(d.root, path)
	if err != nil {
		panic(err) // both are absolute
	}
	return filepath.ToSlash(rel)
}

// put writes or removes one file.
func (d *disk) put(r *rand.Rand, path string, t *tree) error {
	full := filepath.Join(d.root, filepath.FromSlash(path))
	text, ok := t.files[path]
	if !ok {
		delete(d.files, path)
		return os.Remove(full)
	}
	d.files[path] = text
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		return err
	}
	switch r.IntN(4) {
	case 0: // as most editors save
		tmp := filepath.Join(filepath.Dir(full), ".tmp~")
		if err := os.WriteFile(tmp, []byte(text), 0o644); err != nil {
			return err
		}
		return os.Rename(tmp, full)
	case 1: // as git does
		if err := os.Remove(full); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return os.WriteFile(full, []byte(text), 0o644)
}

// removeEmpty removes folders that no file is left in.
func (d *disk) removeEmpty() error {
	var dirs []string
	err := filepath.WalkDir(d.root, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() && strings.HasPrefix(e.Name(), ".") && path != d.root {
			return fs.SkipDir
		}
		if err == nil && e.IsDir() && path != d.root {
			dirs = append(dirs, path)
		}
		return err
	})
	slices.Reverse(dirs)
	for _, dir := range dirs {
		_ = os.Remove(dir) // fails where files are left, also those that a server keeps there
	}
	return err
}
