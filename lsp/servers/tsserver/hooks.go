package tsserver

import "lspi/lsp"

// Hooks are what typescript-language-server does in its own way.
func (a *Process) Hooks() *lsp.Hooks {
	return &lsp.Hooks{
		Changed:         a.Changed,
		ProjectHooks:    lsp.ProjectHooks{RankSources: a.RankSources},
		DiagnosticHooks: lsp.DiagnosticHooks{DiagnosesBy: passOn, DiagnoseFile: a.DiagnoseFile},
		SymbolHooks:     lsp.SymbolHooks{SearchSymbols: a.SearchSymbols, IsImport: a.IsImport},
		// Fix all and its like go by the diagnostics that were pushed.
		ActionHooks: lsp.ActionHooks{IsRefactoring: a.IsRefactoring, RefactoringEdit: a.RefactoringEdit,
			ActsByPushes: true},
		CoverageHooks: lsp.CoverageHooks{
			Excluded: a.Excluded, Declared: a.Declared,
			Projects: &lsp.LoadedProjectHooks{InOneProject: a.InOneProject, Others: a.OtherProjects,
				Importing: a.ProjectsImporting, Load: a.LoadProjects, Unread: a.Unread, Members: a.Members,
				WithoutOutput: a.WithoutOutput, ThroughPackages: a.ThroughPackages},
		},
	}
}
