package lsp

import (
	"path/filepath"
	"slices"
	"sync"
	"unicode/utf8"

	"lspi/lsp/watch"
	"lspi/source"
)

// unreadable remembers which files of the tree no server can know: those that this user may not read, and those whose name
// cannot be written as a URI.
type unreadable struct {
	mu     sync.Mutex
	listed bool            // guarded by mu
	dirty  map[string]bool // changed since the files were listed; guarded by mu
	files  map[string]bool // guarded by mu
}

// changed notes what a sync saw: a change of mode is one.
func (u *unreadable) changed(changes []watch.Change) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if !u.listed {
		return
	}
	for _, c := range changes {
		u.dirty[c.Path] = true
	}
}

// Unreadable are the sources below a root that the server does not know because they cannot be read, or because their name
// is not UTF-8, sorted. What the language leaves out of every build does not count.
func (s *Server) Unreadable(root string) (out []string) {
	u := &s.unreadable
	u.mu.Lock()
	defer u.mu.Unlock()
	if !u.listed {
		u.listed, u.files, u.dirty = true, map[string]bool{}, map[string]bool{}
		for path := range s.journal.Files() {
			u.look(s, path)
		}
	}
	for path := range u.dirty {
		u.look(s, path)
	}
	clear(u.dirty)
	for path := range u.files {
		below, ok := source.RelativeTo(root, path)
		if !ok || s.skipped(root, path) || s.neverBuilt(below) {
			continue
		}
		out = append(out, path)
	}
	slices.Sort(out)
	return out
}

// Unlistable are the folders below a root of which nobody knows what sources they hold, because this user may not list or enter
// them, sorted. Those that the language leaves out of every build do not count, nor those that begin with a dot.
func (s *Server) Unlistable(root string) (out []string) {
	for _, path := range s.journal.Closed() {
		below, ok := source.RelativeTo(root, path)
		if ok && baseName(path)[0] != '.' && !s.skipped(root, path) && !s.neverBuilt(filepath.Join(below, "any")) {
			out = append(out, path)
		}
	}
	return out
}

// look decides about one file. It needs mu.
func (u *unreadable) look(s *Server, path string) {
	delete(u.files, path)
	if s.spec.sourceID(baseName(path)) && (!utf8.ValidString(path) && exists(path) || mayNotRead(path)) {
		u.files[path] = true
	}
}

// neverBuilt reports whether the language says that no build looks at a path.
func (s *Server) neverBuilt(rel string) bool {
	return s.leftOut.rules != nil && s.leftOut.rules.place(rel) == byDesign
}

// sourceID reports whether a file of this name is a source of the server's languages, and no file that only stands beside
// them. Editors keep locks and copies beside a file by names that begin with a dot.
func (s *Spec) sourceID(base string) bool {
	return s.Serves(base) && filepath.Ext(base) != "" && base[0] != '.'
}
