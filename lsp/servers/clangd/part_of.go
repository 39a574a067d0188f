package clangd

import (
	"context"
	"path/filepath"
	"slices"

	"lspi/internal/source"
)

// partOf is [lsp.DiagnosticHooks].PartOf: the first listed source that includes the file, over other headers too.
func (a *Process) partOf(ctx context.Context, path string) string {
	dir := a.Server.Projects().Folder(a.Server.Root())
	p := a.Server.Spec().Project
	if dir == "" || p == nil {
		return ""
	}
	var listed []string
	Files(filepath.Join(dir, p.Files[0]), func(file string) bool {
		listed = append(listed, filepath.Clean(file))
		return true
	})
	if slices.Contains(listed, path) {
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
	for _, file := range listed {
		if graph.reached(file)[filepath.Base(path)] {
			return file
		}
	}
	return ""
}
