package rustanalyzer

import (
	"context"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp"
)

// The codes of hints by which rust-analyzer tells what it does not check. The one is over all that #[cfg] leaves
// out: a syntax error in it is not reported, nor a name that is not there. The other is all that it says of a file
// that no module includes: it resolves no name there.
const (
	codeInactive = "inactive-code"
	codeUnlinked = "unlinked-file"
)

// isInactive is [lsp.DiagnosticHooks].IsInactive.
func isInactive(f lsp.Finding) bool { return f.Code == codeInactive }

// unlinked is [lsp.DiagnosticHooks].Unlinked.
func unlinked(f lsp.Finding) *lsp.Exclusion {
	if f.Code != codeUnlinked {
		return nil
	}
	return &lsp.Exclusion{Why: "no module of a crate includes it",
		Remedy: "Declare it with a mod line in the module above it, or give a crate root its place in Cargo.toml."}
}

// mayImplement is [lsp.ConditionHooks].MayImplement.
func mayImplement(line, _ string) bool {
	return source.MayHoldAny(line, []string{"impl", "derive"})
}

// inactiveIn is [lsp.ConditionHooks].InactiveIn: the code that the server's diagnostics mark.
func (a *Process) inactiveIn(ctx context.Context, files []string) map[string][]contract.Range {
	out := map[string][]contract.Range{}
	for _, path := range files {
		ranges, told := a.inactive.Get(ctx, a.Server, path, func() ([]contract.Range, bool) {
			d := &lsp.Diagnosis{}
			if a.Server.Diagnostics().Add(ctx, []string{path}, d) != nil || len(d.Silent) > 0 {
				return nil, false
			}
			return d.Inactive(path), true
		})
		if told {
			out[path] = ranges
		}
	}
	return out
}

// knowsInactive is [lsp.ConditionHooks].KnowsInactive.
func (a *Process) knowsInactive(path string) bool { return a.inactive.Has(path) }
