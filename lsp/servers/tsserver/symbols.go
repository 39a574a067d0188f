package tsserver

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"lspi/lsp"
)

// maxRecentTurns bounds how often a server is asked that searched another project.
const maxRecentTurns = 4

// searchSymbols is [lsp.SymbolHooks].SearchSymbols: [lsp.Snapshot.WorkspaceSymbols] at a server that searches the
// project of the document asked about last. Its timer of diagnostics counts as a question about other documents
// (typescript-language-server 6.0.2), so that tsserver itself is asked what that project has. limited is true, too,
// when the server never searched it.
func (a *Process) searchSymbols(ctx context.Context, s *lsp.Snapshot, query string) (found []lsp.WorkspaceSymbol,
	limited bool, err error) {
	for turn := 1; ; turn++ {
		recent := s.Documents().Recent()
		if found, limited, err = s.QuerySymbols(ctx, query); err != nil || recent == "" {
			return found, limited, err
		}
		var items []struct{ Name, File string }
		arguments := map[string]any{"file": recent, "searchValue": query}
		if err = Ask(ctx, s.Server, "navto", arguments, &items); err != nil {
			return nil, false, err
		}
		lacks := false
		for _, item := range items {
			lacks = lacks || !slices.ContainsFunc(found, func(w lsp.WorkspaceSymbol) bool {
				return w.Name == item.Name && strings.EqualFold(w.Place.Path, filepath.FromSlash(item.File))
			})
		}
		if !lacks {
			return found, limited, nil
		}
		if turn == maxRecentTurns {
			return found, true, nil
		}
		if err := s.Turn(ctx, recent); err != nil && ctx.Err() != nil {
			return nil, false, err
		}
	}
}
