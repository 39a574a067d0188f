package source

import (
	"errors"
	"os"
	"path/filepath"
	"slices"

	"lspi/contract"
)

// ErrOutsideSources says why a text was not read: it is neither in the workspace nor among the dependencies of the
// server.
var ErrOutsideSources = errors.New("outside of the workspace and of the known folders of dependencies")

// Reach is the set of files whose text may be read and shown. Its methods may be called from several goroutines.
type Reach struct {
	project []string // folders, links resolved; every regular file in them may be shown
	// dependencies return folders of dependencies; nil for none. They are called for paths outside of project only.
	dependencies []func() []string
	names        func(base string) bool // which files of dependencies may be shown
}

// NewReach returns the reach of everything in the folders, which are absolute.
func NewReach(folders ...string) *Reach {
	r := &Reach{}
	for _, f := range folders {
		r.project = append(r.project, RealFolders(f)...)
	}
	return r
}

// Depend adds folders of dependencies; in these, files may be shown whose base names are accepted by names. The first
// of folders is called for a path outside of the project, each further one when those before do not hold the path.
// Depend must be called before r is used.
func (r *Reach) Depend(names func(base string) bool, folders ...func() []string) {
	r.names, r.dependencies = names, folders
}

// Dependencies returns the folders of dependencies, the first ones first.
func (r *Reach) Dependencies() (out []string) {
	for _, folders := range r.dependencies {
		out = append(out, folders()...)
	}
	return out
}

// RealFolders returns a folder, and the folder behind its symbolic links where that is another. The second alone
// decides about what is read; the first lets a path be recognized without a look at the disk.
func RealFolders(dir string) []string {
	dir = filepath.Clean(dir)
	if real, err := filepath.EvalSymlinks(dir); err == nil && real != dir {
		return []string{dir, real}
	}
	return []string{dir}
}

// root returns the folder that lets a path be shown. It does not look at the disk.
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

// IsSystem reports whether a path is on a file system where reading asks the kernel or a device.
func IsSystem(path string) bool {
	return slices.ContainsFunc([]string{"/proc", "/sys", "/dev"}, func(dir string) bool { return Within(dir, path) })
}

// readText reads the text of a file that may be shown, and returns its path with links resolved. It opens the file
// below the folder that allows it, with an [os.Root], which no link leads out of: the file that was checked is the
// one that is read, whatever somebody replaces meanwhile.
func (r *Reach) readText(path string) (*Text, string, error) {
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
	f, info, err := openRegularBy(rel, root.Lstat, root.OpenFile)
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

// resolve returns the path with links resolved, and the folder that lets it be shown. It does not look at a path that
// may not be shown by its name alone.
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
