package clangd

import (
	"context"
	"path/filepath"
	"slices"

	"lspi/internal/source"
)

// partOf is [lsp.DiagnosticHooks].PartOf: the first listed source that includes the file, over other headers too. Where
// flags for all files take the place of the list, clangd reads a header as one of C (22.1.8), and every source counts.
func (a *Process) partOf(ctx context.Context, path string) (unit string, certain bool) {
	database, list := a.database(a.Server.Root())
	all := database == "" && slices.ContainsFunc(a.Server.Spec().Project.Single, func(name string) bool {
		return source.Exists(filepath.Join(a.Server.Root(), name))
	})
	if !all && len(list.files) == 0 || slices.Contains(list.files, path) || all && isSource(path) {
		return "", false
	}
	graph, always := includeGraph{}, includeGraph{}
	for file := range a.Server.Journal().Files() {
		if ctx.Err() != nil {
			return "", false
		}
		if !a.Server.Spec().Serves(filepath.Base(file)) {
			continue
		}
		if all && isSource(file) {
			list.files = append(list.files, file)
		}
		if text, err := source.Read(file); err == nil {
			graph.add(text)
			always.addAlways(text)
		}
	}
	graph.addListed(list, a.Server.Journal().Tracks)
	always.addListed(list, a.Server.Journal().Tracks)
	if all {
		slices.Sort(list.files) // list is this call's own
	}
	for _, file := range list.files {
		if always.reached(file)[filepath.Base(path)] {
			return file, true
		}
	}
	for _, file := range list.files {
		if graph.reached(file)[filepath.Base(path)] {
			return file, false
		}
	}
	return "", false
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
