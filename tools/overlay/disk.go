package overlay

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"lspi/internal/source"
	"lspi/lsp/spec"
)

// What a file says that a server does not serve, or sees only when it is on disk, its sources may depend on all the
// same: a project file, data that they import, a new source that imports now lead to. An overlay does not show
// that.

// DiskChange is an edit of one file as others see it.
type DiskChange struct {
	Path  string
	New   bool   // it is not there yet
	After string // its text then
}

// DiskDependents are the sources of a server that may depend on a file by what is on disk.
type DiskDependents struct {
	By    Dependence
	Files []string // absolute, sorted
}

// Dependence is how sources depend on a file that is on disk.
type Dependence string

// The ways to depend on a file.
const (
	DependsNot       Dependence = ""
	DependsOnProject Dependence = "project_file" // the project is loaded by it
	DependsOnData    Dependence = "data_file"    // sources name it
	DependsOnNew     Dependence = "new_file"     // imports may lead to it
)

// FindDiskDependents finds the sources of a server, of all files of the workspace at top, that may depend on a
// change on disk. texts are the new texts of all files that are edited together; rootOf is the root that the server
// serves a file under.
func FindDiskDependents(spec *spec.Spec, top string, all []string, texts map[string]string, change DiskChange,
	rootOf func(path string) string) DiskDependents {
	d := &diskDependents{spec: spec, texts: texts, change: change, rootOf: rootOf}
	for _, path := range all {
		switch {
		// The file itself is compared anyway; what a build or a package manager wrote depends on it in ways that no
		// edit of the project decides.
		case path == change.Path, passedOver(spec, top, path):
		case spec.Serves(filepath.Base(path)):
			d.sources = append(d.sources, path)
		case d.loadedBy(path):
			d.projects = append(d.projects, path)
		}
	}
	if len(d.sources) == 0 {
		return DiskDependents{}
	}
	// The strongest dependence is told and the others are left out: whoever compares on disk for it sees their
	// effect as well.
	if files := d.ofProject(); len(files) > 0 {
		return DiskDependents{DependsOnProject, files}
	}
	if files := d.ofData(); len(files) > 0 {
		return DiskDependents{DependsOnData, files}
	}
	if files := d.ofNew(); len(files) > 0 {
		return DiskDependents{DependsOnNew, files}
	}
	return DiskDependents{}
}

// passedOver reports whether a file lies in a folder of dependencies or of a build.
func passedOver(spec *spec.Spec, top, path string) bool {
	below, _ := source.RelativeTo(top, filepath.Dir(path))
	return slices.ContainsFunc(strings.Split(filepath.ToSlash(below), "/"), func(dir string) bool {
		return slices.Contains(spec.SkipDirs, dir)
	})
}

// diskDependents is the state of one search. Texts are read with the edit in them.
type diskDependents struct {
	spec     *spec.Spec
	texts    map[string]string
	change   DiskChange
	rootOf   func(string) string
	sources  []string
	projects []string // project files
}

// loadedBy reports whether a project is loaded by a file.
func (d *diskDependents) loadedBy(path string) bool {
	name, s := filepath.Base(path), d.spec
	return s.IsProjectFile(name) || slices.Contains(s.Freshness.RestartOn, name) ||
		slices.Contains(s.Readiness.Reloads, name) ||
		s.Packages != nil && name == s.Packages.Manifest || s.Project != nil &&
		(slices.Contains(s.Project.Flags, name) || slices.Contains(s.Project.Single, name))
}

// ofProject are the sources of projects that are loaded by the file, or by one that names it (tsconfig.json extends
// another one).
func (d *diskDependents) ofProject() []string {
	var loaded []string
	if d.loadedBy(d.change.Path) {
		loaded = append(loaded, d.change.Path)
	}
	name := filepath.Base(d.change.Path)
	for _, path := range d.projects {
		// which lists what to publish
		manifest := d.spec.Packages != nil && filepath.Base(path) == d.spec.Packages.Manifest
		// Project files extend others of their own format (tsconfig.base.json); a name in another format is a
		// coincidence.
		if !d.spec.Serves(name) && !manifest && filepath.Ext(path) == filepath.Ext(name) && d.holds(path, name) {
			loaded = append(loaded, path)
		}
	}
	if len(loaded) == 0 {
		return nil
	}
	pkg := d.packageName()
	return d.which(func(path string) bool {
		return slices.ContainsFunc(loaded, func(by string) bool {
			_, below := source.RelativeTo(filepath.Dir(by), path)
			_, inside := source.RelativeTo(d.rootOf(path), by)
			// Sources below the project file, and those whose root it lies in: either may be loaded by it.
			return below || inside
		}) || pkg != "" && d.holds(path, pkg)
	})
}

// packageName is how others import the package whose manifest is changed.
func (d *diskDependents) packageName() string {
	if d.spec.Packages == nil || filepath.Base(d.change.Path) != d.spec.Packages.Manifest {
		return ""
	}
	var m struct{ Name string }
	// A manifest that does not parse has no name; that it is broken is the server's to tell.
	_ = json.Unmarshal([]byte(d.change.After), &m)
	return m.Name
}

// ofData are the sources that name the file, and those that import them.
func (d *diskDependents) ofData() []string {
	name := filepath.Base(d.change.Path)
	if d.spec.Serves(name) && !d.spec.Diagnostics.Apart || !slices.ContainsFunc(d.spec.Diagnostics.DataFiles,
		func(glob string) bool {
			return doublestar.MatchUnvalidated(glob, name)
		}) {
		return nil
	}
	// A data file is a schema there only when a source names it as one.
	if d.spec.Diagnostics.Apart { // it reads schemas
		return d.which(func(path string) bool { return d.namesSchema(path, name) })
	}
	return d.importing(d.which(func(path string) bool { return d.holds(path, name) }))
}

// ofNew are the sources whose imports may lead to a new one, and those that import them.
func (d *diskDependents) ofNew() []string {
	means := d.spec.Diagnostics
	if !d.change.New || !d.spec.Serves(filepath.Base(d.change.Path)) || !means.FilesOnDisk {
		return nil
	}
	// Nobody can say which imports lead to it, or it declares for all files: any source may depend on it.
	if means.Imports == nil || means.Global != nil && means.Global(filepath.Base(d.change.Path), d.change.After) {
		return d.sources
	}
	reached := d.importing([]string{d.change.Path})
	return slices.DeleteFunc(reached, func(path string) bool { return path == d.change.Path })
}

// importing are files, and the sources that come to one of them by what they import, going by names.
func (d *diskDependents) importing(files []string) []string {
	if d.spec.Diagnostics.Imports == nil || len(files) == 0 {
		return files
	}
	users := map[string][]string{} // by the names that they import
	for _, path := range d.sources {
		for _, name := range d.spec.Diagnostics.Imports(d.text(path)) {
			users[name] = append(users[name], path)
		}
	}
	seen := map[string]bool{}
	for next := files; len(next) > 0; {
		path := next[len(next)-1]
		next = next[:len(next)-1]
		if seen[path] {
			continue
		}
		seen[path] = true
		for _, name := range importNames(path) {
			next = append(next, users[name]...)
			// Each name is followed once, so that files which import each other end the walk.
			delete(users, name)
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// importNames are the words by which imports name a file: its name, or those of the folders above where that is a
// usual one.
func importNames(path string) []string {
	name, _, _ := strings.Cut(filepath.Base(path), ".")
	out := []string{name}
	if slices.Contains(folderNames, name) {
		for dir := filepath.Dir(path); len(out) < 4; dir = filepath.Dir(dir) {
			out = append(out, filepath.Base(dir))
		}
	}
	return out
}

// which are the sources for which may holds, sorted.
func (d *diskDependents) which(may func(string) bool) (out []string) {
	for _, path := range d.sources {
		if may(path) {
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return out
}

func (d *diskDependents) holds(path, name string) bool { return strings.Contains(d.text(path), name) }

// namesSchema reports whether a file names another one as its schema, which servers of YAML and JSON read.
func (d *diskDependents) namesSchema(path, name string) bool {
	for line := range strings.Lines(d.text(path)) {
		if strings.Contains(line, "$schema") && strings.Contains(line, name) {
			return true
		}
	}
	return false
}

// text is that of a file behind the edit; "" when it cannot be read.
func (d *diskDependents) text(path string) string {
	// The import may be part of the same edit.
	if text, edited := d.texts[path]; edited {
		return text
	}
	text, err := source.Read(path)
	if err != nil {
		return ""
	}
	return text.Content()
}
