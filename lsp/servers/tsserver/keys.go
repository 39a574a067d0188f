package tsserver

import (
	"context"

	"lspi/contract"
	"lspi/lsp"
)

// keyAt is [lsp.CoverageHooks].KeyAt. tsserver (6.0.3) has references of a string only where its type is one of
// literals, as keyof is, or where it resolves it; the uses of a member lack the former.
func keyAt(ctx context.Context, s *lsp.Snapshot, path string, at contract.Position) bool {
	found, err := s.References(ctx, path, at, true)
	return err == nil && len(found) > 0
}
