package gopls

import "lspi/lsp"

// hooks are what gopls does in its own way.
func (a *Process) hooks() *lsp.Hooks {
	return &lsp.Hooks{
		Changed: a.changed,
		ProjectHooks: lsp.ProjectHooks{OutsideBuild: a.outsideBuild, AskExcluded: a.askExcluded,
			HoldsSources: a.holdsSources, BrokenBy: a.brokenBy},
		SyncHooks: lsp.SyncHooks{BeforeSync: a.beforeSync, NeedsRestart: a.needsRestart, RestartFiles: a.restartFiles,
			AfterTell: a.afterTell, NameFiles: a.nameFiles, Configuration: a.configuration, RenameFiles: a.renameFiles},
		DiagnosticHooks: lsp.DiagnosticHooks{PushesBy: diagnoseFiles, AskPushes: a.askPushes, Witnesses: a.witnesses,
			LostImport: a.lostImport},
		SymbolHooks: lsp.SymbolHooks{WrittenByTool: writtenByTool},
		CoverageHooks: lsp.CoverageHooks{
			UsedIn: a.usedIn, Kin: kin, Vouch: a.vouch, Unnamed: a.unnamed, Excluded: a.excluded, Declared: a.declared,
			NeverBuilt: a.neverBuilt, Restates: restates, Link: link,
			LinkerUses: a.linkerUses, ReferencesAndFields: a.referencesAndFields, NothingCalls: a.nothingCalls,
		},
		EditHooks: lsp.EditHooks{OnlyCompiler: a.onlyCompiler, ExcludedUsers: a.excludedUsers,
			ExportedChanges: a.exportedChanges, StaysLocal: a.staysLocal, Promoted: a.promoted,
			UnseenUse: a.unseenUse},
	}
}
