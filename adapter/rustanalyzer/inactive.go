package rustanalyzer

import (
	"context"

	"lspi/contract"
	"lspi/lsp"
)

// LeftOutOf is of [adapter.ConditionReader]: the code that the server's diagnostics mark as left out by #[cfg].
func (a *Adapter) LeftOutOf(ctx context.Context, files []string) map[string][]contract.Range {
	out := map[string][]contract.Range{}
	for _, path := range files {
		ranges, told := a.inactive.Get(ctx, a.Server, path, func() ([]contract.Range, bool) {
			d := &lsp.Diagnosis{}
			if a.Server.AddDiagnostics(ctx, []string{path}, d) != nil || len(d.Silent) > 0 {
				return nil, false
			}
			return lsp.InactiveIn(a.Server.Spec(), d, path), true
		})
		if told {
			out[path] = ranges
		}
	}
	return out
}

// KnowsLeftOut is of [adapter.ConditionReader].
func (a *Adapter) KnowsLeftOut(path string) bool { return a.inactive.Has(path) }
