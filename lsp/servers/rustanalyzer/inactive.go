package rustanalyzer

import (
	"context"

	"lspi/contract"
	"lspi/internal/lang"
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

// IsInactive is [lsp.DiagnosticHooks].IsInactive.
func (*Process) IsInactive(f lsp.Finding) bool { return f.Code == codeInactive }

// Unlinked is [lsp.DiagnosticHooks].Unlinked.
func (*Process) Unlinked(f lsp.Finding) *lsp.Exclusion {
	if f.Code != codeUnlinked {
		return nil
	}
	return &lsp.Exclusion{Why: "no module of a crate includes it",
		Remedy: "Declare it with a mod line in the module above it, or give a crate root its place in Cargo.toml."}
}

// Conditional is [lsp.ConditionHooks].Conditional.
func (*Process) Conditional(content string, names []string) []int {
	return lang.RustConditional(content, names)
}

// ConditionSign is [lsp.ConditionHooks].ConditionSign.
func (*Process) ConditionSign() string { return "#[cfg]" }

// RefersToInactive is [lsp.ConditionHooks].RefersToInactive.
func (*Process) RefersToInactive() bool { return true }

// MayImplement is [lsp.ConditionHooks].MayImplement.
func (*Process) MayImplement(line, _ string) bool {
	return source.MayHoldAny(line, []string{"impl", "derive"})
}

// InactiveIn is [lsp.ConditionHooks].InactiveIn: the code that the server's diagnostics mark.
func (a *Process) InactiveIn(ctx context.Context, files []string) map[string][]contract.Range {
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

// KnowsInactive is [lsp.ConditionHooks].KnowsInactive.
func (a *Process) KnowsInactive(path string) bool { return a.inactive.Has(path) }
