package lsp

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"go.lsp.dev/uri"

	"lspi/disk"
	"lspi/source"
)

// watchList is the watchers of one registration of workspace/didChangeWatchedFiles.
type watchList []watcher

// watcher is one LSP FileSystemWatcher: a glob, absolute or below base.
type watcher struct {
	base string // absolute folder; "" for a glob that speaks of whole paths or of any place
	glob string
	kind uint32 // bits: 1 create, 2 change, 4 delete
}

// watchAll is the kind of a watcher that names none (LSP 3.17, FileSystemWatcher).
const watchAll = 7

// parseWatchers reads the options of a registration; a watcher that cannot be read is left out, not guessed.
func parseWatchers(raw json.RawMessage) watchList {
	var options struct {
		Watchers []json.RawMessage `json:"watchers"`
	}
	if json.Unmarshal(raw, &options) != nil {
		return nil
	}
	var out watchList
	for _, w := range options.Watchers {
		if parsed, ok := parseWatcher(w); ok {
			out = append(out, parsed)
		}
	}
	return out
}

// A pattern that is not valid would match nothing at each change, so that it is left out here once.
func parseWatcher(raw json.RawMessage) (watcher, bool) {
	var w struct {
		GlobPattern json.RawMessage `json:"globPattern"`
		Kind        *uint32         `json:"kind"`
	}
	if json.Unmarshal(raw, &w) != nil {
		return watcher{}, false
	}
	parsed, ok := parseGlob(w.GlobPattern)
	parsed.kind = watchAll
	if w.Kind != nil && *w.Kind != 0 {
		parsed.kind = *w.Kind
	}
	return parsed, ok && doublestar.ValidatePattern(parsed.glob)
}

// parseGlob reads a Pattern or a RelativePattern (LSP 3.17), whose base is a URI or a WorkspaceFolder.
func parseGlob(raw json.RawMessage) (watcher, bool) {
	var glob string
	if json.Unmarshal(raw, &glob) == nil {
		return watcher{glob: filepath.ToSlash(glob)}, glob != ""
	}
	var relative struct {
		BaseURI json.RawMessage `json:"baseUri"`
		Pattern string          `json:"pattern"`
	}
	if json.Unmarshal(raw, &relative) != nil || relative.Pattern == "" {
		return watcher{}, false
	}
	var base string
	var folder struct {
		URI string `json:"uri"`
	}
	if json.Unmarshal(relative.BaseURI, &base) != nil && json.Unmarshal(relative.BaseURI, &folder) == nil {
		base = folder.URI
	}
	// A base of another scheme has no files on this machine.
	path, ok := URIToPath(base)
	return watcher{base: path, glob: relative.Pattern}, ok
}

// matches reports whether the watcher wants changes of path.
func (w watcher) matches(path string) bool {
	if w.base != "" {
		rel, ok := source.RelativeTo(w.base, path)
		return ok && disk.Match(w.glob, filepath.ToSlash(rel))
	}
	slash := filepath.ToSlash(path)
	// A relative glob without a base is taken for any place: a notification too many costs little, one that is missing makes answers
	// stale.
	return disk.Match(w.glob, slash) || !strings.HasPrefix(w.glob, "/") && disk.Match("**/"+w.glob, slash)
}

// URIToPath is the path of a file URI; ok is false for any other scheme.
func URIToPath(raw string) (path string, ok bool) {
	u, err := uri.Parse(raw) // takes a missing scheme for "file", also of nothing
	if raw == "" || err != nil || !u.IsFile() {
		return "", false
	}
	return u.FsPath(), true
}
