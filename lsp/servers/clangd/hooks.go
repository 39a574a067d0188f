package clangd

import (
	"lspi/internal/lang"
	"lspi/lsp"
)

// hooks are what clangd does in its own way.
func (a *Process) hooks() *lsp.Hooks {
	return &lsp.Hooks{
		Changed: a.changed,
		ProjectHooks: lsp.ProjectHooks{BrokenProject: a.brokenProject, ListChanged: a.listChanged,
			FirstListed: a.firstListed},
		SyncHooks: lsp.SyncHooks{AfterTell: a.afterTell, MayInclude: a.mayInclude,
			IncludedSince: a.includedSince, FollowIncludes: a.followIncludes,
			Surroundings: a.surroundings, BuiltAsIs: a.builtAsIs, KeepsStderr: a.keepsStderr},
		DiagnosticHooks: lsp.DiagnosticHooks{Checks: a.checks, PartOf: a.partOf, OtherBuilt: a.otherBuilt,
			BodiesIn: a.bodiesIn, BodiesBy: endsPreamble, Refused: a.refused, RegionsMethod: regionsMethod},
		SymbolHooks: lsp.SymbolHooks{
			SymbolInfo: symbolInfo,
			// The index in .cache/clangd may be of an editor that counts otherwise.
			MixedColumns:           true,
			Documented:             a.documented,
			ConfirmImplementations: a.confirmImplementations, ConfirmSubtypes: a.confirmSubtypes,
		},
		CoverageHooks: lsp.CoverageHooks{
			Vouch: a.vouch, UsedIn: a.usedIn, Unnamed: a.unnamed, Unlisted: a.unlistedSources,
			External: a.external, Implicit: a.implicitUses, ReadAhead: a.readAhead, OpenMacroKind: macroKind,
			Conditions: &lsp.ConditionHooks{Conditional: lang.Conditional, ConditionSign: "#if or #ifdef",
				InactiveIn:    a.inactiveIn,
				KnowsInactive: a.knowsInactive},
			Includes: &lsp.IncludeHooks{IsSource: isSource, MaySee: a.maySee, Brings: brings,
				Searched: a.searchedFolders, IsInclude: isInclude},
			Scopes: &lsp.ScopeHooks{IsParameter: isParameter, IsVariable: isVariable, IsPrivate: a.isPrivate,
				BringsName: bringsName, Bringing: "using", Befriends: befriends, Befriending: "friend"},
		},
		EditHooks: lsp.EditHooks{
			OnlyCompiler: a.onlyCompiler, UnseenUse: a.unseenUse,
			Linker: &lsp.LinkerHooks{DeclaredLinks: a.declaredLinks, Declarations: declarations,
				Definition: definition, Elsewhere: elsewhere},
		},
	}
}
