package lsp

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"go.lsp.dev/uri"

	"lspi/disk"
	"lspi/lang/golang"
	"lspi/lsp/launch"
	"lspi/lsp/spec"
	"lspi/lsp/watch"
	"lspi/source"
)

// workCopies are the copies that one process uses. A nil workCopies makes none.
type workCopies struct {
	rule  *spec.WorkFile
	cache string // of this server

	mu    sync.Mutex
	names map[string][]renaming // what is told for the names of a file's copy, by file; guarded by mu; each list is immutable
	// modules are the go.mod files of the folders that a file uses; guarded by mu.
	modules map[string]bool
}

func newWorkCopies(o Options) *workCopies {
	if o.Spec.WorkFile == nil || o.Cache == "" {
		return nil
	}
	return &workCopies{rule: o.Spec.WorkFile, cache: filepath.Join(o.Cache, o.Spec.ID), names: map[string][]renaming{}, modules: map[string]bool{}}
}

// workFileSigns are the files that decide about the copy for a root: when one changes, comes or goes, only a new process uses another copy.
// In each folder from the root up one of the name counts, and where there is one, or at the root, what stands beside it, too.
func workFileSigns(w *spec.WorkFile, root string) (out []string) {
	if w == nil {
		return nil
	}
	for dir := root; ; dir = filepath.Dir(dir) {
		file := filepath.Join(dir, w.Name)
		out = append(out, file)
		if dir == root || disk.Exists(file) {
			out = append(out, filepath.Join(dir, w.Sum), filepath.Join(dir, filepath.FromSlash(w.Vendor)))
		}
		if filepath.Dir(dir) == dir {
			return out
		}
	}
}

// workFileOf is the one that counts for a root: that which the environment names, else the nearest above it; "" when there is none.
func workFileOf(w *spec.WorkFile, root string, env []string) string {
	switch given := launch.Variable(env, w.Variable); {
	case filepath.IsAbs(given):
		return given
	case given != "": // "off"
		return ""
	}
	for dir := root; ; dir = filepath.Dir(dir) {
		if path := filepath.Join(dir, w.Name); disk.Exists(path) {
			return path
		}
		if filepath.Dir(dir) == dir {
			return ""
		}
	}
}

// settings are the value of a section of the settings for one root with the copy in it, unless the user's configuration names
// a file there.
func (c *workCopies) settings(s *Server, root, section string, value any) any {
	if c == nil || section != c.rule.Section || root == "" {
		return value
	}
	given, _ := value.(map[string]any)
	if env, _ := given[c.rule.Env].(map[string]any); env[c.rule.Variable] != nil {
		return value
	}
	file := workFileOf(c.rule, root, launch.Environment(s.spec))
	if file == "" {
		return value
	}
	copied, err := c.make(file)
	if err != nil {
		s.log.Warn("a server writes into the project", "server_id", s.spec.ID, "error", err)
	}
	if copied == "" {
		return value
	}
	return spec.Merge(given, map[string]any{c.rule.Env: map[string]any{c.rule.Variable: copied}})
}

// make writes the copy of a file; "" when it needs none. A file that is broken, or uses a folder without a module, needs none:
// nothing is loaded by it, and what is wrong with it is told of the file itself.
func (c *workCopies) make(file string) (string, error) {
	text, ok := golang.AbsoluteWork(file)
	for _, folder := range golang.WorkFolders(file) {
		module := filepath.Join(folder, "go.mod")
		ok = ok && disk.Exists(module)
		c.mu.Lock()
		c.modules[module] = true
		c.mu.Unlock()
	}
	if !ok || disk.Exists(filepath.Join(filepath.Dir(file), filepath.FromSlash(c.rule.Vendor))) {
		return "", nil
	}
	dir, err := launch.CacheFolder(c.cache, file)
	if err != nil {
		return "", err
	}
	copied := filepath.Join(dir, c.rule.Name)
	if err := replaceFile(copied, text); err != nil {
		return "", err
	}
	beside := filepath.Join(dir, c.rule.Sum)
	if sum, err := source.ReadBytes(filepath.Join(filepath.Dir(file), c.rule.Sum)); err == nil {
		have, _ := os.ReadFile(beside)
		if err := replaceFile(beside, golang.JoinedSums(sum, have)); err != nil {
			return "", err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.names[file] = renamings(copied, file)
	return copied, nil
}

// outdated reports whether a module that a file uses came or went, so that another copy is due, or none.
func (c *workCopies) outdated(change watch.Change) bool {
	if c == nil || change.Kind == watch.Changed {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.modules[change.Path]
}

// replaceFile writes a file that others may read meanwhile; one that has this text stays as it is.
func replaceFile(path string, text []byte) error {
	if have, err := os.ReadFile(path); err == nil && bytes.Equal(have, text) {
		return nil
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".lspi-*")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// renaming is a name of a copy, and that of the file in the same form.
type renaming struct{ from, to []byte }

// renamings are those of a copy, in the forms in which messages hold them.
func renamings(copied, file string) []renaming {
	return []renaming{{[]byte(uri.File(copied)), []byte(uri.File(file))}, {inJSON(copied), inJSON(file)}}
}

// told is what the server says, with each copy called by the name of the file. Every notification comes here.
func (c *workCopies) told(params json.RawMessage) json.RawMessage {
	if c == nil {
		return params
	}
	c.mu.Lock()
	all := slices.Concat(slices.Collect(maps.Values(c.names))...)
	c.mu.Unlock()
	for _, name := range all {
		if bytes.Contains(params, name.from) {
			params = bytes.ReplaceAll(params, name.from, name.to)
		}
	}
	return params
}

// inJSON is a text as it stands within a JSON string.
func inJSON(text string) []byte {
	raw, err := json.Marshal(text)
	if err != nil {
		return []byte(text)
	}
	return raw[1 : len(raw)-1]
}

// followWork has a process ended when another copy is due for a root: the file, or one beside it, changed, came or went.
func (s *Server) followWork(j *watch.Journal, root string) {
	for _, path := range workFileSigns(s.spec.WorkFile, root) {
		if _, inside := source.RelativeTo(j.Root(), path); !inside {
			j.Extra(path)
		}
		s.foldersMu.Lock()
		if s.installs == nil {
			s.installs = map[string]bool{}
		}
		s.installs[path] = true
		s.foldersMu.Unlock()
	}
}
