package servers

import (
	"time"

	"lspi/internal/lang/golang"
	"lspi/lsp/spec"
)

var goServers = []spec.Spec{{
	ID: "gopls", Title: "gopls",
	Languages: languages("go", "go.mod", "go.work", "go.sum", "gotmpl"),
	Commands:  []spec.Command{run("gopls")},
	Roots: spec.RootRule{
		Groups: []spec.MarkerGroup{
			{Files: []string{"go.work"}, Members: inGoWork}, {Files: []string{"go.mod"}, Members: inGoModule},
		},
		Aside: goAside, Copied: golang.Vendored,
	},
	// Of two modules that no go.work joins it loads a view each (0.23.0).
	SharedFolders: true, OneProject: true,
	// It ends only when the second is over that it waits before it diagnoses an opened file (0.23.0, diagnosticsDelay):
	// an lspi call of 0.1 s took 1.1 s.
	Shutdown: spec.ShutdownWaits,
	// Only interfaces have subtypes. About any other type it looks through the whole workspace for nothing, 30 to
	// 200 ms each time (0.23.0; 68 of 68 in x/tools).
	SubtypesOf: []string{"interface"},
	// A method that satisfies an interface is renamed with that of the interface (0.23.0).
	Instead: `(?P<file>\S+?):(?P<line>\d+):(?P<character>\d+):\s*\(rename \S+ if you intend to change both types\)`,
	// The default "all" searches dependencies too and drowns the workspace in them below the cap of 100. Links are
	// for people: they name URLs of pkg.go.dev and file URIs in the middle of the documentation.
	Settings: map[string]any{"gopls": map[string]any{"symbolScope": "workspace", "linksInHover": false}},
	// It holds cross-file requests back until the workspace is loaded (0.23.0), so the progress only tells how far.
	Readiness: spec.Readiness{Sign: spec.SignProgress, Tokens: []string{"Setting up workspace"}, Waits: true,
		Announces: 2 * time.Second, Loads: goLoads},
	// It keeps type information of packages with open files only: the 147 references of packages.Load in x/tools take
	// 50 ms closed and 2 ms open, a definition 18 ms and 0.6 ms (0.23.0).
	Freshness: spec.Freshness{Watched: true, QueryClosed: true, OpenAsked: true,
		Globs: []string{"go.mod", "go.sum", "go.work", "go.work.sum", "modules.txt"}},
	// Compile errors come for every package, but analysers (vet, unused, …) run only for packages with an open
	// file. Pull, behind a setting, would end all pushes (0.23.0). Behind a compile error most analysers do not
	// run, in its package nor in those that import it (0.23.0). Asked for one file it type-checks and analyses the
	// package of the file alone; the packages that import it, and the package together with its tests, it looks at
	// by itself later. It answers although it does not offer this (0.23.0; x/tools: 0.04 to 0.15 s, and 0.2 to 0.5
	// s for all).
	Diagnostics: spec.Diagnostics{Versioned: true, Workspace: true, OpenFolders: true,
		First: &spec.FirstErrors{Languages: []string{"go"}, Pending: "dependents"},
		Stops: &spec.Stops{Sources: []string{"compiler", "syntax", "go list"}, Elsewhere: true},
		Unresolved: &spec.Unresolved{Codes: []string{"BrokenImport"}, Message: `could not import (\S+)`,
			Hint: "go mod download gets what go.mod names; go get PACKAGE adds a package to go.mod."}},
	// Of its commands that code actions have these only ask for an edit; others open a browser, run tests or write
	// files (0.23.0).
	Actions: spec.Actions{Commands: []string{"gopls.apply_fix", "gopls.change_signature", "gopls.extract_to_new_file",
		"gopls.add_test",
		"gopls.modify_tags", "gopls.move_type", "gopls.implement_interface"}},
	Project: &spec.ProjectFile{
		Files: []string{"go.mod", "go.work"}, Above: true, Warning: "no_project_file",
		Hint: "Without a go.mod or go.work gopls sees single files: run go mod init in the project's folder.",
	},
	// It reads the files of one build only: references and symbols lack those of other systems and tags, and those in
	// folders that are no import path ("with space"), and nothing says so. Asked about a position in a file for another
	// system it answers from a build for that (0.23.0).
	Build: &spec.Build{Why: "build constraints leave them out, or their folder is no package"},
	// With a go.work the go command writes go.work.sum beside it whenever it lists packages or modules whose sums
	// no go.sum has, and no flag or variable keeps it from that (cmd/go/internal/modload, commitRequirements; go
	// 1.26). gopls takes GOWORK by folder from its setting env, and loads by one outside of the workspace as by
	// that in the root, without a hover on its lines (0.23.0).
	SilentCaps: map[string]int{"workspace/symbol": 100},
	// 550 MB instead of 970 MB at its peak in x/tools, in twice the time (0.23.0). GOMEMLIMIT below what it has to keep
	// makes it collect without end: with 350 MB the same took four times as long and 500 MB.
	Sparing: &spec.Sparing{Sets: map[string]string{"GOGC": "25"}},
	// fzf's signs: ' holds, $ ends with; letters of either case unless the query has capitals (0.23.0).
	Symbols:  spec.SymbolQuery{Containing: "'%s", Ending: "%s$", Qualified: true},
	SkipDirs: []string{"node_modules"},
	Install: []spec.Install{
		goInstall("golang.org/x/tools/gopls"), brew("gopls"), apt("gopls"), nixProfile("gopls"),
	},
	Version: []string{"version"},
}}

// goLoads is what gopls 0.23.0 logs about every load of a view, before it answers what waits for it: the query (the
// folders of its modules), how many packages came, of which builtin is one, and the error. A load that failed ends
// the progress "Setting up workspace" like any other, and questions are answered from the files that are open. With
// a folder for temporary files that is not there go list fails, and gopls takes that for a project without
// packages.
var goLoads = spec.Loads{
	Failed: []string{
		`(?s)go/packages\.Load #\d+: err: (?:exit status \d+: )?(?:stderr: )?(?P<reason>.*?)\n\tview_id=.*\n\tquery=\[(?P<folders>[^\n]*) builtin\]\n`,
		`(?s)Error loading workspace folders [^\n]*\n(?P<reason>failed to load view for .*)`,
	},
	Empty:  []string{`(?s)go/packages\.Load #\d+\n.*\n\tquery=\[(?P<folders>[^\n]*) builtin\]\n\tpackages=[01]\n`},
	Loaded: []string{`(?s)go/packages\.Load #\d+\n.*\n\tquery=\[(?P<folders>[^\n]*) builtin\]\n\tpackages=`},
	Writes: []string{"GOTMPDIR", "TMPDIR"},
	Cures: []spec.Cure{
		{Said: `GOCACHE`, Config: true,
			Have: "Set GOCACHE to a folder that can be written, or set HOME and leave GOCACHE unset."},
		{Said: `requires go >= `, Config: true,
			Have: "Install the version of Go that go.mod asks for, or let the go command fetch it with GOTOOLCHAIN=auto."},
		{Said: `inconsistent vendoring`, Command: "go mod vendor", Have: "Update the folder vendor to match go.mod."},
		// go mod tidy ends with the same error (Go 1.26).
		{Said: `checksum mismatch`,
			Have: "Tell the user that a downloaded module is not the one that go.sum names, and leave go.sum as it is: " +
				"either the module was replaced at its source, or go.sum is wrong."},
		{Said: `missing go\.sum entry|malformed go\.sum|updates to go\.(mod|sum) needed`, Command: "go mod tidy",
			Have: "Update go.mod and go.sum."},
		{Said: `GOROOT`, Config: true, Have: "Set GOROOT to a Go installation, or leave it unset."},
		{Said: `go command required|executable file not found`, Config: true,
			Have: "Put the folder of the go command on PATH."},
		{Said: `GOTMPDIR|TMPDIR|creating work dir|no space left|read-only file system`, Config: true,
			Have: "Set TMPDIR, and GOTMPDIR if it is set, to a folder that can be written and has room."},
	},
}
