package clangd

import (
	"context"
	"path/filepath"

	"lspi/lsp"
)

// vouch is [lsp.CoverageHooks].Vouch: the references of clangd are whole in the files of its index on disk that
// compiled. A shard has the path by which the compiler read the file; for a file that is reached by a link it says
// nothing of the other path.
func (a *Process) vouch(ctx context.Context, q lsp.VouchQuestion) map[string]lsp.Vouched {
	root := a.Server.Root()
	shards := a.readShards(ctx, root)
	broken := map[string]bool{}
	for _, path := range failed(a.Server, shards) {
		broken[path] = true
	}
	indexed := map[string]bool{}
	for _, one := range shards {
		for _, file := range one.of {
			indexed[file] = true
		}
	}
	out := map[string]lsp.Vouched{}
	for _, path := range q.Files {
		real, err := filepath.EvalSymlinks(path)
		if (indexed[path] || err == nil && indexed[real]) && !broken[path] {
			out[path] = lsp.VouchedAll
		}
	}
	return out
}
