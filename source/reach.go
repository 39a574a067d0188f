package source

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"lspi/contract"
)

// ErrOutsideSources is why a text was not read: it is neither in the workspace nor among the dependencies of the server.
var ErrOutsideSources = errors.New("outside of the workspace and of the known folders of dependencies")

// Reach are the files whose text may be read and shown. Safe for concurrent use.
type Reach struct {
	project []string // folders, links resolved; every regular file in them counts
	// of dependencies, in which names decides; nil when there are none. Called for paths outside of project only.
	dependencies []func() []string
	names        func(base string) bool
}

// NewReach reaches what is in the folders, which are absolute.
func NewReach(folders ...string) *Reach {
	r := &Reach{}
	for _, f := range folders {
		r.project = append(r.project, RealFolders(f)...)
	}
	return r
}

// Depend adds folders of dependencies, in which the base names count for which names is true. The first of folders is called when a
// path outside of the project is asked about, the others when those before do not hold it. Depend must be called before r is used.
func (r *Reach) Depend(names func(base string) bool, folders ...func() []string) {
	r.names, r.dependencies = names, folders
}

// RealFolders is a folder as it is named, and without symbolic links where that is another; the latter alone decides about what is
// read, the former lets a path be recognized without a look at the disk.
func RealFolders(dir string) []string {
	dir = filepath.Clean(dir)
	if real, err := filepath.EvalSymlinks(dir); err == nil && real != dir {
		return []string{dir, real}
	}
	return []string{dir}
}

// root is the folder that lets a path be shown, without a look at the disk.
func (r *Reach) root(path string) (string, bool) {
	in := func(dir string) bool { _, ok := RelativeTo(dir, path); return ok }
	if i := slices.IndexFunc(r.project, in); i >= 0 {
		return r.project[i], true
	}
	if r.dependencies == nil || !r.names(filepath.Base(path)) || IsSystem(path) {
		return "", false
	}
	for _, folders := range r.dependencies {
		all := folders()
		if i := slices.IndexFunc(all, in); i >= 0 {
			return all[i], true
		}
	}
	return "", false
}

// IsSystem reports whether a path is of a file system in which reading is a question to the kernel or a device.
func IsSystem(path string) bool {
	return slices.ContainsFunc([]string{"/proc", "/sys", "/dev"}, func(dir string) bool { _, ok := RelativeTo(dir, path); return ok || path == dir })
}

// open opens a regular file that may be shown. What is judged is what is opened: the path without its links decides, and the
// file is opened below the folder that allows it, which no link leads out of, whatever somebody changes meanwhile.
func (r *Reach) open(path string) (f *os.File, real string, err error) {
	if _, ok := r.root(path); !ok { // not even looked at
		return nil, "", outsideSources(path)
	}
	if real, err = filepath.EvalSymlinks(path); err != nil {
		return nil, "", readError(path, err)
	}
	dir, ok := r.root(real)
	if !ok {
		return nil, "", outsideSources(path)
	}
	rel, _ := RelativeTo(dir, real)
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, "", readError(path, err)
	}
	defer root.Close()
	info, err := root.Lstat(rel) // before it is opened: a device may act on that
	if err == nil {
		err = readable(path, info)
	}
	if err == nil {
		f, err = root.OpenFile(rel, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	}
	if err != nil {
		return nil, "", readError(path, err)
	}
	return f, real, nil
}

// read is a file's text, and its path without symbolic links.
func (r *Reach) read(path string) (*Text, string, error) {
	f, real, err := r.open(path)
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	text, err := textOf(f, path)
	return text, real, err
}

func outsideSources(path string) error {
	return contract.Errorf(contract.KindOutsideWorkspace, contract.Facts{"file_path": path, "roots": []string{}},
		"%s is not read: it is %w", path, ErrOutsideSources)
}

// Holds reports whether a path is in the project.
func (r *Reach) Holds(path string) bool {
	return slices.ContainsFunc(r.project, func(dir string) bool { _, in := RelativeTo(dir, path); return in })
}
