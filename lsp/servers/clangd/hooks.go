package clangd

import "lspi/lsp"

// hooks are what clangd does in its own way.
func (a *Process) hooks() *lsp.Hooks {
	return &lsp.Hooks{
		Changed: a.Changed,
		ProjectHooks: lsp.ProjectHooks{BrokenProject: a.BrokenProject, ListChanged: a.ListChanged,
			FirstListed: a.FirstListed},
		SyncHooks: lsp.SyncHooks{AfterTell: a.AfterTell, MayInclude: a.MayInclude, FollowIncludes: a.FollowIncludes,
			Surroundings: a.Surroundings, BuiltAsIs: a.BuiltAsIs, KeepsStderr: a.KeepsStderr},
		DiagnosticHooks: lsp.DiagnosticHooks{RegionsMethod: regionsMethod},
		SymbolHooks: lsp.SymbolHooks{
			SymbolInfo: symbolInfo,
			// The index in .cache/clangd may be of an editor that counts otherwise.
			MixedColumns:           true,
			ConfirmImplementations: a.ConfirmImplementations, ConfirmSubtypes: a.ConfirmSubtypes,
		},
		CoverageHooks: lsp.CoverageHooks{
			Unlisted: a.Unlisted, Uncompiled: a.Uncompiled,
			OpenMacroKind: macroKind,
			Conditions: &lsp.ConditionHooks{Conditional: a.Conditional, ConditionSign: a.ConditionSign,
				RefersToInactive: a.RefersToInactive, MayImplement: a.MayImplement, InactiveIn: a.InactiveIn,
				KnowsInactive: a.KnowsInactive},
			Includes: &lsp.IncludeHooks{IsSource: a.IsSource, MaySee: a.MaySee, Brings: a.Brings, IsInclude: a.IsInclude},
			Scopes: &lsp.ScopeHooks{IsParameter: a.IsParameter, IsVariable: a.IsVariable, IsPrivate: a.IsPrivate,
				BringsName: a.BringsName},
		},
		EditHooks: lsp.EditHooks{
			OnlyCompiler: a.OnlyCompiler,
			Linker: &lsp.LinkerHooks{DeclaredLinks: a.DeclaredLinks, Declarations: a.Declarations,
				Definition: a.Definition, Elsewhere: a.Elsewhere},
		},
	}
}
