package pyright

import "lspi/lsp"

// hooks are what Pyright does in its own way.
func (a *Process) hooks() *lsp.Hooks {
	return &lsp.Hooks{
		Changed: a.changed,
		SyncHooks: lsp.SyncHooks{NeedsRestart: a.needsRestart, AfterTell: a.afterTell, LacksTold: a.lacksTold,
			FollowIncludes: a.followImports},
		DiagnosticHooks: lsp.DiagnosticHooks{Checks: a.checks, FoundUnreadable: a.foundUnreadable},
		SymbolHooks:     lsp.SymbolHooks{Complete: complete},
		CoverageHooks: lsp.CoverageHooks{Foreign: a.foreign, Unnamed: a.unnamed,
			MayDerive: a.mayDerive, UnknownBase: a.unknownBase,
			NamedByStrings: namedByStrings, Unlisted: a.unlisted, InStub: a.inStub,
			ReferencesInStub: a.referencesInStub, AliasUses: aliasUses},
		EditHooks: lsp.EditHooks{Overrides: a.overrides},
	}
}
