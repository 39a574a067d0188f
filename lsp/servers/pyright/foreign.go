package pyright

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
)

// foreign is [lsp.CoverageHooks].Foreign: the module, or the value before the dot, is imported by a name whose first
// part is no folder and no source of the tree.
func (a *Process) foreign(_ context.Context, text *source.Text, offset int, _ lsp.Place) bool {
	module := lang.PythonModuleOf(text.Content(), lang.ImportedName(text.Content(), offset))
	return module != "" && !strings.HasPrefix(module, ".") && !a.inTree(strings.Split(module, ".")[0])
}

// projectFiles may give a package another name than that of its folder (package_dir of setuptools).
var projectFiles = []string{"pyproject.toml", "setup.py", "setup.cfg"}

// inTree reports whether a folder or a source of the tree, or a folder above it, has a name, or a project file names
// it.
func (a *Process) inTree(name string) bool {
	if slices.Contains(strings.Split(filepath.ToSlash(a.Server.Journal().Root()), "/"), name) {
		return true
	}
	for path := range a.Server.Journal().Files() {
		if slices.Contains(projectFiles, filepath.Base(path)) {
			if text, err := source.Read(path); err != nil || source.HasWord(text.Content(), name) {
				return true
			}
		}
		below, _ := source.RelativeTo(a.Server.Journal().Root(), path)
		parts := strings.Split(filepath.ToSlash(below), "/")
		last := len(parts) - 1
		parts[last], _, _ = strings.Cut(parts[last], ".")
		for _, part := range parts {
			if part == name {
				return true
			}
		}
	}
	return false
}
