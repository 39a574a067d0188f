package servers

import (
	"lspi/lsp"
	"lspi/lsp/spec"
)

var schemaStore = map[string]any{"enable": true, "url": "https://www.schemastore.org/api/json/catalog.json"}

var markupServers = []spec.Spec{{
	ID: "yaml", Title: "YAML Language Server",
	Lacks:     []string{lsp.MethodWorkspaceSymbol},
	Languages: languages("yaml"),
	Commands:  []spec.Command{run("yaml-language-server", "--stdio")},
	Roots:     repository(),
	Settings: map[string]any{
		"redhat": map[string]any{"telemetry": map[string]any{"enabled": false}},
		"yaml":   map[string]any{"validate": true, "keyOrdering": false, "schemaStore": schemaStore},
	},
	Readiness:   waits(), // knows the document alone
	Freshness:   opened(),
	SkipDirs:    []string{"node_modules"},
	Diagnostics: spec.Diagnostics{Apart: true, DataFiles: []string{"*.json", "*.yaml", "*.yml"}}, // schemas
	Install: []spec.Install{npm("yaml-language-server"), brew("yaml-language-server"),
		nixProfile("yaml-language-server")},
}, {
	ID: "json", Title: "VS Code JSON Language Server",
	Lacks:     []string{lsp.MethodWorkspaceSymbol},
	Languages: languages("json", "jsonc"),
	Commands:  []spec.Command{run("vscode-json-language-server", "--stdio")},
	Roots:     repository(),
	InitializationOptions: map[string]any{
		"provideFormatter": true, "handledSchemaProtocols": []any{"file", "http", "https"},
	},
	Settings:    map[string]any{"json": map[string]any{"validate": map[string]any{"enable": true}}},
	Readiness:   waits(), // knows the document alone
	Freshness:   opened(),
	Diagnostics: spec.Diagnostics{Pull: true, Apart: true, DataFiles: []string{"*.json"}}, // schemas
	SkipDirs:    []string{"node_modules"},
	Install:     []spec.Install{npm("vscode-langservers-extracted"), brew("vscode-langservers-extracted")},
}, {
	ID: "taplo", Title: "Taplo",
	Languages: languages("toml"),
	// PyPI's and npm's taplo are built without the language server.
	Commands:    []spec.Command{run("taplo", "lsp", "stdio")},
	Roots:       roots(closestTo(".taplo.toml", "taplo.toml"), closestTo(".git")),
	Readiness:   waits(), // knows the document alone
	Freshness:   opened(".taplo.toml", "taplo.toml"),
	SkipDirs:    []string{"node_modules", "target"},
	Diagnostics: spec.Diagnostics{Apart: true},
	Install:     []spec.Install{cargoInstall("taplo-cli --features lsp"), brew("taplo"), nixProfile("taplo")},
}, {
	ID: "marksman", Title: "Marksman",
	Languages:   languages("markdown"),
	Commands:    []spec.Command{run("marksman", "server")},
	Roots:       roots(closestTo(".marksman.toml"), closestTo(".git")),
	Readiness:   waits(), // reads the folder within initialize
	Freshness:   notified(".marksman.toml"),
	SkipDirs:    []string{"node_modules"},
	Diagnostics: spec.Diagnostics{Apart: true},
	Install: []spec.Install{
		brew("marksman"), by("pacman", "sudo pacman -S --noconfirm marksman"), by("snap", "sudo snap install marksman"),
		by("scoop", "scoop install marksman"), nixProfile("marksman"),
	},
}, {
	ID: "texlab", Title: "TexLab",
	Languages: languages("latex", "bibtex"),
	Commands:  []spec.Command{run("texlab")},
	Roots: roots(closestTo(".latexmkrc", "latexmkrc", ".texlabroot", "texlabroot", "Tectonic.toml"),
		closestTo(".git")),
	Freshness: spec.Freshness{Watched: true, Open: true, DeletedStay: true}, // 5.25.1: uses in a deleted file stay
	SkipDirs:  []string{"_minted", "auto"},
	Install: []spec.Install{
		cargoInstall("--git https://github.com/latex-lsp/texlab texlab"), brew("texlab"),
		apt("texlab"), by("pacman", "sudo pacman -S --noconfirm texlab"), nixProfile("texlab"),
	},
}, {
	ID: "tinymist", Title: "Tinymist",
	Languages: languages("typst"),
	Commands:  []spec.Command{run("tinymist", "lsp")},
	Roots:     roots(closestTo("typst.toml"), closestTo(".git")),
	Freshness: opened("typst.toml"),
	SkipDirs:  []string{"node_modules"},
	Install:   []spec.Install{brew("tinymist"), cargoInstall("tinymist-cli"), nixProfile("tinymist")},
}, {
	ID: "lemminx", Title: "LemMinX",
	Languages:   languages("xml", "xsl"),
	Commands:    []spec.Command{run("lemminx")},
	Roots:       repository(),
	Readiness:   waits(), // knows the document alone
	Freshness:   opened(),
	SkipDirs:    []string{"node_modules", "target"},
	Diagnostics: spec.Diagnostics{Apart: true},
	Install:     []spec.Install{nixProfile("lemminx"), by("yay", "yay -S --noconfirm lemminx")},
}}
