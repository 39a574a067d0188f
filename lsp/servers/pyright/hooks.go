package pyright

import "lspi/lsp"

// hooks are what Pyright does in its own way.
func (a *Process) hooks() *lsp.Hooks {
	return &lsp.Hooks{
		Changed:         a.Changed,
		SyncHooks:       lsp.SyncHooks{AfterTell: a.AfterTell, LacksTold: a.LacksTold},
		DiagnosticHooks: lsp.DiagnosticHooks{FoundUnreadable: a.FoundUnreadable},
		CoverageHooks: lsp.CoverageHooks{Unlisted: a.Unlisted, InStub: a.InStub, ReferencesInStub: a.ReferencesInStub,
			UsesByAlias: a.UsesByAlias},
		EditHooks: lsp.EditHooks{Overrides: a.Overrides},
	}
}
