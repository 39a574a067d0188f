package clangd

import (
	"context"

	"lspi/contract"
)

// regionsMethod is how clangd, from 17 on, tells what #if and #ifdef leave out to a client that announces to take that;
// it resolves no name there.
const regionsMethod = "textDocument/inactiveRegions"

// inactiveIn is [lsp.ConditionHooks].InactiveIn: of what is not open clangd tells nothing.
func (a *Process) inactiveIn(ctx context.Context, files []string) map[string][]contract.Range {
	out := map[string][]contract.Range{}
	// Its error does not matter: a file that is not open is not in the answer, and the caller tells of it as unknown.
	_ = a.Server.Documents().OpenAll(ctx, files)
	for _, path := range files {
		if ranges, told := a.Server.Diagnostics().InactiveRanges(ctx, path); told {
			out[path] = ranges
		}
	}
	return out
}

// knowsInactive is [lsp.ConditionHooks].KnowsInactive.
func (a *Process) knowsInactive(path string) bool { return a.Server.Documents().IsOpen(path) }
