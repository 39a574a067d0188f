package source

import (
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Files is what routing sees of the file system. Folders are absolute.
type Files interface {
	// Has reports whether the folder has an entry that matches glob. A glob is a name, a pattern of [path.Match], or
	// such elements joined by "/", which look into sub-folders.
	Has(dir, glob string) bool
	// Names are the entries of a folder that match an element of a glob.
	Names(dir, element string) []string
	// Read returns the text of a small file; nil when it cannot be read.
	Read(path string) []byte
}

// OS is the file system. It remembers nothing; see [DiskCache].
type OS struct{}

// maxMarker is how many bytes Read reads: the files are manifests.
const maxMarker = 1 << 20

// Has implements [Files]. It lists a folder only for an element with pattern characters. A dangling symbolic link is
// an entry too: a compile_commands.json that points into a build folder marks its root while the build folder is
// cleaned.
func (o OS) Has(dir, glob string) bool {
	element, rest, deeper := strings.Cut(glob, "/")
	names := entries(dir, element)
	if !deeper {
		return len(names) > 0
	}
	return slices.ContainsFunc(names, func(name string) bool { return o.Has(filepath.Join(dir, name), rest) })
}

// Names implements [Files].
func (OS) Names(dir, element string) []string { return entries(dir, element) }

// entries lists the entries of a folder that match one element of a glob.
func entries(dir, element string) []string {
	if !strings.ContainsAny(element, `*?[\`) {
		if _, err := os.Lstat(filepath.Join(dir, element)); err != nil {
			return nil
		}
		return []string{element}
	}
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	all, _ := f.Readdirnames(-1)
	return slices.DeleteFunc(all, func(name string) bool {
		match, err := path.Match(element, name)
		return err != nil || !match
	})
}

// Read implements [Files]. It reads at most the first megabyte, and only regular files: opening a named pipe would
// block.
func (OS) Read(path string) []byte {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxMarker))
	if err != nil {
		return nil
	}
	return text
}
