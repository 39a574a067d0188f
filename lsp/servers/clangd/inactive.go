package clangd

import (
	"context"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
)

// regionsMethod is how clangd, from 17 on, tells what #if and #ifdef leave out to a client that announces to take that;
// it resolves no name there.
const regionsMethod = "textDocument/inactiveRegions"

// mayImplement is [lsp.ConditionHooks].MayImplement: a line may name the bases of a type, or declare a member function.
// Cheap and generous: a line too many costs a request, one too few an implementation that nobody is told of.
func mayImplement(line, name string) bool {
	if source.MayHoldAny(line, []string{"class", "struct", "public", "protected", "private"}) {
		return true
	}
	return slices.ContainsFunc(source.Occurrences(line, name), func(i int) bool {
		// A call on an object stands behind a dot or an arrow; a declaration does not.
		return !lang.BehindDot(line[:i]) && strings.HasPrefix(strings.TrimLeft(line[i+len(name):], " "), "(")
	})
}

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
