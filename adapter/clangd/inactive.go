package clangd

import (
	"context"

	"lspi/contract"
	"lspi/lsp"
)

// LeftOutOf is of [adapter.ConditionReader]: of what is not open clangd tells nothing.
func (a *Adapter) LeftOutOf(ctx context.Context, files []string) map[string][]contract.Range {
	out := map[string][]contract.Range{}
	_ = lsp.OpenAll(ctx, a.Server, files)
	for _, path := range files {
		if ranges, told := a.Server.InactiveRanges(ctx, path); told {
			out[path] = ranges
		}
	}
	return out
}

// KnowsLeftOut is of [adapter.ConditionReader].
func (a *Adapter) KnowsLeftOut(path string) bool { return lsp.IsOpen(a.Server, path) }
