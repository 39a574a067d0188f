package router

import "lspi/lsp"

func goServers() []lsp.Spec {
	return []lsp.Spec{{
		ID: "gopls", Title: "gopls",
		Languages: []lsp.Language{
			lang("go", "go"),
			named("go.mod", "go.mod"),
			named("go.work", "go.work"),
			named("go.sum", "go.sum", "go.work.sum"),
			lang("gotmpl", "gotmpl", "tmpl"),
		},
		Commands: []lsp.Command{run("gopls")},
		Roots: roots(
			lsp.MarkerGroup{Files: []string{"go.work"}, Members: lsp.MembersGoWork},
			closestTo("go.mod"),
		),
		SharedFolders: true,
		// The default "all" searches dependencies too and drowns the workspace in them below the cap of 100. Links are
		// for people: they name URLs of pkg.go.dev and file URIs in the middle of the documentation.
		Settings: map[string]any{"gopls": map[string]any{"symbolScope": "workspace", "linksInHover": false}},
		// It holds cross-file requests back until the workspace is loaded (0.23.0), so the progress only tells how far.
		Readiness: lsp.Readiness{Sign: lsp.SignProgress, Tokens: []string{"Setting up workspace"}, Waits: true},
		// The notification of a created file does not make it load the package that the file begins: references, symbols and
		// implementations lack it, 2 s later too, until some request names the file (0.23.0).
		// It keeps type information of packages with open files only: the 147 references of packages.Load in x/tools take
		// 50 ms closed and 2 ms open, a definition 18 ms and 0.6 ms (0.23.0).
		Freshness: lsp.Freshness{Watched: true, QueryClosed: true, OpenAsked: true, AskNew: true, Modules: true,
			Globs: []string{"go.mod", "go.sum", "go.work", "go.work.sum"}},
		// The command diagnoses the whole view of each file, open or not, without gopls's usual delay, and answers after
		// all of its pushes; no later push differed; it passes over a go.mod. Compile errors come for every package, but analysers (vet, unused,
		// …) run only for packages with an open file. Pull, behind a setting, would end all pushes (0.23.0).
		Diagnostics: lsp.Diagnostics{Command: "gopls.diagnose_files", CommandSources: true, Versioned: true, Workspace: true, OpenFolders: true},
		// Of its commands that code actions have these only ask for an edit; others open a browser, run tests or write files
		// (0.23.0).
		Actions: lsp.Actions{Commands: []string{"gopls.apply_fix", "gopls.change_signature", "gopls.extract_to_new_file", "gopls.add_test",
			"gopls.modify_tags", "gopls.move_type", "gopls.implement_interface"}},
		Project: &lsp.ProjectFile{
			Files: []string{"go.mod", "go.work"}, Warning: "no_project_file",
			// Each module is a view of its own; references in one do not show the uses in another that replaces it by a
			// path (0.23.0).
			Link: &lsp.Link{File: "go.mod", Joined: "go.work", Join: "go work init", Add: "go work use"},
			// With a go.mod that does not parse it refuses a position in any source ("no package metadata for file"), finds no
			// symbols without saying why, and refuses a hover in go.mod with the reason. Once that is cured it goes on
			// refusing for about 1 s, until it makes its diagnostics, unless a question about the workspace makes it load (0.23.0).
			Proof: lsp.MethodHover, Load: lsp.MethodWorkspaceSymbol,
			Hint: "Without a go.mod or go.work gopls sees single files: run go mod init in the project's folder.",
		},
		// It reads the files of one build only: references and symbols lack those of other systems and tags, and those in
		// folders that are no import path ("with space"), and nothing says so. Asked about a position in a file for another
		// system it answers from a build for that (0.23.0).
		Build: &lsp.Build{Rules: lsp.BuildGo, Settings: "gopls",
			Why: "the build it loaded leaves them out (build constraints, or a folder that is no package)"},
		SilentCaps: map[string]int{"workspace/symbol": 100},
		// fzf's signs: ' holds, $ ends with; letters of either case unless the query has capitals (0.23.0).
		Symbols:  lsp.SymbolQuery{Containing: "'%s", Ending: "%s$", Qualified: true},
		SkipDirs: []string{"node_modules"},
		Install: []lsp.Install{
			goInstall("golang.org/x/tools/gopls"), brew("gopls"), apt("gopls"), nixProfile("gopls"),
		},
		Version: []string{"version"},
	}}
}
