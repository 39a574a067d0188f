package clangd

import (
	"context"
	"path/filepath"
	"slices"

	"lspi/lsp"
)

// vouch is [lsp.CoverageHooks].Vouch: the references of clangd are whole in the files of its index on disk that
// compiled. A shard has the path by which the compiler read the file; for a file that is reached by a link it says
// nothing of the other path.
func (a *Process) vouch(ctx context.Context, q lsp.VouchQuestion) map[string]lsp.Vouched {
	root := a.Server.Root()
	broken := failed(a.Server, a.readShards(ctx, root))
	indexed := a.indexedFiles(ctx, root)
	out := map[string]lsp.Vouched{}
	for _, path := range q.Files {
		real, err := filepath.EvalSymlinks(path)
		if (indexed[path] || err == nil && indexed[real]) && !slices.Contains(broken, path) {
			out[path] = lsp.VouchedAll
		}
	}
	return out
}
