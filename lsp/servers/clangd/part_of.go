package clangd

import (
	"path/filepath"
	"slices"

	"lspi/internal/lang"
	"lspi/internal/source"
)

// partOf is [lsp.DiagnosticHooks].PartOf: a listed source that includes the file, over other headers too.
func (a *Process) partOf(path string) string {
	dir := a.Server.Projects().Folder(a.Server.Root())
	p := a.Server.Spec().Project
	if dir == "" || p == nil {
		return ""
	}
	listed := map[string]bool{}
	Files(filepath.Join(dir, p.Files[0]), func(file string) bool {
		listed[filepath.Clean(file)] = true
		return true
	})
	if listed[path] {
		return ""
	}
	seen := map[string]bool{path: true}
	for next := []string{path}; len(next) > 0; next = next[1:] {
		for file := range a.Server.Journal().Files() {
			if seen[file] || !a.Server.Spec().Serves(filepath.Base(file)) {
				continue
			}
			text, err := source.Read(file)
			if err != nil || !slices.Contains(lang.Includes(text.Content()), filepath.Base(next[0])) {
				continue
			}
			if listed[file] {
				return file
			}
			seen[file] = true
			next = append(next, file)
		}
	}
	return ""
}
