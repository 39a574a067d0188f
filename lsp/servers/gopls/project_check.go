package gopls

import (
	"context"

	"lspi/internal/lang/golang"
	"lspi/lsp"
	"lspi/lsp/watch"
)

// With a go.mod that does not parse gopls refuses a position in any source ("no package metadata for file") and finds
// no symbols, without saying why. Once that is mended it goes on refusing for about 1 s, until it makes its
// diagnostics, unless a question about the workspace makes it load (0.23.0).

// brokenBy is [lsp.ProjectHooks].BrokenBy. gopls reads these files by the same package.
func (a *Process) brokenBy(root string) (path, words string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, path := range a.Server.Spec().Project.Paths(root) {
		err, known := a.projects[path]
		if !known {
			err = golang.ProjectError(path)
			a.projects[path] = err
		}
		if err != nil {
			return path, err.Error()
		}
	}
	return "", ""
}

// reload makes the server load a project again whose file changed, or whose load failed: it answers about files of
// a project that was broken only after a request that needs the whole of it. The caller holds the document lock.
func (a *Process) reload(ctx context.Context, changes []watch.Change) error {
	// A load fails for reasons outside of go.mod, too: a missing package, a go.sum, a source with another package name.
	load := len(changes) > 0 && a.Server.Health().LoadFailing() // any of them may be the cure
	for _, c := range changes {
		load = load || projectFile(c) && c.Kind != watch.Deleted && golang.ProjectError(c.Path) == nil
	}
	// Nothing changed that could have mended a load, or what changed is still broken.
	if !load || !a.Server.Offers(lsp.MethodWorkspaceSymbol) {
		return nil
	}
	// Any question about the workspace makes it load; this one finds nothing, so that its answer costs nothing.
	err := a.Server.Request(ctx, lsp.MethodWorkspaceSymbol, map[string]any{"query": loadQuery}, nil)
	// A refusal is an answer: the project is still broken, and the question that follows is told why.
	if err != nil && (ctx.Err() != nil || a.Server.Ended()) {
		return err
	}
	return nil
}

// loadQuery finds nothing.
const loadQuery = "\u2063"
