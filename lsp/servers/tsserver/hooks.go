package tsserver

import "lspi/lsp"

// Hooks are what typescript-language-server does in its own way.
func (a *Process) Hooks() *lsp.Hooks {
	return &lsp.Hooks{
		Changed:         a.changed,
		ProjectHooks:    lsp.ProjectHooks{RankSources: a.rankSources},
		SyncHooks:       lsp.SyncHooks{AfterTell: a.afterTell},
		DiagnosticHooks: lsp.DiagnosticHooks{DiagnosesBy: passOn, DiagnoseFile: a.DiagnoseFile},
		SymbolHooks:     lsp.SymbolHooks{SearchSymbols: a.searchSymbols, IsImport: isImport},
		// Fix all and its like go by the diagnostics that were pushed.
		ActionHooks: lsp.ActionHooks{IsRefactoring: isRefactoring, RefactoringEdit: a.refactoringEdit,
			MoveToFile:   a.moveToFile,
			ActsByPushes: true},
		EditHooks: lsp.EditHooks{RenameAnew: a.renameAnew, Unchecked: a.unchecked},
		CoverageHooks: lsp.CoverageHooks{
			Vouch: a.vouch, Foreign: a.foreign,
			MayDerive: a.mayDerive, UnknownBase: a.unknownBase,
			Restates: a.restates, Excluded: a.excluded, KeyAt: keyAt,
			AliasUses: a.aliasUses, Structural: true,
			Projects: &lsp.LoadedProjectHooks{InOneProject: inOneProject, Others: a.otherProjects,
				Importing: a.projectsImporting, Load: a.loadProjects, Unread: a.unread, Members: a.members,
				WithoutOutput: a.withoutOutput, ReadsBuilt: a.readsBuilt},
		},
	}
}
