package overlay

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp/spec"
)

// Sources may depend on a file that a server does not serve, or sees only when it is on disk: a project file, data that
// they import, a new source to which imports lead now. An overlay does not show such a change to the server, so it can
// only be compared on disk.

// DiskChange is an edit of one file as others see it on disk.
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

// FindDiskDependents finds the sources of a server, among all files of the workspace at top, that may
// depend on a change on disk. texts are the new texts of all files that are edited together; rootOf
// returns the root under which the server serves a file.
func FindDiskDependents(spec *spec.Spec, top string, all []string, texts map[string]string, change DiskChange,
	rootOf func(path string) string) DiskDependents {
	d := &diskSearch{spec: spec, texts: texts, change: change, rootOf: rootOf}
	for _, path := range all {
		switch {
		// The file itself is compared anyway; what a build or a package manager wrote depends on it in ways that no
		// edit of the project decides.
		case path == change.Path, passedOver(spec, top, path):
		case spec.Serves(filepath.Base(path)):
			d.sources = append(d.sources, path)
		case spec.LoadedBy(filepath.Base(path)):
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

// diskSearch is the state of one search. Texts are read as they would be with the edit.
type diskSearch struct {
	spec     *spec.Spec
	texts    map[string]string
	change   DiskChange
	rootOf   func(string) string
	sources  []string
	projects []string // the project files among all
}

// ofProject returns the sources of projects that are loaded by the changed file, or by one that names
// it (a tsconfig.json that extends another).
func (d *diskSearch) ofProject() []string {
	var loaded []string
	if d.spec.LoadedBy(filepath.Base(d.change.Path)) {
		loaded = append(loaded, d.change.Path)
	}
	name := filepath.Base(d.change.Path)
	for _, path := range d.projects {
		// The manifest of the packages lists what to publish.
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

// packageName returns the name under which others import the package whose manifest changes; "" for any
// other change.
func (d *diskSearch) packageName() string {
	if d.spec.Packages == nil || filepath.Base(d.change.Path) != d.spec.Packages.Manifest {
		return ""
	}
	var m struct{ Name string }
	// A manifest that does not parse has no name; that it is broken is the server's to tell.
	_ = json.Unmarshal([]byte(d.change.After), &m)
	return m.Name
}

// ofData returns the sources that name the changed data file, and those that import them.
func (d *diskSearch) ofData() []string {
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

// ofNew returns the sources whose imports may lead to a new source, and those that import them.
func (d *diskSearch) ofNew() []string {
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

// importing returns files and the sources that come to one of them by their imports, going by names
// alone.
func (d *diskSearch) importing(files []string) []string {
	imports := d.spec.Diagnostics.Imports
	if imports == nil || len(files) == 0 {
		return files
	}
	return slices.Sorted(maps.Keys(lang.Importing(files, d.sources, func(path string) []string {
		return imports(d.text(path))
	})))
}

// which returns the sources for which may is true, sorted.
func (d *diskSearch) which(may func(string) bool) (out []string) {
	for _, path := range d.sources {
		if may(path) {
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return out
}

// holds reports whether a file holds a name, as a part of a word, too: project files quote paths.
func (d *diskSearch) holds(path, name string) bool { return strings.Contains(d.text(path), name) }

// namesSchema reports whether a file of YAML or JSON names another one as its schema.
func (d *diskSearch) namesSchema(path, name string) bool {
	for line := range strings.Lines(d.text(path)) {
		if strings.Contains(line, "$schema") && strings.Contains(line, name) {
			return true
		}
	}
	return false
}

// text returns the text of a file as it is with the edit; "" when it cannot be read.
func (d *diskSearch) text(path string) string {
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
