package gopls

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"go.lsp.dev/uri"

	"lspi/internal/lang/golang"
	"lspi/internal/source"
	"lspi/lsp/launch"
	"lspi/lsp/spec"
	"lspi/lsp/watch"
)

// The go command writes a go.work.sum beside the go.work that it uses, whatever gopls tells it. So gopls is given a
// copy of the go.work in lspi's cache, by the variable GOWORK, and what is written beside it is there. Where the
// modules are vendored (vendor/modules.txt) nothing is written, and no copy is made.
const (
	workSums     = "go.work.sum"
	workVariable = "GOWORK"
)

// workCopies are the copies of go.work files that one process uses. A nil workCopies makes none.
type workCopies struct {
	cache string // of this server

	mu sync.Mutex
	// what is told for the names of a file's copy, by file; guarded by mu; each list is immutable
	names map[string][]renaming
	// modules are the go.mod files of the folders that a file uses; guarded by mu.
	modules map[string]bool
}

// newWorkCopies makes copies for a process; nil without a cache.
// Without a cache there is no place for the copy, and the go command writes into the project, as it does for its user.
func newWorkCopies(p *launch.Plan) *workCopies {
	if p.Cache == "" {
		return nil
	}
	return &workCopies{cache: filepath.Join(p.Cache, p.Spec.ID), names: map[string][]renaming{},
		modules: map[string]bool{}}
}

// vendored is the list of vendored modules beside a go.work.
func vendored(dir string) string { return filepath.Join(dir, "vendor", "modules.txt") }

// restartFiles is [lsp.SyncHooks].RestartFiles: the files that decide about the copy for a folder. When one
// changes, comes or goes, only a new process uses another copy. In each folder from there up a go.work counts, and
// where there is one, or at the folder itself, what stands beside it, too.
func (a *Process) restartFiles(folder string) (out []string) {
	for dir := folder; ; dir = filepath.Dir(dir) {
		file := filepath.Join(dir, workFile)
		out = append(out, file)
		if dir == folder || source.Exists(file) {
			out = append(out, filepath.Join(dir, workSums), vendored(dir))
		}
		if filepath.Dir(dir) == dir {
			return out
		}
	}
}

// leavesOut reports whether a go.work does not use the module that a folder is.
func leavesOut(file, folder string) bool {
	if !source.Exists(filepath.Join(folder, modFile)) {
		return false
	}
	text, err := source.ReadBytes(file)
	if err != nil {
		return false
	}
	work, ok := golang.ParseWork(filepath.Dir(file), text)
	module := real(folder)
	return ok && !slices.ContainsFunc(work.Uses, func(used string) bool { return real(used) == module })
}

// workFileOf is the go.work that counts for a folder: that which the environment names, else the nearest above it; ""
// when there is none.
func workFileOf(environment []string, folder string) string {
	switch given := spec.Variable(environment, workVariable); {
	// The variable wins over what is found, as for the go command.
	case filepath.IsAbs(given):
		return given
	case given != "": // "off"
		return ""
	}
	// Upwards to the root of the file system, also above the workspace: the go command does so.
	for dir := folder; ; dir = filepath.Dir(dir) {
		if path := filepath.Join(dir, workFile); source.Exists(path) {
			return path
		}
		if filepath.Dir(dir) == dir {
			return ""
		}
	}
}

// configuration is [lsp.SyncHooks].Configuration: gopls' own section with the copy in it, unless the user's
// configuration names a go.work there. A module that the go.work above it leaves out is loaded without that: gopls
// would load for its folder all that the go.work uses, once more, and not the module (0.23.0).
func (a *Process) configuration(folder, section string, value any) any {
	if section != settingsSection {
		return value
	}
	given, _ := value.(map[string]any)
	// The user has decided which go.work counts.
	if env, _ := given["env"].(map[string]any); env[workVariable] != nil {
		return value
	}
	file := workFileOf(a.environment, folder)
	if file == "" {
		return value
	}
	if spec.Variable(a.environment, workVariable) == "" && leavesOut(file, folder) {
		return spec.Merge(given, map[string]any{"env": map[string]any{workVariable: "off"}})
	}
	if a.work == nil {
		return value
	}
	copied, err := a.work.make(file)
	if err != nil {
		// The server works all the same, so that this is no error of the question.
		a.log.Warn("a server writes into the project", "server_id", a.Server.ID(), "error", err)
	}
	if copied == "" {
		return value
	}
	return spec.Merge(given, map[string]any{"env": map[string]any{workVariable: copied}})
}

// make writes the copy of a file; "" when it needs none. A file that is broken, or uses a folder without a module,
// needs none: nothing is loaded by it, and what is wrong with it is told of the file itself.
func (c *workCopies) make(file string) (string, error) {
	text, ok := golang.AbsoluteWork(file)
	for _, folder := range golang.WorkFolders(file) {
		module := filepath.Join(folder, "go.mod")
		ok = ok && source.Exists(module)
		c.mu.Lock()
		// Also of folders whose module is not there: when it comes, a copy is due ([workCopies.outdated]).
		c.modules[module] = true
		c.mu.Unlock()
	}
	// With vendored modules the go command writes no sums; it would also look for the vendor folder beside the copy.
	if !ok || source.Exists(vendored(filepath.Dir(file))) {
		return "", nil
	}
	dir, err := launch.CacheFolder(c.cache, file)
	if err != nil {
		return "", err
	}
	copied := filepath.Join(dir, workFile)
	// The text has absolute paths: in the cache the relative ones would mean other folders.
	// The sums come after the file: a go.work without them is complete, sums without it mean nothing.
	if err := replaceFile(copied, text); err != nil {
		return "", err
	}
	beside := filepath.Join(dir, workSums)
	if sum, err := source.ReadBytes(filepath.Join(filepath.Dir(file), workSums)); err == nil {
		// The sums that the go command has written beside the copy are kept; those of the project are joined to them.
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

// replaceFile writes a file that others may read meanwhile: by a rename, so that nobody sees half of it. One that
// has this text stays as it is.
func replaceFile(path string, text []byte) error {
	if have, err := os.ReadFile(path); err == nil && bytes.Equal(have, text) {
		return nil
	}
	// In the same folder, because a rename from another file system would be a copy.
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

// renameFiles is [lsp.SyncHooks].RenameFiles. Messages of gopls name the copy; whoever reads them knows only the
// file in the project. Two forms are replaced, the URI and the path as JSON has it. params itself is not modified,
// because ReplaceAll copies.
func (a *Process) renameFiles(params json.RawMessage) json.RawMessage {
	c := a.work
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
