package lsp

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"lspi/source"
)

// What a file says that a server does not serve, or sees only when it is on disk, its sources may notice all the same: a project file,
// data that they import, a new source that imports now lead to.

// DiskChange is an edit of one file as others see it.
type DiskChange struct {
	Path  string
	New   bool   // it is not there yet
	After string // its text then
}

// Noticed says which sources of a server may notice a change.
type Noticed struct {
	By    Notice
	Files []string // absolute, sorted
}

// Notice is by what sources notice a change.
type Notice string

// The ways to notice a change.
const (
	NoticeNone    Notice = ""
	NoticeProject Notice = "project_file" // the project is loaded by it
	NoticeData    Notice = "data_file"    // sources name it
	NoticeNew     Notice = "new_file"     // imports may lead to it
)

// Noticing finds the sources of a server, of all files of the workspace at top, that may notice a change. texts are the new texts of all
// files that are edited together; rootOf is the root that the server serves a file under.
func Noticing(spec *Spec, top string, all []string, texts map[string]string, change DiskChange, rootOf func(path string) string) Noticed {
	w := &noticing{spec: spec, texts: texts, change: change, rootOf: rootOf}
	for _, path := range all {
		switch {
		case path == change.Path, passedOver(spec, top, path):
		case spec.Serves(baseName(path)):
			w.sources = append(w.sources, path)
		case w.loadedBy(path):
			w.projects = append(w.projects, path)
		}
	}
	if len(w.sources) == 0 {
		return Noticed{}
	}
	if files := w.ofProject(); len(files) > 0 {
		return Noticed{NoticeProject, files}
	}
	if files := w.ofData(); len(files) > 0 {
		return Noticed{NoticeData, files}
	}
	if files := w.ofNew(); len(files) > 0 {
		return Noticed{NoticeNew, files}
	}
	return Noticed{}
}

// passedOver reports whether a file lies in a folder of dependencies or of a build.
func passedOver(spec *Spec, top, path string) bool {
	below, _ := source.RelativeTo(top, filepath.Dir(path))
	return slices.ContainsFunc(strings.Split(filepath.ToSlash(below), "/"), func(dir string) bool { return slices.Contains(spec.SkipDirs, dir) })
}

type noticing struct {
	spec     *Spec
	texts    map[string]string
	change   DiskChange
	rootOf   func(string) string
	sources  []string
	projects []string // project files
}

// loadedBy reports whether a project is loaded by a file.
func (w *noticing) loadedBy(path string) bool {
	name, s := baseName(path), w.spec
	return s.IsProjectFile(name) || slices.Contains(s.Freshness.RestartOn, name) || slices.Contains(s.Readiness.Reloads, name) ||
		s.Packages != nil && name == s.Packages.Manifest || s.Project != nil && (slices.Contains(s.Project.Flags, name) || slices.Contains(s.Project.Single, name))
}

// ofProject are the sources of projects that are loaded by the file, or by one that names it (tsconfig.json extends another one).
func (w *noticing) ofProject() []string {
	var loaded []string
	if w.loadedBy(w.change.Path) {
		loaded = append(loaded, w.change.Path)
	}
	name := baseName(w.change.Path)
	for _, path := range w.projects {
		manifest := w.spec.Packages != nil && baseName(path) == w.spec.Packages.Manifest // which lists what to publish
		if !w.spec.Serves(name) && !manifest && filepath.Ext(path) == filepath.Ext(name) && w.holds(path, name) {
			loaded = append(loaded, path)
		}
	}
	if len(loaded) == 0 {
		return nil
	}
	pkg := w.packageName()
	return w.which(func(path string) bool {
		return slices.ContainsFunc(loaded, func(by string) bool {
			_, below := source.RelativeTo(filepath.Dir(by), path)
			_, inside := source.RelativeTo(w.rootOf(path), by)
			return below || inside
		}) || pkg != "" && w.holds(path, pkg)
	})
}

// packageName is how others import the package whose manifest is changed.
func (w *noticing) packageName() string {
	if w.spec.Packages == nil || baseName(w.change.Path) != w.spec.Packages.Manifest {
		return ""
	}
	var m struct{ Name string }
	_ = json.Unmarshal([]byte(w.change.After), &m)
	return m.Name
}

// ofData are the sources that name the file, and those that import them.
func (w *noticing) ofData() []string {
	name := baseName(w.change.Path)
	if w.spec.Serves(name) && !w.spec.Diagnostics.Apart || !slices.ContainsFunc(w.spec.Diagnostics.DataFiles, func(g string) bool { return match(g, name) }) {
		return nil
	}
	if w.spec.Diagnostics.Apart { // it reads schemas
		return w.which(func(path string) bool { return w.namesSchema(path, name) })
	}
	return w.importing(w.which(func(path string) bool { return w.holds(path, name) }))
}

// ofNew are the sources whose imports may lead to a new one, and those that import them.
func (w *noticing) ofNew() []string {
	d := w.spec.Diagnostics
	if !w.change.New || !w.spec.Serves(baseName(w.change.Path)) || !d.FilesOnDisk && !d.NewOnDisk {
		return nil
	}
	if d.Imports == nil || d.Global != nil && d.Global(baseName(w.change.Path), w.change.After) {
		return w.sources
	}
	reached := w.importing([]string{w.change.Path})
	return slices.DeleteFunc(reached, func(path string) bool { return path == w.change.Path })
}

// importing are files, and the sources that come to one of them by what they import, going by names.
func (w *noticing) importing(files []string) []string {
	if w.spec.Diagnostics.Imports == nil || len(files) == 0 {
		return files
	}
	users := map[string][]string{} // by the names that they import
	for _, path := range w.sources {
		for _, name := range w.spec.Diagnostics.Imports(w.text(path)) {
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
			delete(users, name)
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// importNames are the words by which imports name a file: its name, or those of the folders above where that is a usual one.
func importNames(path string) []string {
	name, _, _ := strings.Cut(baseName(path), ".")
	out := []string{name}
	if slices.Contains(folderNames, name) {
		for dir := filepath.Dir(path); len(out) < 4; dir = filepath.Dir(dir) {
			out = append(out, baseName(dir))
		}
	}
	return out
}

func (w *noticing) which(may func(string) bool) (out []string) {
	for _, path := range w.sources {
		if may(path) {
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return out
}

func (w *noticing) holds(path, name string) bool { return strings.Contains(w.text(path), name) }

func (w *noticing) namesSchema(path, name string) bool {
	for line := range strings.Lines(w.text(path)) {
		if strings.Contains(line, "$schema") && strings.Contains(line, name) {
			return true
		}
	}
	return false
}

// text is that of a file behind the edit; "" when it cannot be read.
func (w *noticing) text(path string) string {
	if text, edited := w.texts[path]; edited {
		return text
	}
	text, err := source.Read(path)
	if err != nil {
		return ""
	}
	return text.Content()
}
