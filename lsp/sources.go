package lsp

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"

	"lspi/contract"
)

// Sources says where the sources lie that the server answers about besides the project: dependencies, the standard library. Only
// these, and what is in the workspace, are read and shown; a server that was led elsewhere (a declaration map, an #include, a path
// in a build file of a workspace that is not trusted) gives away a path and a line, and no text. Nothing here runs code of the project.
type Sources struct {
	Folders []string // absolute, or below the user's home as "~/go/pkg/mod"; globs
	// Variables of the server's environment hold such folders, as PATH does; behind a slash stands what is below them that counts:
	// "CARGO_HOME/registry/src".
	Variables []string
	// Ask are command lines that print such folders, one a line; what is no folder is passed over. They run in the root of the
	// file system, so that no project decides.
	Ask [][]string
	// Program are globs below the folder of the server's executable: "../lib/clang/*/include".
	Program []string
	// Upward are names of folders of packages, in which the program itself lies or which stand above the project:
	// "node_modules".
	Upward []string
	// AnyName: the files there count by any name, and not by the server's extensions alone (<vector> of C++).
	AnyName bool
	// Extensions count there besides those that the server serves.
	Extensions []string
	// Local says by which files a trusted project names folders beside it; 0 where none do.
	Local LocalRule
}

// ErrOutsideSources is why a text was not read: it is neither in the workspace nor in [Sources] of the server.
var ErrOutsideSources = errors.New("outside of the workspace and of the known folders of dependencies")

// Reach are the files whose text may be read and shown. Safe for concurrent use.
type Reach struct {
	project []string // folders, links resolved; every regular file in them counts
	// of dependencies, in which names decides; nil when there are none. Called for paths outside of project only.
	dependencies func() []string
	local        func() []string // the same by [Sources.Local]; nil in a workspace that is not trusted
	names        func(base string) bool
}

// NewReach reaches what is in the folders, which are absolute.
func NewReach(folders ...string) *Reach {
	r := &Reach{}
	for _, f := range folders {
		r.project = append(r.project, realFolders(f)...)
	}
	return r
}

// realFolders is a folder as it is named, and without symbolic links where that is another; the latter alone decides about what is
// read, the former lets a path be recognized without a look at the disk.
func realFolders(dir string) []string {
	dir = filepath.Clean(dir)
	if real, err := filepath.EvalSymlinks(dir); err == nil && real != dir {
		return []string{dir, real}
	}
	return []string{dir}
}

// root is the folder that lets a path be shown, without a look at the disk.
func (r *Reach) root(path string) (string, bool) {
	in := func(dir string) bool { _, ok := Below(dir, path); return ok }
	if i := slices.IndexFunc(r.project, in); i >= 0 {
		return r.project[i], true
	}
	if r.dependencies == nil || !r.names(baseName(path)) || isSystem(path) {
		return "", false
	}
	for _, folders := range []func() []string{r.dependencies, r.local} {
		if folders == nil {
			continue
		}
		all := folders()
		if i := slices.IndexFunc(all, in); i >= 0 {
			return all[i], true
		}
	}
	return "", false
}

// isSystem reports whether a path is of a file system in which reading is a question to the kernel or a device.
func isSystem(path string) bool {
	return slices.ContainsFunc([]string{"/proc", "/sys", "/dev"}, func(dir string) bool { _, ok := Below(dir, path); return ok || path == dir })
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
	rel, _ := Below(dir, real)
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

// foldersOf are the server's folders as they are now.
func foldersOf(s *Server) []string {
	s.foldersMu.Lock()
	defer s.foldersMu.Unlock()
	return slices.Clone(s.folders)
}

func outsideSources(path string) error {
	return contract.Errorf(contract.KindOutsideWorkspace, contract.Facts{"file_path": path, "roots": []string{}},
		"%s is not read: it is %w", path, ErrOutsideSources)
}

// reachOf is what a server may be shown to read: the workspace's folders, its own, and its dependencies.
func reachOf(s *Server, folders []string) *Reach {
	r := NewReach(append(slices.Clone(folders), s.folders...)...)
	if from := s.spec.Sources; from != nil {
		r.dependencies = sync.OnceValue(func() []string { return from.folders(s) })
		if from.Local != 0 && len(s.spec.Untrusted) == 0 {
			project := *r
			r.local = (&locals{rule: from.Local, folders: func() []string { return foldersOf(s) }, reach: &project}).dirs
		}
		r.names = func(base string) bool { return from.AnyName || s.spec.Serves(base) || from.hasExtension(base) }
	}
	return r
}

func (f *Sources) hasExtension(base string) bool {
	return slices.ContainsFunc(f.Extensions, func(ext string) bool { return filepath.Ext(base) == "."+ext })
}
