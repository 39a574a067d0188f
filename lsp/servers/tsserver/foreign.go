package tsserver

import (
	"context"

	"lspi/internal/lang"
	"lspi/internal/lang/typescript"
	"lspi/internal/source"
	"lspi/lsp"
)

// foreign is [lsp.CoverageHooks].Foreign: the name, or the value before the dot, is imported from a package that is
// none of the tree.
func (a *Process) foreign(ctx context.Context, text *source.Text, offset int, _ lsp.Place) bool {
	content := text.Content()
	module := importedFrom(bindings(content), lang.ImportedName(content, offset), offset)
	if module == "" || typescript.IsPath(module) {
		return false
	}
	t := a.projects
	release, ok := t.take(ctx, a.Server)
	if !ok {
		return false
	}
	defer release()
	return t.outside(text.Path, module)
}
