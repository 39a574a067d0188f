package rustanalyzer

import (
	"lspi/internal/lang"
	"lspi/lsp"
)

// hooks are what rust-analyzer does in its own way.
func (a *Process) hooks() *lsp.Hooks {
	return &lsp.Hooks{
		SyncHooks: lsp.SyncHooks{AfterTell: a.afterTell, LacksTold: a.lacksTold},
		DiagnosticHooks: lsp.DiagnosticHooks{BeforeCheck: a.beforeCheck, CheckRefused: a.checkRefused,
			IsInactive: isInactive, Unlinked: unlinked},
		CoverageHooks: lsp.CoverageHooks{
			Declared: a.declared, Vouch: a.vouch, Through: a.through, IncludesTexts: true,
			UsedIn: a.usedIn, Written: a.written, Exported: a.exported, Foreign: a.foreign, AliasUses: a.aliasUses,
			Unlisted: a.unlisted, OutsideProject: a.outsideProject,
			Conditions: &lsp.ConditionHooks{Conditional: lang.RustConditional, ConditionSign: "#[cfg]",
				RefersToInactive: true, InactiveIn: a.inactiveIn,
				KnowsInactive: a.knowsInactive},
			Link: link,
		},
	}
}
