package tsserver

import (
	"context"
	"slices"
	"strings"

	"lspi/lsp"
)

// vouch is [lsp.CoverageHooks].Vouch: tsserver's references are whole for the names in sources of TypeScript that a
// loaded project takes in. A member of a value of type any it does not know, and in JavaScript most values have no
// type.
func (a *Process) vouch(ctx context.Context, q lsp.VouchQuestion) map[string]lsp.Vouched {
	out := map[string]lsp.Vouched{}
	t, s := a.projects, a.Server
	release, ok := t.take(ctx, s)
	if !ok {
		return out
	}
	defer release()
	for _, folder := range s.Folders().All() {
		p := t.known[folder]
		if p == nil {
			continue
		}
		for _, path := range q.Files {
			typed := slices.ContainsFunc([]string{".ts", ".tsx", ".mts", ".cts"}, func(ext string) bool {
				return strings.HasSuffix(path, ext)
			})
			if typed && p.files[path] {
				out[path] = lsp.VouchedNames
			}
		}
	}
	return out
}
