package clangd

import (
	"context"
	"maps"
	"path/filepath"
	"slices"

	"lspi/lsp"
)

// vouch is [lsp.CoverageHooks].Vouch: the references of clangd are whole in the files of its index on disk that
// compiled, and that were read after the last change of what they include: clangd makes the index of a closed file anew
// for a change of its own text alone (22.1.8). A shard has the path by which the compiler read the file; for a file
// that is reached by a link it says nothing of the other path.
func (a *Process) vouch(ctx context.Context, q lsp.VouchQuestion) map[string]lsp.Vouched {
	root := a.Server.Root()
	broken := failed(a.Server, a.readShards(ctx, root))
	indexed := a.indexedFiles(ctx, root)
	older, known := a.readBefore(ctx, q.Files)
	if !known {
		return nil
	}
	out := map[string]lsp.Vouched{}
	for _, path := range q.Files {
		real, err := filepath.EvalSymlinks(path)
		if (indexed[path] || err == nil && indexed[real]) && !slices.Contains(broken, path) &&
			!slices.Contains(older, path) {
			out[path] = lsp.VouchedAll
		}
	}
	return out
}

// readBefore are those of files that are not open as they would be built now, and may include a file that changed since
// the process began.
func (a *Process) readBefore(ctx context.Context, files []string) (older []string, known bool) {
	changes, every := a.Server.Folders().Changed()
	if len(changes) == 0 && !every {
		return nil, true
	}
	docs := a.Server.Documents()
	older, err := files, error(nil)
	if !every {
		older, err = docs.MayInclude(ctx, files, slices.Collect(maps.Keys(changes)))
	}
	if err == nil {
		older, err = docs.Outdated(ctx, older)
	}
	return older, err == nil
}
