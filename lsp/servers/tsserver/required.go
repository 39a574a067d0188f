package tsserver

import (
	"context"
	"slices"

	"lspi/internal/source"
)

// required is [lsp.CoverageHooks].Required. tsserver (6.0.3) takes what a pattern takes out of such a module for
// variables of their own, and the module for a value without members.
func (a *Process) required(ctx context.Context, text *source.Text, offset int) bool {
	content := text.Content()
	from, _, ok := source.WordAround(content, offset)
	if !ok {
		return false
	}
	modules := takenFrom(content, from)
	if len(modules) == 0 {
		return false
	}
	t := a.projects
	release, ok := t.take(ctx, a.Server)
	if !ok {
		return true
	}
	defer release()
	return slices.ContainsFunc(modules, func(module string) bool { return t.unresolved(text.Path, module) })
}
