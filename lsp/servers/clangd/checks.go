package clangd

import (
	"context"
	"path/filepath"
	"time"

	"lspi/internal/source"
)

// checks is [lsp.DiagnosticHooks].Checks: all but sources, and headers of these, that the compilation database does not
// list and no listed source includes. Headers are opened as well, because clangd compiles no bodies in what a source
// includes (22.1.8).
func (a *Process) checks(ctx context.Context, root string, sources []string) (opened, unbuilt []string) {
	unlisted := map[string]bool{}
	for _, u := range a.unlistedSources(ctx, root, "", time.Time{}) {
		unlisted[u.Path] = true
	}
	if len(unlisted) == 0 {
		return sources, nil
	}
	graph := includeGraph{}
	for _, path := range sources {
		if ctx.Err() != nil {
			return sources, nil // none of them is come to
		}
		if text, err := source.Read(path); err == nil {
			graph.add(text)
		}
	}
	_, list := a.database(root)
	graph.addListed(list, a.Server.Journal().Tracks)
	included := map[string]bool{}
	for _, path := range list.files {
		for name := range graph.reached(path) {
			included[name] = true
		}
	}
	for _, path := range sources {
		if unlisted[path] && !included[filepath.Base(path)] {
			unbuilt = append(unbuilt, path)
			continue
		}
		opened = append(opened, path)
	}
	return opened, unbuilt
}
