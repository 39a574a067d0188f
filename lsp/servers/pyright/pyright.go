// Package pyright is what is particular about Pyright (1.1.414) and basedpyright (1.40.1): the configuration leaves
// sources out of answers, a rename leaves what overrides a member as it is, references end at the alias of an
// import, and uses in other files are those of a stub.
package pyright

import (
	"context"
	"path/filepath"
	"slices"
	"time"

	"lspi/internal/source"
	"lspi/lsp"
)

// Process is what is kept of one process of Pyright, or of a server made of it.
type Process struct {
	Server *lsp.Server
	// LSP methods whose answers lack a source that the configuration leaves out even while it is open
	closed   []string
	excluded lsp.ByEdits[[]string] // sources that the configuration leaves out, by root
	listing  listing               // guarded by the document lock
	imports  imports               // guarded by the document lock
}

func newProcess(s *lsp.Server) *Process {
	return &Process{Server: s, imports: imports{began: time.Now()}}
}

// New makes the hooks of a process of Pyright, which neither renames nor finds symbols in a source that the
// configuration leaves out.
func New(s *lsp.Server) *lsp.Hooks {
	a := newProcess(s)
	a.closed = []string{lsp.MethodRename, lsp.MethodWorkspaceSymbol}
	return a.hooks()
}

// NewBased makes the hooks of a process of basedpyright, which does both while the source is open.
func NewBased(s *lsp.Server) *lsp.Hooks {
	return newProcess(s).hooks()
}

// unlisted is [lsp.CoverageHooks].Unlisted. A source that include or exclude leaves out is in references and calls
// while it is open.
func (a *Process) unlisted(ctx context.Context, root, method string, asked time.Time) []lsp.Uncovered {
	files, _ := a.excluded.Get(ctx, a.Server, root, func() ([]string, bool) { return a.readExcluded(root), true })
	files = slices.Clone(files)
	if slices.Contains(a.closed, method) {
		return lsp.Because(lsp.NotOfProject, files, true)
	}
	unseen := slices.DeleteFunc(files, func(path string) bool { return a.Server.Documents().HasSeen(path, asked) })
	return lsp.Because(lsp.NotOfProject, unseen, true)
}

// checks is [lsp.DiagnosticHooks].Checks: without what the configuration leaves out, as Pyright itself checks a
// project.
func (a *Process) checks(_ context.Context, root string, sources []string) (opened, unbuilt []string) {
	scope := ReadScope(root, a.Server.Spec().Build.Tables)
	return slices.DeleteFunc(slices.Clone(sources), func(path string) bool {
		return scope != nil && scope.LeavesOut(path)
	}), nil
}

// readExcluded are the sources below a root that the configuration leaves out; dependencies, caches and build
// folders are none.
func (a *Process) readExcluded(root string) (out []string) {
	scope := ReadScope(root, a.Server.Spec().Build.Tables)
	if scope == nil {
		return nil
	}
	for path := range a.Server.Journal().Files() {
		if _, below := source.RelativeTo(root, path); below && a.Server.Spec().Serves(filepath.Base(path)) &&
			!a.Server.Folders().Skips(root, path) && scope.LeavesOut(path) {
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return out
}

// foundUnreadable is [lsp.DiagnosticHooks].FoundUnreadable. A new file that an edit is tried with is read from the
// disk, in vain, when something that imports it is looked at behind the trial. The same text opened again is the
// last one that pyright was sent, so that it does not look at it (1.1.414).
func (a *Process) foundUnreadable(f lsp.Diagnostic) bool {
	return len(f.Code) == 0 && f.Message == "Source file could not be read"
}
