package tsserver

import (
	"context"
	"slices"
	"strings"

	"lspi/internal/lang/typescript"
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
			// What a file declares for the script beside it is not among the references of the script's.
			if typed && p.files[path] && !t.declaresScript(path) {
				out[path] = lsp.VouchedNames
			}
		}
	}
	return out
}

// declaresScript reports whether a file declares what a script beside it defines.
func (t *projects) declaresScript(path string) bool {
	return typescript.IsDeclaration(path) && slices.ContainsFunc([]string{".js", ".mjs", ".cjs", ".jsx"},
		func(ext string) bool { return t.served[stem(path)+ext] })
}
