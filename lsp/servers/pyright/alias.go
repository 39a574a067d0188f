package pyright

import (
	"context"

	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
)

// aliasUses is [lsp.CoverageHooks].AliasUses: references and callers end at "import name as other".
func aliasUses(ctx context.Context, s *lsp.Snapshot, text *source.Text, _, to int) (uses []lsp.Place, given bool,
	err error) {
	at := lang.PythonAlias(text.Content(), to)
	if at < 0 {
		return nil, false, nil
	}
	own := text.PositionAt(at)
	uses, err = s.References(ctx, text.Path, own, true)
	return lsp.WithoutPlace(uses, text.Path, own), true, err
}
