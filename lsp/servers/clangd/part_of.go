package clangd

import (
	"context"
	"path/filepath"
	"slices"

	"lspi/internal/source"
)

// partOf is [lsp.DiagnosticHooks].PartOf: the first listed source that includes the file, over other headers too.
func (a *Process) partOf(ctx context.Context, path string) string {
	_, list := a.database(a.Server.Root())
	if len(list.files) == 0 || slices.Contains(list.files, path) {
		return ""
	}
	graph := includeGraph{}
	for file := range a.Server.Journal().Files() {
		if ctx.Err() != nil {
			return ""
		}
		if !a.Server.Spec().Serves(filepath.Base(file)) {
			continue
		}
		if text, err := source.Read(file); err == nil {
			graph.add(text)
		}
	}
	graph.addListed(list, a.Server.Journal().Tracks)
	for _, file := range list.files {
		if graph.reached(file)[filepath.Base(path)] {
			return file
		}
	}
	return ""
}

// addListed takes down what the listed sources include that are not followed, such as those that a unity build writes.
func (g includeGraph) addListed(list readList, followed func(path string) bool) {
	for _, file := range list.files {
		if followed(file) {
			continue
		}
		if text, err := source.Read(file); err == nil {
			g.add(text)
		}
	}
}
