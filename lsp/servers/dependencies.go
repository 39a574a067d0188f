// Package dependencies reads which folders beside a project its files name as the places of dependencies.
package servers

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"lspi/internal/source"
)

// Rule is how the files of a project name folders beside it in which dependencies lie. In a trusted workspace the
// text of these is shown like that of other dependencies. A folder counts only when a manifest in it has the name
// that the project gives the dependency, and it and its manifest belong to this user: a path alone may name any
// folder.
type Rule uint8

// The rules, each with its reader of project files.
const (
	Go    Rule = iota + 1 // replace of go.mod and go.work, use of go.work
	Cargo                 // path of dependencies and patches in Cargo.toml, of crates on the way too
	Node                  // links in node_modules (npm link, file:, workspaces)
)

// maxEntries bounds the entries of a folder that are looked at.
const maxEntries = 1000

// maxLocal bounds the manifests that are read for one server.
const maxLocal = 256

// Local remembers the folders that a project names, until a file that decided about them changes.
type Local struct {
	rule    Rule
	folders func() []string // of the project
	reach   *source.Reach

	mu   sync.Mutex
	last *search // guarded by mu; immutable, nil before the first use
}

// New is what projects in folders, which reach holds, name by a rule.
func New(rule Rule, folders func() []string, reach *source.Reach) *Local {
	return &Local{rule: rule, folders: folders, reach: reach}
}

// Reader is [Local.Folders] of what projects in folders, which reach holds, name by the rule.
func (r Rule) Reader(folders func() []string, reach *source.Reach) func() []string {
	return New(r, folders, reach).Folders
}

// Folders are the folders, links resolved beside the names that they are known by.
func (l *Local) Folders() []string {
	l.mu.Lock()
	last := l.last
	l.mu.Unlock()
	if last != nil && last.current() {
		return last.dirs
	}
	now := &search{reach: l.reach, seen: map[string]fileState{}}
	for _, folder := range l.folders() {
		switch l.rule {
		case Go:
			now.goModules(folder)
		case Cargo:
			now.crates(folder)
		case Node:
			now.links(folder)
		}
	}
	l.mu.Lock()
	l.last = now
	l.mu.Unlock()
	return now.dirs
}

// search is one look at the project files.
type search struct {
	reach *source.Reach
	seen  map[string]fileState // of every file and folder that decided; those that are not there, too
	dirs  []string
}

// fileState tells whether a file or folder may hold something else than before.
type fileState struct {
	size    int64
	changed time.Time
	mode    fs.FileMode
}

func stateOf(path string) fileState {
	info, err := os.Stat(path)
	if err != nil {
		return fileState{}
	}
	return fileState{info.Size(), info.ModTime(), info.Mode()}
}

func (l *search) current() bool {
	for path, was := range l.seen {
		if stateOf(path) != was {
			return false
		}
	}
	return true
}

// read is the text of a project file; false when there is none, or it was read before, or too many were.
func (l *search) read(path string) ([]byte, bool) {
	if _, again := l.seen[path]; again || len(l.seen) >= maxLocal {
		return nil, false
	}
	l.seen[path] = stateOf(path)
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return nil, false
	}
	raw, err := source.ReadBytes(path)
	return raw, err == nil
}

// add adds the folder of a dependency whose manifest has the right name. Folders of the project need no adding.
func (l *search) add(manifest string) {
	dir := filepath.Dir(manifest)
	real, err := filepath.EvalSymlinks(dir)
	if err != nil || l.reach.Holds(real) || source.TooWide(real) || source.TooWide(dir) || !source.IsFolder(real) ||
		!source.OfThisUser(real) || !source.OfThisUser(manifest) {
		return
	}
	for _, dir := range source.RealFolders(dir) {
		if !slices.Contains(l.dirs, dir) {
			l.dirs = append(l.dirs, dir)
		}
	}
}
