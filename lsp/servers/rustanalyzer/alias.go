package rustanalyzer

import (
	"context"
	"path/filepath"
	"slices"

	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
)

// aliasUses is [lsp.CoverageHooks].AliasUses: references and callers end at "use name as other". The server leads from
// the other name to the declaration, so that the sources that hold it are asked place by place.
func (a *Process) aliasUses(ctx context.Context, s *lsp.Snapshot, text *source.Text, from, to int) (uses []lsp.Place,
	given bool, err error) {
	at := lang.RustAlias(text.Content(), to)
	if at < 0 {
		return nil, false, nil
	}
	targets, err := s.Locate(ctx, lsp.MethodDefinition, text.Path, text.PositionAt(from))
	if err != nil {
		return nil, true, err
	}
	first, last, _ := source.WordAround(text.Content(), at)
	uses, err = lsp.UsesOfWord(ctx, s, a.treeSources(), text.Content()[first:last], targets)
	own := text.PositionAt(at)
	return lsp.WithoutPlace(uses, text.Path, own), true, err
}

// treeSources are the sources of the tree.
func (a *Process) treeSources() (files []string) {
	for _, path := range slices.Sorted(a.Server.Journal().Files()) {
		if a.Server.Spec().Serves(filepath.Base(path)) && !a.Server.Folders().InBuild(path) {
			files = append(files, path)
		}
	}
	return files
}
