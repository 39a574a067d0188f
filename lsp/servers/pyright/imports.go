package pyright

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp/watch"
)

// The folders of installed packages are ignored by git and may be outside of the workspace. Pyright notices there what
// comes and goes, and not a file that is written in place. Of what lies outside of its root it drops every change that
// it is told of, though it reads files there by search paths (1.1.414).

// maxInstalled bounds the files of installed packages that are followed. Those of a package beyond it are not: what
// changes packages in place writes small ones (stubs, generated clients).
const maxInstalled = 4000

// imports are what sources import.
type imports struct {
	began   time.Time           // of the process
	sources map[string][]string // those that lspi follows, by the name of their module; nil when they have to be listed
	looked  map[string]bool     // sources whose imports are followed
	names   map[string]bool     // of packages that are followed
	files   int                 // of these
	said    map[string][]string // the words by which sources import, as far as they were read
	unseen  bool                // a change that only a new process sees
}

// importsChanged notes what a sync saw.
func (a *Process) importsChanged(changes []watch.Change) {
	m := &a.imports
	var outside []string
	for _, c := range changes {
		delete(m.looked, c.Path)
		delete(m.said, c.Path)
		if c.Kind != watch.Changed {
			m.sources = nil
		}
		if a.Server.Spec().Serves(filepath.Base(c.Path)) && !a.Server.Folders().Inside(c.Path) {
			outside = append(outside, c.Path)
		}
	}
	m.unseen = m.unseen || a.imported(outside)
}

// needsRestart is [lsp.SyncHooks].NeedsRestart.
func (a *Process) needsRestart([]watch.Change) bool { return a.imports.unseen }

// imported reports whether sources of the project come to one of these files, which lie outside of it, by what they and
// others import. One that lspi does not follow as a source is of a package that they import.
func (a *Process) imported(files []string) bool {
	if len(files) == 0 {
		return false
	}
	m := &a.imports
	if m.said == nil {
		m.said = map[string][]string{}
	}
	var sources []string
	for path := range a.Server.Journal().Files() {
		if a.Server.Spec().Serves(filepath.Base(path)) {
			sources = append(sources, path)
		}
	}
	users := lang.Importing(files, sources, func(path string) []string {
		said, read := m.said[path]
		if text, err := source.Read(path); !read && err == nil {
			said = lang.PythonImports(text.Content())
			m.said[path] = said
		}
		return said
	})
	for path := range users {
		if a.Server.Folders().Inside(path) {
			return true
		}
	}
	return slices.ContainsFunc(files, func(path string) bool {
		_, below := source.RelativeTo(a.Server.Journal().Root(), path)
		return !below || a.Server.Folders().Skips(a.Server.Journal().Root(), path)
	})
}

// followImports is [lsp.SyncHooks].FollowIncludes: it has the installed packages followed that a source imports, over
// other sources too.
func (a *Process) followImports(path string) {
	m := &a.imports
	if m.looked == nil {
		m.looked, m.names = map[string]bool{}, map[string]bool{}
	}
	folders := sync.OnceValue(func() []string {
		installed := a.Server.Spec().Installed(a.Server.Root())
		for _, dir := range slices.Clone(installed) {
			installed = append(installed, slices.Concat(listedIn(dir), found(dir))...)
		}
		return installed
	})
	for next := []string{path}; len(next) > 0; next = next[1:] {
		if m.looked[next[0]] {
			continue
		}
		m.looked[next[0]] = true
		text, err := a.Server.Documents().Load(next[0])
		if err != nil {
			continue
		}
		for _, name := range lang.PythonImports(text.Content()) {
			if m.names[name] {
				continue
			}
			if own := a.modules()[name]; len(own) > 0 {
				next = append(next, own...)
				continue
			}
			m.names[name] = true
			a.followPackage(folders(), name)
		}
	}
}

// modules are the sources that lspi follows, by the name of their module; those of a package by that of its folder.
func (a *Process) modules() map[string][]string {
	m := &a.imports
	if m.sources == nil {
		m.sources = map[string][]string{}
		for path := range a.Server.Journal().Files() {
			base := filepath.Base(path)
			if !a.Server.Spec().Serves(base) {
				continue
			}
			name := strings.TrimSuffix(base, filepath.Ext(base))
			if name == "__init__" {
				name = filepath.Base(filepath.Dir(path))
			}
			m.sources[name] = append(m.sources[name], path)
		}
	}
	return m.sources
}

// followPackage has the journal follow the sources of a package or module that is installed in one of some folders.
func (a *Process) followPackage(folders []string, name string) {
	var files []string
	for _, folder := range folders {
		for _, top := range []string{name, name + "-stubs", name + ".py", name + ".pyi"} {
			_ = filepath.WalkDir(filepath.Join(folder, top), func(path string, d fs.DirEntry, err error) error {
				switch {
				case err != nil: // most often there is none
					return nil
				case a.imports.files+len(files) >= maxInstalled:
					return fs.SkipAll
				case d.IsDir() && d.Name() == "__pycache__":
					return fs.SkipDir
				case !d.IsDir() && a.Server.Spec().Serves(d.Name()):
					files = append(files, path)
				}
				return nil
			})
		}
	}
	a.imports.files += len(files)
	a.Server.Journal().ExtraRead(a.imports.began, files...)
}
