package lsp

import (
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"unicode/utf8"

	"lspi/internal/source"
	"lspi/lsp/watch"
)

// unreadableFiles remembers which files of the tree no server can know: those that this user may not read, and those
// whose name cannot be written as a URI.
type unreadableFiles struct {
	mu       sync.Mutex
	counting bool            // changes count from now on; guarded by mu
	all      bool            // every file of the tree was looked at; guarded by mu
	dirty    map[string]int  // how often a file changed since it was looked at; guarded by mu
	files    map[string]bool // guarded by mu
}

// changed notes the changes that a sync found; a change of mode is one.
func (u *unreadableFiles) changed(changes []watch.Change) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if !u.counting {
		return
	}
	for _, c := range changes {
		u.dirty[c.Path]++
	}
}

// begin returns what has to be looked at: all files the first time, later those that changed.
func (u *unreadableFiles) begin() (all bool, dirty map[string]int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if !u.counting {
		u.counting, u.files, u.dirty = true, map[string]bool{}, map[string]int{}
	}
	return !u.all, maps.Clone(u.dirty)
}

// looked stores which of the files of begin are unreadable, and returns all that are. A file that changed since begin
// stays dirty, and is looked at again by the next question.
func (u *unreadableFiles) looked(dirty map[string]int, unreadable map[string]bool) (files []string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for path, bad := range unreadable {
		if delete(u.files, path); bad {
			u.files[path] = true
		}
	}
	for path, n := range dirty {
		if u.dirty[path] == n {
			delete(u.dirty, path)
		}
	}
	u.all = true
	return slices.Collect(maps.Keys(u.files))
}

// WasUnreadable reports whether a file could not be read when [Unreadable] was asked last. It says nothing of files
// that changed since.
func (s *Server) WasUnreadable(path string) bool {
	u := s.tree.unreadable
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.files[path]
}

// LacksUnreadable is a function that reports whether there were such files. It may be called when the process has
// ended, and keeps nothing else of it.
func (s *Server) LacksUnreadable() func() bool {
	u := s.tree.unreadable
	return func() bool {
		u.mu.Lock()
		defer u.mu.Unlock()
		return len(u.files) > 0
	}
}

// Unreadable are the sources below a root that the server does not know because they cannot be read, or because
// their name is not UTF-8, sorted. What the language leaves out of every build does not count.
func Unreadable(s *Server, root string) (out []string) {
	all, dirty := s.tree.unreadable.begin()
	seen := map[string]bool{}
	for path := range dirty {
		seen[path] = unknowable(s, path)
	}
	if all {
		for path := range s.Journal().Files() {
			if bad := unknowable(s, path); bad {
				seen[path] = true
			}
		}
	}
	for _, path := range s.tree.unreadable.looked(dirty, seen) {
		below, ok := source.RelativeTo(root, path)
		if !ok || s.Folders().Skips(root, path) || s.projects.neverBuilt(below) {
			continue
		}
		out = append(out, path)
	}
	slices.Sort(out)
	return out
}

// Unlistable are the folders below a root of which nobody knows what sources they hold, because this user may not
// list or enter them, sorted. Those that the language leaves out of every build do not count, nor those that begin
// with a dot.
func Unlistable(s *Server, root string) (out []string) {
	for _, path := range s.Journal().Closed() {
		below, ok := source.RelativeTo(root, path)
		if ok && filepath.Base(path)[0] != '.' && !s.Folders().Skips(root, path) &&
			!s.projects.neverBuilt(filepath.Join(below, "any")) {
			out = append(out, path)
		}
	}
	return out
}

// unknowable reports whether a file is a source that nobody can read or name.
func unknowable(s *Server, path string) bool {
	return s.Spec().SourceID(filepath.Base(path)) && (!utf8.ValidString(path) && source.Exists(path) ||
		mayNotRead(path))
}
