package servers

import (
	"slices"

	"lspi/lsp"
	"lspi/lsp/spec"
)

var shellServers = []spec.Spec{{
	ID: "bash-language-server", Title: "Bash Language Server",
	Languages: languages("shellscript"),
	Commands:  []spec.Command{run("bash-language-server", "start")},
	Roots:     repository(),
	// 500 files is its default; beyond it scripts are unknown without a word.
	Settings: map[string]any{"bashIde": map[string]any{"backgroundAnalysisMaxFiles": 20000}},
	// Asked before its scan has ended it answers from the open files alone (5.8.1).
	Readiness: message("window/logMessage", "BackgroundAnalysis: Completed"),
	// It ignores didChangeWatchedFiles; what was opened counts, and still counts after it was closed (5.8.1).
	Freshness: spec.Freshness{Open: true, DeletedStay: true},
	// It pushes once for each version, also of an unchanged text; all that it finds is ShellCheck's: without it a
	// script with a syntax error has none (5.8.1).
	Diagnostics: spec.Diagnostics{Apart: true, Versioned: true, Unindexed: true, Needs: "shellcheck"},
	SkipDirs:    []string{"node_modules"},
	Install: []spec.Install{
		npm("bash-language-server"), brew("bash-language-server"),
		by("dnf", "sudo dnf install -y nodejs-bash-language-server"),
		by("pacman", "sudo pacman -S --noconfirm bash-language-server"), nixProfile("bash-language-server"),
	},
}}

var scriptServers = []spec.Spec{{
	ID: "lua-language-server", Title: "Lua Language Server",
	Languages: languages("lua"),
	Commands:  []spec.Command{run("lua-language-server")},
	Roots: roots(closestTo(".luarc.json", ".luarc.jsonc"),
		closestTo(".luacheckrc", ".stylua.toml", "stylua.toml", "selene.toml", "*.rockspec")),
	Settings: map[string]any{"Lua": map[string]any{
		"telemetry": map[string]any{"enable": false},
		// It loads 5,000 files of at most 500 KB and leaves out the rest; checkThirdParty asks a person.
		"workspace": map[string]any{"checkThirdParty": false, "maxPreload": 50000, "preloadFileSize": 5000},
	}},
	// It answers when the workspace is loaded; the progress shows only when that takes longer than half a second.
	Readiness: spec.Readiness{Sign: spec.SignProgress, Tokens: []string{"Loading workspace"}, Waits: true},
	Freshness: notified(".luarc.json", ".luarc.jsonc"),
	SkipDirs:  []string{"lua_modules", ".luarocks", "node_modules"},
	Install: []spec.Install{
		brew("lua-language-server"), by("pacman", "sudo pacman -S --noconfirm lua-language-server"),
		by("scoop", "scoop install lua-language-server"), nixProfile("lua-language-server"),
	},
}, {
	ID: "perlnavigator", Title: "Perl Navigator",
	Languages: languages("perl"),
	Commands:  []spec.Command{run("perlnavigator", "--stdio")},
	Roots:     roots(closestTo("cpanfile", "Makefile.PL", "Build.PL", "dist.ini"), closestTo(".git")),
	// It has perl compile a document when that is opened, for a second or so, and meanwhile answers null. A second
	// later it compiles it again: a text that comes then is for some moments taken for the old one, except by the
	// progress. What it keeps of a document are the lines of other files as they were (0.6.3).
	Settings:  map[string]any{"perlnavigator": map[string]any{"enableProgress": true}},
	Readiness: spec.Readiness{Parses: "Initializing %s"},
	Freshness: spec.Freshness{Watched: true, Open: true, OpenAnew: true, ParsedBy: lsp.MethodDocumentSymbol},
	SkipDirs:  []string{"blib", "local", "node_modules"},
	Install:   []spec.Install{aptIn(fromTrixie, "perlnavigator"), nixProfile("perlnavigator")},
}, {
	ID: "r-languageserver", Title: "R languageserver",
	Languages: languages("r", "rmd"),
	Commands:  []spec.Command{run("R", "--no-echo", "-e", "languageserver::run()")},
	Roots:     roots(closestTo("DESCRIPTION", "*.Rproj", "renv.lock")),
	Freshness: opened("DESCRIPTION", "NAMESPACE"),
	SkipDirs:  []string{"renv", ".Rproj.user"},
	Install: []spec.Install{
		called("languageserver of CRAN",
			by("Rscript", `Rscript -e 'install.packages("languageserver", repos = "https://cloud.r-project.org")'`)),
	},
}, {
	ID: "julia", Title: "LanguageServer.jl",
	Languages: languages("julia"),
	Commands: []spec.Command{run("julia", "--startup-file=no", "--history-file=no", "-e",
		"using LanguageServer; runserver()")},
	Roots:     roots(closestTo("Project.toml", "JuliaProject.toml")),
	Freshness: notified("Project.toml", "Manifest.toml"),
	SkipDirs:  []string{".julia"},
	Install: []spec.Install{called("Julia's package LanguageServer",
		by("julia", `julia -e 'using Pkg; Pkg.add("LanguageServer")'`))},
}}

var (
	rubyLanguages = languages("ruby")
	rubySkips     = []string{"vendor", "node_modules", "tmp", "log", "coverage", ".bundle"}
)

var rubyServers = []spec.Spec{{
	ID: "ruby-lsp", Title: "Ruby LSP",
	Languages: languages("ruby", "erb"),
	Commands:  []spec.Command{run("ruby-lsp")},
	// Without BUNDLE_GEMFILE it writes .ruby-lsp/Gemfile into the project, has Bundler install that, and starts
	// anew with it. With it, it knows the gems of the project's lock file that are installed beside it.
	Sets:      map[string]string{"BUNDLE_GEMFILE": "Gemfile"},
	Roots:     roots(closestTo("Gemfile", "gems.rb"), closestTo("*.gemspec")),
	Readiness: progress("indexing-progress", "Ruby LSP: indexing files"),
	// It keeps the tree of an open document that changed until it is asked about that, and finds its new
	// declarations when it is asked for symbols; for uses it reads the other files from disk (0.26.11).
	Freshness: spec.Freshness{Watched: true, OpenAnew: true, ParsedBy: lsp.MethodDocumentSymbol,
		Globs: []string{"Gemfile", "Gemfile.lock", ".rubocop.yml"}},
	// It always has the declaration among the uses (0.26.11).
	UsesMistaken: true,
	Omits:        spec.Omits{Uses: "uses by symbols and strings, and files that are not named *.rb"}, // 0.26.11
	Diagnostics:  pull(),
	SkipDirs:     slices.Concat(rubySkips, []string{".ruby-lsp"}),
	Install:      []spec.Install{gem("ruby-lsp"), aptIn(sid, "ruby-ruby-lsp")},
}, {
	ID: "solargraph", Title: "Solargraph",
	Languages: rubyLanguages,
	Commands:  []spec.Command{run("solargraph", "stdio")},
	Roots:     roots(closestTo(".solargraph.yml", "Gemfile"), closestTo("*.gemspec")),
	Settings:  map[string]any{"solargraph": map[string]any{"diagnostics": true}},
	Freshness: opened("Gemfile", "Gemfile.lock", ".solargraph.yml"),
	SkipDirs:  rubySkips,
	Install:   []spec.Install{gem("solargraph"), brew("solargraph")},
}}

var phpLanguages = languages("php")

// Order: Intelephense answers faster and more completely; implementations and rename need its licence, and Phpactor
// has both.
var phpServers = []spec.Spec{{
	ID: "intelephense", Title: "Intelephense",
	Languages: phpLanguages,
	Commands:  []spec.Command{run("intelephense", "--stdio")},
	Roots:     roots(closestTo("composer.json"), closestTo(".git")),
	Settings: map[string]any{"intelephense": map[string]any{
		"telemetry": map[string]any{"enabled": false},
		"files":     map[string]any{"maxSize": 5000000}, // larger ones it leaves out; its default is 1 MB
	}},
	// indexingEnded, which it documents, is not sent (1.18.5).
	Readiness: message("window/logMessage", "Indexing finished"),
	Omits:     spec.Omits{Uses: "uses of members of values without a known type, and by names in strings"}, // 1.18.5
	// A text that is changed while it is open counts after a second or so, or when it is asked about (1.18.5).
	Freshness: spec.Freshness{Watched: true, Open: true, ParsedBy: lsp.MethodDocumentSymbol,
		Globs: []string{"composer.json"}},
	SkipDirs: []string{"node_modules", ".git"},
	Install:  []spec.Install{npm("intelephense")},
}, {
	ID: "phpactor", Title: "Phpactor",
	Languages: phpLanguages,
	Commands:  []spec.Command{run("phpactor", "language-server")},
	Roots:     roots(closestTo("composer.json", ".phpactor.json", ".phpactor.yml"), closestTo(".git")),
	Freshness: notified("composer.json"),
	SkipDirs:  []string{"node_modules", ".git"},
	Install: []spec.Install{
		by("composer", "composer global require phpactor/phpactor"), nixProfile("phpactor"),
	},
}}
