package rustanalyzer

import "lspi/lsp"

// hooks are what rust-analyzer does in its own way.
func (a *Process) hooks() *lsp.Hooks {
	return &lsp.Hooks{
		SyncHooks: lsp.SyncHooks{AfterTell: a.AfterTell, LacksTold: a.LacksTold},
		DiagnosticHooks: lsp.DiagnosticHooks{BeforeCheck: a.BeforeCheck, CheckRefused: a.CheckRefused,
			IsInactive: a.IsInactive, Unlinked: a.Unlinked},
		CoverageHooks: lsp.CoverageHooks{
			Unlisted: a.Unlisted, OutsideProject: a.OutsideProject,
			Conditions: &lsp.ConditionHooks{Conditional: a.Conditional, ConditionSign: a.ConditionSign,
				RefersToInactive: a.RefersToInactive, MayImplement: a.MayImplement, InactiveIn: a.InactiveIn,
				KnowsInactive: a.KnowsInactive},
			Link: link, MacroTexts: a.MacroTexts,
		},
	}
}
