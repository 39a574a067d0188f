package gopls

import "lspi/lsp"

// hooks are what gopls does in its own way.
func (a *Process) hooks() *lsp.Hooks {
	return &lsp.Hooks{
		Changed: a.Changed,
		ProjectHooks: lsp.ProjectHooks{OutsideBuild: a.OutsideBuild, AskExcluded: a.AskExcluded,
			HoldsSources: a.HoldsSources, BrokenBy: a.BrokenBy},
		SyncHooks: lsp.SyncHooks{BeforeSync: a.BeforeSync, NeedsRestart: a.NeedsRestart, RestartFiles: a.RestartFiles,
			AfterTell: a.AfterTell, NameFiles: a.NameFiles, Configuration: a.Configuration, RenameFiles: a.RenameFiles},
		DiagnosticHooks: lsp.DiagnosticHooks{PushesBy: diagnoseFiles, AskPushes: a.AskPushes, Witnesses: a.Witnesses,
			LostImport: a.LostImport, HearPushed: a.HearPushed},
		CoverageHooks: lsp.CoverageHooks{
			Excluded: a.Excluded, Declared: a.Declared,
			MayUse: a.MayUse, Unparsed: a.Unparsed, NeverBuilt: a.NeverBuilt, DropNeverBuilt: a.DropNeverBuilt,
			Link:           link,
			HoldLinkerName: a.HoldLinkerName, LinkerUses: a.LinkerUses,
			ReferencesAndFields: a.ReferencesAndFields, NothingCalls: a.NothingCalls,
		},
		EditHooks: lsp.EditHooks{OnlyCompiler: a.OnlyCompiler, ExcludedUsers: a.ExcludedUsers,
			ExportedChanges: a.ExportedChanges, StaysLocal: a.StaysLocal, Promoted: a.Promoted},
	}
}
