package servers

import (
	"slices"
	"time"

	"lspi/lsp/spec"
)

var eslintFiles = []string{
	"eslint.config.js", "eslint.config.mjs", "eslint.config.cjs", "eslint.config.ts", "eslint.config.mts",
	"eslint.config.cts", ".eslintrc", ".eslintrc.js", ".eslintrc.cjs", ".eslintrc.json", ".eslintrc.yaml",
	".eslintrc.yml",
}

var tailwindFiles = []string{
	"tailwind.config.js", "tailwind.config.cjs", "tailwind.config.mjs", "tailwind.config.ts",
	"assets/tailwind.config.js", "theme/static_src/tailwind.config.js",
}

var componentLanguages = languages("vue", "svelte", "astro")

// checkers stand beside the server of a language: they check and fix, and are never asked where a symbol is.
var checkers = []spec.Spec{{
	ID: "eslint", Title: "ESLint",
	Languages: slices.Concat(scriptLanguages, componentLanguages),
	Commands:  []spec.Command{run("vscode-eslint-language-server", "--stdio")},
	Roots: required(
		closestTo(eslintFiles...),
		spec.MarkerGroup{Files: []string{"package.json"}, Contains: `"eslintConfig"`},
	),
	Roles: spec.RoleDiagnostics | spec.RoleEdits,
	// It asks for the section "" and reads these keys without looking whether they are there.
	Settings: map[string]any{
		"validate": "on", "packageManager": nil, "useESLintClass": false, "format": false, "quiet": false,
		"onIgnoredFiles": "off", "rulesCustomizations": []any{}, "run": "onType", "nodePath": "",
		"experimental":     map[string]any{},
		"problems":         map[string]any{"shortenToSingleLine": false},
		"workingDirectory": map[string]any{"mode": "location"},
		"codeActionOnSave": map[string]any{"enable": false, "mode": "all"},
		"codeAction": map[string]any{
			"disableRuleComment": map[string]any{"enable": true, "location": "separateLine"},
			"showDocumentation":  map[string]any{"enable": true},
		},
	},
	Readiness:   waits(), // looks at one file at a time
	Freshness:   notified(eslintFiles...),
	Diagnostics: pull(),
	SkipDirs:    webSkips,
	Install:     []spec.Install{npm("vscode-langservers-extracted eslint"), brew("vscode-langservers-extracted")},
}, {
	ID: "biome", Title: "Biome",
	Languages: append(languages("typescript", "typescriptreact", "javascript", "javascriptreact", "css"),
		extensions("json", "json"), extensions("jsonc", "jsonc"), extensions("graphql", "graphql", "gql")),
	Commands: []spec.Command{run("biome", "lsp-proxy")},
	Roots:    required(closestTo("biome.json", "biome.jsonc", ".biome.json", ".biome.jsonc")),
	Roles:    spec.RoleDiagnostics | spec.RoleEdits,
	// It looks at one file at a time, but a changed configuration counts at some time after its notification, and
	// nothing tells when, since its process hands all to a daemon that outlives it (2.6.8).
	Readiness:   silent(),
	Freshness:   notified("biome.json", "biome.jsonc", ".biome.json", ".biome.jsonc"),
	Diagnostics: spec.Diagnostics{Versioned: true},
	SkipDirs:    webSkips,
	Install:     []spec.Install{npm("@biomejs/biome"), brew("biome")},
}, {
	ID: "tailwindcss", Title: "Tailwind CSS Language Server",
	Languages: append(slices.Concat(scriptLanguages, componentLanguages, languages("css", "scss", "less")),
		extensions("html", "html")),
	Commands: []spec.Command{run("tailwindcss-language-server", "--stdio")},
	Roots: required(
		closestTo(tailwindFiles...),
		// version 4 has no file of its own
		spec.MarkerGroup{Files: []string{"package.json"}, Contains: `"tailwindcss"`},
	),
	Roles: spec.RoleDiagnostics | spec.RoleEdits,
	Settings: map[string]any{
		"tailwindCSS": map[string]any{"validate": true},
		"editor":      map[string]any{"tabSize": 2}, // asked for at start
	},
	// It builds the theme of a project with its first document, and says so; only then it reports (0.16.0).
	Readiness: spec.Readiness{Sign: spec.SignMessage, Tokens: []string{"@/tailwindCSS/projectInitialized"},
		OpenFirst: true},
	Freshness: notified(append(tailwindFiles[:4:4], "package.json")...),
	// It reports on every text that it is sent, without a version. A changed theme has it compute for seconds, and
	// counts in what it reports behind that alone; nothing tells when that is (0.16.0).
	Diagnostics: spec.Diagnostics{Patience: 20 * time.Second},
	SkipDirs:    webSkips,
	Install:     []spec.Install{npm("@tailwindcss/language-server"), brew("tailwindcss-language-server")},
}}
