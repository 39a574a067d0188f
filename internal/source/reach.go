package source

import (
	"errors"
	"os"
	"path/filepath"
	"slices"

	"lspi/contract"
)

// ErrOutsideSources is why a text was not read: it is neither in the workspace nor among the dependencies of the
// server.
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

// Depend adds folders of dependencies, in which the base names count for which names is true. The first of folders
// is called when a path outside of the project is asked about, the others when those before do not hold it. Depend
// must be called before r is used.
func (r *Reach) Depend(names func(base string) bool, folders ...func() []string) {
	r.names, r.dependencies = names, folders
}

// RealFolders is a folder as it is named, and without symbolic links where that is another; the latter alone
// decides about what is read, the former lets a path be recognized without a look at the disk.
func RealFolders(dir string) []string {
	dir = filepath.Clean(dir)
	if real, err := filepath.EvalSymlinks(dir); err == nil && real != dir {
		return []string{dir, real}
	}
	return []string{dir}
}

// root is the folder that lets a path be shown, without a look at the disk.
func (r *Reach) root(path string) (string, bool) {
	in := func(dir string) bool { return Within(dir, path) }
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
	return slices.ContainsFunc([]string{"/proc", "/sys", "/dev"}, func(dir string) bool { return Within(dir, path) })
}

// read reads the text of a file that may be shown, and gives its path without symbolic links. The file is opened
// below the folder that allows it, by an [os.Root], which no link leads out of: so what is judged is what is read,
// whatever somebody replaces meanwhile.
func (r *Reach) read(path string) (*Text, string, error) {
	dir, real, err := r.resolve(path)
	if err != nil {
		return nil, "", err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, "", readError(path, err)
	}
	defer root.Close()
	rel, _ := RelativeTo(dir, real)
	f, info, err := openRegular(rel, root.Lstat, root.OpenFile)
	if err != nil {
		return nil, "", readError(path, err)
	}
	defer f.Close()
	content, err := readAll(f, info, path)
	if err != nil {
		return nil, "", err
	}
	return New(path, content), real, nil
}

// resolve gives the path without symbolic links, and the folder that lets it be shown. It does not look at a path
// that may not be shown by its name alone.
func (r *Reach) resolve(path string) (dir, real string, err error) {
	if _, ok := r.root(path); !ok {
		return "", "", outsideSources(path)
	}
	if real, err = filepath.EvalSymlinks(path); err != nil {
		return "", "", readError(path, err)
	}
	dir, ok := r.root(real)
	if !ok {
		return "", "", outsideSources(path)
	}
	return dir, real, nil
}

func outsideSources(path string) error {
	return contract.Errorf(contract.KindOutsideWorkspace, contract.Facts{"file_path": path, "roots": []string{}},
		"%s is not read: it is %w", path, ErrOutsideSources)
}

// Holds reports whether a path is in the project.
func (r *Reach) Holds(path string) bool {
	return slices.ContainsFunc(r.project, func(dir string) bool { return Within(dir, path) })
}
