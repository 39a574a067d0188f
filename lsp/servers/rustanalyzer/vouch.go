package rustanalyzer

import (
	"context"

	"lspi/lsp"
)

// vouch is [lsp.CoverageHooks].Vouch: rust-analyzer decides by types, so that its references are whole in the modules
// of the crates that it has loaded.
func (a *Process) vouch(ctx context.Context, q lsp.VouchQuestion) map[string]lsp.Vouched {
	out := map[string]lsp.Vouched{}
	for _, path := range q.Files {
		out[path] = lsp.VouchedAll
	}
	for _, u := range a.outsideProject(ctx, lsp.Because(lsp.NotOfProject, q.Files, true)) {
		delete(out, u.Path)
	}
	return out
}
