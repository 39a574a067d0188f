package clangd

import (
	"context"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
)

// unlisted remembers which sources the compilation database leaves out.
type unlisted struct {
	mu    sync.Mutex
	known map[string]unlistedFiles // by root; guarded by mu
}

// unlistedFiles is what was found for one state of the list and of the tree.
type unlistedFiles struct {
	changed time.Time // of the project file, when it was read
	files   uint64    // Server.edits then
	paths   []string
	headers []string // that the sources among paths include; others may, too
}

// unlistedSources is [lsp.CoverageHooks].Unlisted: the sources that the compilation database does not list, and the
// headers that only such sources include.
func (a *Process) unlistedSources(ctx context.Context, root, _ string, asked time.Time) []lsp.Uncovered {
	s := a.Server
	path, list := a.database(root)
	if path == "" {
		return nil
	}
	// The number of edits stands for the whole tree: a new source, or an include that came or went, raises it.
	edits, err := s.Documents().Edits(ctx)
	if err != nil {
		return nil
	}
	a.unlisted.mu.Lock()
	have, ok := a.unlisted.known[root]
	a.unlisted.mu.Unlock()
	if !ok || !have.changed.Equal(list.info.ModTime()) || have.files != edits {
		have = unlistedFiles{changed: list.info.ModTime(), files: edits}
		have.paths, have.headers = a.readUnlisted(root, path, list)
		a.unlisted.mu.Lock()
		if a.unlisted.known == nil {
			a.unlisted.known = map[string]unlistedFiles{}
		}
		a.unlisted.known[root] = have
		a.unlisted.mu.Unlock()
	}
	// A copy, because what is known is shared between calls.
	all := slices.Clone(have.paths)
	// A header that only unlisted sources include is in no shard. Without any index (it is being made) that proves
	// nothing.
	if len(have.headers) > 0 {
		if indexed := a.indexedFiles(ctx, root); len(indexed) > 0 {
			all = append(all, slices.DeleteFunc(slices.Clone(have.headers), func(path string) bool {
				// Shards have the paths as the compiler saw them, which may be those behind links.
				real, err := filepath.EvalSymlinks(path)
				return indexed[path] || err == nil && indexed[real]
			})...)
			slices.Sort(all)
		}
	}
	return lsp.Because(lsp.NotOfProject, slices.DeleteFunc(all, func(path string) bool {
		// One that was open when the question was asked is in the answer after all.
		return s.Documents().HasParsed(path, asked) && s.Diagnostics().Compiles(path)
	}), true)
}

// builtBy reports whether a path below a root is what a build made: it lies in the folder of the list below the
// root, or in a folder that the row passes over.
func builtBy(s *lsp.Server, root, dir, path string) bool {
	_, built := source.RelativeTo(dir, path)
	return built && dir != root || s.Folders().Skips(root, path)
}

// readUnlisted compares the list with the tree: which sources it lacks, and which headers these include. What lies
// in the list's own folder below the root is a build.
func (a *Process) readUnlisted(root, database string, list readList) (out, headers []string) {
	s := a.Server
	listed := map[string]bool{}
	if !list.whole {
		return nil, nil
	}
	for _, path := range list.files {
		// A list written behind a link names the real paths, and the tree is walked by its own.
		if real, err := filepath.EvalSymlinks(path); err == nil {
			path = real
		}
		listed[path] = true
	}
	for path := range s.Journal().Files() {
		// Headers are never listed; they are kept apart below.
		if !s.Spec().Serves(filepath.Base(path)) || listed[path] {
			continue
		}
		if _, ok := source.RelativeTo(root, path); !ok || builtBy(s, root, filepath.Dir(database), path) {
			continue
		}
		if isSource(path) {
			out = append(out, path)
		} else {
			headers = append(headers, path)
		}
	}
	slices.Sort(out)
	return out, includedBy(out, headers)
}

// includedBy are those of headers that sources include, over other headers too, going by base names.
func includedBy(sources, headers []string) (out []string) {
	byName := map[string][]string{}
	for _, path := range headers {
		byName[filepath.Base(path)] = append(byName[filepath.Base(path)], path)
	}
	for next := slices.Clone(sources); len(next) > 0 && len(byName) > 0; next = next[1:] {
		text, err := source.Read(next[0])
		if err != nil {
			continue
		}
		for _, name := range lang.Includes(text.Content()) {
			out, next = append(out, byName[name]...), append(next, byName[name]...)
			// Once found a header is not looked for again, so that headers which include each other end the walk.
			delete(byName, name)
		}
	}
	return out
}
