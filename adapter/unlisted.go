package adapter

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"lspi/contract"
	"lspi/lang"
	"lspi/lang/compdb"
	"lspi/lang/python"
	"lspi/lsp"
	"lspi/source"
)

// unlisted remembers which sources a project file that lists them (ProjectFile.Lists) leaves out.
type unlisted struct {
	mu    sync.Mutex
	known map[string]unlistedFiles // by root; guarded by mu
	told  map[string]*membership   // by path: what the server was asked about; guarded by mu
	asked uint64                   // Server.edits when told was begun; guarded by mu
}

type unlistedFiles struct {
	changed time.Time // of the project file, when it was read
	files   uint64    // Server.edits then
	paths   []string
	headers []string // that the sources among paths include; others may, too
}

// Unlisted are the sources below a root that its project file does not list, and the headers that only such sources include,
// absolute and sorted: the server knows nothing of them before they are opened, so that what they hold is missing in
// every answer about the whole project. Those that it had parsed before asked, without an error, are known. Nil where the
// project file is no list, or lists all. Where a [lsp.Build] says what is left out, these are the sources that answers to a method
// lack; of BuildModules all that [OfNoProject] has to decide about.
func Unlisted(ctx context.Context, s *lsp.Server, root, method string, asked time.Time) []string {
	if b := s.Spec().Build; b != nil && (b.Rules == lsp.BuildPyright || b.Rules == lsp.BuildModules) {
		return unlistedByBuild(ctx, s, root, method, asked)
	}
	p := s.Spec().Project
	if p == nil || len(p.Lists) == 0 {
		return nil
	}
	dir := s.ProjectFolder(root)
	if dir == "" {
		return nil
	}
	list := filepath.Join(dir, p.Files[0])
	info, err := os.Stat(list)
	if err != nil {
		return nil
	}
	edits, err := s.Edits(ctx)
	if err != nil {
		return nil
	}
	of(s).unlisted.mu.Lock()
	have, ok := of(s).unlisted.known[root]
	of(s).unlisted.mu.Unlock()
	if !ok || !have.changed.Equal(info.ModTime()) || have.files != edits {
		have = unlistedFiles{changed: info.ModTime(), files: edits}
		have.paths, have.headers = readUnlisted(s, root, list)
		of(s).unlisted.mu.Lock()
		if of(s).unlisted.known == nil {
			of(s).unlisted.known = map[string]unlistedFiles{}
		}
		of(s).unlisted.known[root] = have
		of(s).unlisted.mu.Unlock()
	}
	all := slices.Clone(have.paths)
	if len(have.headers) > 0 {
		if indexed := indexedFiles(ctx, s, root); len(indexed) > 0 {
			all = append(all, slices.DeleteFunc(slices.Clone(have.headers), func(path string) bool {
				real, err := filepath.EvalSymlinks(path)
				return indexed[path] || err == nil && indexed[real]
			})...)
			slices.Sort(all)
		}
	}
	return slices.DeleteFunc(all, func(path string) bool { return s.HasParsed(path, asked) && s.Compiles(path) })
}

// builtBy reports whether a path below a root is what a build made: it lies in the folder of the list below the root, or in a
// folder that the row passes over.
func builtBy(s *lsp.Server, root, dir, path string) bool {
	_, built := source.RelativeTo(dir, path)
	return built && dir != root || s.Skips(root, path)
}

// readUnlisted compares the list with the tree: which sources it lacks, and which headers these include. What lies in the list's own folder below the root is a build.
func readUnlisted(s *lsp.Server, root, list string) (out, headers []string) {
	listed := map[string]bool{}
	if !compdb.Files(list, func(path string) bool {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			path = real
		}
		listed[filepath.Clean(path)] = true
		return true
	}) {
		return nil, nil
	}
	for path := range s.Journal().Files() {
		if !s.Spec().Serves(filepath.Base(path)) || listed[path] {
			continue
		}
		if _, ok := source.RelativeTo(root, path); !ok || builtBy(s, root, filepath.Dir(list), path) {
			continue
		}
		if ext := strings.ToLower(strings.TrimPrefix(filepath.Ext(path), ".")); slices.Contains(s.Spec().Project.Lists, ext) {
			out = append(out, path)
		} else {
			headers = append(headers, path)
		}
	}
	slices.Sort(out)
	return out, includedBy(out, headers)
}

// unlistedByBuild is [Unlisted] where the row's [lsp.Build] says what is left out.
func unlistedByBuild(ctx context.Context, s *lsp.Server, root, method string, asked time.Time) []string {
	edits, err := s.Edits(ctx)
	if err != nil {
		return nil
	}
	b := s.Spec().Build
	of(s).unlisted.mu.Lock()
	have, ok := of(s).unlisted.known[root]
	of(s).unlisted.mu.Unlock()
	if !ok || have.files != edits {
		have = unlistedFiles{files: edits, paths: readOutside(s, root)}
		of(s).unlisted.mu.Lock()
		if of(s).unlisted.known == nil {
			of(s).unlisted.known = map[string]unlistedFiles{}
		}
		of(s).unlisted.known[root] = have
		of(s).unlisted.mu.Unlock()
	}
	if !b.Opens || slices.Contains(b.Closed, method) {
		return slices.Clone(have.paths)
	}
	return slices.DeleteFunc(slices.Clone(have.paths), func(path string) bool { return s.HasSeen(path, asked) })
}

// readOutside are the sources below a root that the build leaves out, as far as files tell; dependencies, caches and build
// folders are none.
func readOutside(s *lsp.Server, root string) (out []string) {
	leavesOut := func(string) bool { return true }
	if s.Spec().Build.Rules == lsp.BuildPyright {
		scope := python.ReadScope(root, s.Spec().Build.Tables)
		if scope == nil {
			return nil
		}
		leavesOut = scope.LeavesOut
	}
	for path := range s.Journal().Files() {
		if _, below := source.RelativeTo(root, path); below && s.Spec().Serves(filepath.Base(path)) && !s.Skips(root, path) && leavesOut(path) {
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return out
}

// askedAtOnce bounds how many sources a server is asked about at the same time.
const askedAtOnce = 16

// OfNoProject are those of sources of which a server says that they belong to no project, and those about which it says nothing before
// ctx ends. It is asked once for all who want to know, and until it answers: behind large answers to others that takes seconds, and
// whoever asks again has the word. What it said holds until a file changes.
func OfNoProject(ctx context.Context, s *lsp.Server, paths []string) (outside, untold []string) {
	edits, err := s.Edits(ctx)
	if err != nil {
		return nil, paths
	}
	var asked []*membership
	for i, path := range paths {
		for ctx.Err() == nil && len(asked) < min(len(paths), i+askedAtOnce) {
			asked = append(asked, membershipOf(ctx, s, paths[len(asked)], edits))
		}
		switch {
		case i >= len(asked) || !asked[i].await(ctx):
			untold = append(untold, path)
		case asked[i].outside:
			outside = append(outside, path)
		}
	}
	return outside, untold
}

// membershipOf is what was asked about a source since the last edit; the question if there was none.
func membershipOf(ctx context.Context, s *lsp.Server, path string, edits uint64) *membership {
	u := &of(s).unlisted
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.told == nil || u.asked != edits {
		u.told, u.asked = map[string]*membership{}, edits
	}
	m := u.told[path]
	if m == nil {
		m = &membership{answered: make(chan struct{})}
		u.told[path] = m
		go askMembership(context.WithoutCancel(ctx), s, path, m)
	}
	return m
}

// membership is what a server says of whether a source belongs to a project.
type membership struct {
	answered      chan struct{} // closed when the rest is written
	outside, told bool
}

// await reports whether the server told before ctx ended.
func (m *membership) await(ctx context.Context) bool {
	select {
	case <-m.answered:
		return m.told
	default:
	}
	select {
	case <-m.answered:
		return m.told
	case <-ctx.Done():
		return false
	}
}

// askMembership asks the server, and forgets the question where it brought no answer.
func askMembership(ctx context.Context, s *lsp.Server, path string, m *membership) {
	m.outside, m.told = askUnlinked(ctx, s, path)
	u := &of(s).unlisted
	u.mu.Lock()
	if !m.told && u.told[path] == m {
		delete(u.told, path)
	}
	u.mu.Unlock()
	close(m.answered)
}

// askUnlinked asks what a source belongs to. Where that gives nothing its diagnostics decide, which cost far more. A source that
// the server refuses is none of its own.
func askUnlinked(ctx context.Context, s *lsp.Server, path string) (unlinked, sure bool) {
	document := protocol.TextDocumentIdentifier{URI: uri.File(path)}
	raw, err := s.RequestRaw(ctx, s.Spec().Build.Asks, protocol.TextDocumentPositionParams{TextDocument: document})
	if err != nil {
		return true, refused(err)
	}
	var above []json.RawMessage
	if json.Unmarshal(raw, &above) == nil && len(above) > 0 {
		return false, true
	}
	raw, err = s.RequestRaw(ctx, lsp.MethodDocumentDiag, map[string]any{"textDocument": document})
	if err != nil {
		return true, refused(err)
	}
	var report struct{ Items []lsp.Diagnostic }
	if json.Unmarshal(raw, &report) != nil {
		return true, false
	}
	sign := s.Spec().Diagnostics.Unlinked
	return sign == nil || slices.ContainsFunc(report.Items, func(d lsp.Diagnostic) bool { return lsp.CodeOf(d.Code) == sign.Code }), true
}

// refused reports whether an error is the server's own answer.
func refused(err error) bool {
	e, ok := err.(*contract.Error)
	return ok && e.Code != 0
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
			delete(byName, name)
		}
	}
	return out
}
