// Package compdb reads compilation databases (compile_commands.json, JSON Compilation Database Format), and the
// index that clangd makes by them.
package clangd

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sync"

	"lspi/internal/source"
)

// Files visits the files of a database until visit reports false; false when the database cannot be read to its end.
func Files(database string, visit func(path string) bool) bool {
	return Entries(database, func(path string, _ []byte) bool { return visit(path) })
}

// Entries is [Files] with the whole entry of each file.
func Entries(database string, visit func(path string, entry []byte) bool) bool {
	f, _, err := source.OpenRegular(database)
	if err != nil {
		return false
	}
	defer f.Close()
	dec := json.NewDecoder(f)
	if _, err := dec.Token(); err != nil {
		return false
	}
	for dec.More() {
		var entry struct {
			Directory string `json:"directory"`
			File      string `json:"file"`
		}
		var raw json.RawMessage
		if dec.Decode(&raw) != nil || json.Unmarshal(raw, &entry) != nil {
			return false
		}
		if !filepath.IsAbs(entry.File) {
			entry.File = filepath.Join(entry.Directory, entry.File)
		}
		if !visit(entry.File, raw) {
			return true
		}
	}
	_, err = dec.Token() // half a list may end behind an entry
	return err == nil
}

// lists remembers the compilation databases that were read.
type lists struct {
	mu    sync.Mutex
	known map[string]readList // by path; guarded by mu
}

// readList is what one version of a database lists.
type readList struct {
	info  os.FileInfo
	files []string
	whole bool // it can be read to its end
}

// list is the compilation database of a root; path is "" when there is none.
func (a *Process) database(root string) (path string, list readList) {
	dir, p := a.Server.Projects().Folder(root), a.Server.Spec().Project
	if dir == "" || p == nil {
		return "", readList{}
	}
	// The first file of the row is the list; the others hold flags, which need no form.
	path = filepath.Join(dir, p.Files[0])
	info, err := os.Stat(path)
	if err != nil {
		return "", readList{}
	}
	l := &a.lists
	l.mu.Lock()
	list, ok := l.known[path]
	l.mu.Unlock()
	if ok && list.info.ModTime().Equal(info.ModTime()) && list.info.Size() == info.Size() {
		return path, list
	}
	// Read without the lock: a list may have 64 MB. Two callers may read it at the same time, and find the same.
	list = readList{info: info}
	list.whole = Files(path, func(file string) bool {
		if here, ok := a.Server.Spec().Elsewhere.Paths.Here(file); ok {
			file = here // it was made where the server runs
		}
		list.files = append(list.files, filepath.Clean(file))
		return true
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known == nil {
		l.known = map[string]readList{}
	}
	l.known[path] = list
	return path, list
}

// brokenProject is [lsp.ProjectHooks].BrokenProject: clangd goes on without a list that it cannot read, and gives
// no sign of an index; and without the index that others made.
func (a *Process) brokenProject(root string) string {
	if path, list := a.database(root); path != "" && !list.whole {
		return filepath.Base(path) + " is not a list of compile commands in JSON, or ends in the middle"
	}
	return a.lacksExternal()
}

// First are the first n files of a database that exist.
func First(database string, n int) []string {
	var out []string
	Files(database, func(path string) bool {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			out = append(out, path)
		}
		return len(out) < n
	})
	return out
}
