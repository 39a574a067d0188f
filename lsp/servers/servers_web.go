package servers

import (
	"slices"

	"lspi/internal/lang/typescript"
	"lspi/lsp"
	"lspi/lsp/spec"
)

var scriptLanguages = languages("typescript", "typescriptreact", "javascript", "javascriptreact")

var scriptRoots = roots(closestTo("tsconfig.json", "jsconfig.json"), closestTo("package.json"))

var scriptProject = &spec.ProjectFile{
	Files: []string{"tsconfig.json", "jsconfig.json"}, Warning: "no_project_file",
	Closed: typescript.IsModule, Keeps: typescript.Keeps, Renames: typescript.Renames,
	Hint: "Without a tsconfig.json or jsconfig.json only open files and what they import are searched.",
}

// nodePackages: tsserver keeps what it could not resolve, and does not look again when the package is there (6.0.2).
var nodePackages = &spec.Packages{
	Manifest: "package.json", Keys: []string{"dependencies", "devDependencies"},
	Folder: "node_modules",
	Signs: []string{
		"node_modules/.package-lock.json", "node_modules/.modules.yaml", "node_modules/.yarn-integrity",
		"node_modules/.yarn-state.yml",
	},
	Instead: []string{".pnp.cjs"},
	Generators: []spec.Generator{
		{Marks: []string{"pnpm-lock.yaml"}, Command: "pnpm install"},
		{Marks: []string{"yarn.lock"}, Command: "yarn install"},
		{Marks: []string{"bun.lock", "bun.lockb"}, Command: "bun install"},
		{Marks: []string{"package-lock.json", "npm-shrinkwrap.json"}, Command: "npm ci"},
		{Command: "npm install"},
	},
}

// untypedScript: a hover says any of what has no type (typescript-language-server 6.0.2).
var untypedScript = &spec.Dynamic{Untyped: []string{"any", "this"}, Body: "{", Constructors: []string{"constructor"}}

var webSkips = []string{"node_modules", "dist", ".next", ".nuxt", ".output", ".svelte-kit", ".astro", ".turbo",
	"bower_components"}

// componentExtensions are of files that import scripts, and that no server of scripts reads by itself.
var componentExtensions = []string{"vue", "svelte", "astro", "mdx", "html", "htm"}

// tsdk is where Astro's server finds TypeScript: the project's own, seen from the root, in which it is started.
var tsdk = map[string]any{"tsdk": "node_modules/typescript/lib"}

// scriptServer is the row of tsserver, which ends with TypeScript 6; from 7 on the compiler is the server.
var scriptServer = spec.Spec{
	ID: "typescript-language-server", Title: "TypeScript Language Server",
	Languages: scriptLanguages, Roots: scriptRoots,
	Commands: []spec.Command{run("typescript-language-server", "--stdio")},
	// One tsserver loads every project by the tsconfig.json above an opened file; folders mean nothing to it.
	SharedFolders: true,
	// useSyntaxServer "auto", the default, answers from the open file alone while the project loads: 1 of 3
	// references, as success. useClientFileWatcher makes a notification count in the very next request; by its own
	// watchers new and deleted files are still missed seconds later (6.0.2 with TypeScript 6.0.3).
	// To rename an import's path would write the bare new name in its place and rename no file (6.0.2).
	InitializationOptions: map[string]any{
		"tsserver":    map[string]any{"useSyntaxServer": "never", "useClientFileWatcher": true},
		"preferences": map[string]any{"allowRenameOfImportPath": false},
	},
	// The client file watcher is used only by a client that can do both.
	Capabilities: map[string]any{"workspace": map[string]any{"didChangeWatchedFiles": map[string]any{
		"dynamicRegistration": true, "relativePatternSupport": true,
	}}},
	Readiness: spec.Readiness{
		Sign: spec.SignProgress, Tokens: []string{"Initializing JS/TS language features…"}, OpenFirst: true,
		Waits: true,
	},
	// "rea" does not find "area": a query stands at the head of a word. No scope is told, nothing is cut; one
	// project is searched; what functions declare is listed (6.0.2).
	Symbols:   spec.SymbolQuery{Everything: true, ScopesMissing: true, Locals: true},
	Freshness: notified("tsconfig.json", "jsconfig.json", "package.json"),
	// It keeps the definition among the uses when it is asked at one of them (6.0.2).
	UsesMistaken: true,
	// Of a class it gives the class before its subclasses, of a function the function alone (6.0.2).
	ImplementsItself: true,
	Dynamic:          untypedScript,
	// It drops a byte order mark from what it reads, but not from what it is sent (6.0.2).
	IgnoresMark: true,
	// Its pushes carry no version and lag by up to 0.4 s after an answer to the same text (6.0.2).
	// An opened file that is not on disk belongs to no project: it shadows no module and merges with no declaration
	// (6.0.2). What it imports of JSON it reads on disk (6.0.2).
	Diagnostics: spec.Diagnostics{FilesOnDisk: true, DataFiles: []string{"*.json"}, Imports: typescript.ImportedFiles,
		Global: typescript.IsGlobal,
		Unresolved: &spec.Unresolved{Codes: []string{"2307"}, Message: `Cannot find module '([^']+)'`,
			Generators: nodePackages.Generators}},
	// A document that was in a project only by an import, whose file was deleted, is in none for a moment (6.0.2).
	Lags: "Could not find source file",
	// The edit of a quick fix is beside its command, or resolved (6.0.2).
	Actions:  spec.Actions{Follow: []string{"_typescript.applyCodeActionCommand", "_typescript.applyFixAllCodeAction"}},
	Project:  scriptProject,
	Packages: nodePackages,
	// A file that no tsconfig.json takes in gets a project of its own, and the others' answers lack it (6.0.2).
	Build:    &spec.Build{Why: "no tsconfig.json or jsconfig.json takes them in"},
	UsedBy:   componentExtensions,
	SkipDirs: webSkips,
	Install: []spec.Install{
		npm("typescript-language-server typescript@6"), brew("typescript-language-server"),
	},
}

// vueServer is the row of Vue: tsserver with a plugin of Vue's answers for components, and for the scripts of the
// same project, whose names components use (package vue).
func vueServer() spec.Spec {
	s := scriptServer
	s.ID, s.Title = "vue", "Vue Language Server"
	s.Languages = slices.Concat(languages("vue"), scriptLanguages)
	s.Commands = []spec.Command{run("vue-language-server", "--stdio")}
	s.Roots = required(
		closestTo("vue.config.*", "nuxt.config.*"),
		spec.MarkerGroup{Files: []string{"package.json"}, Contains: `"vue"`},
		spec.MarkerGroup{Files: []string{"package.json"}, Contains: `"nuxt"`},
		spec.MarkerGroup{Files: []string{"package.json"}, Contains: `"vitepress"`},
	)
	// What it has read of vueCompilerOptions it keeps (3.3.11).
	s.Freshness.RestartOn = []string{"tsconfig.json", "jsconfig.json", "tsconfig.app.json"}
	s.Omits.Calls = "calls in the templates of components" // references have them (3.3.11)
	s.Install = []spec.Install{npm("@vue/language-server@3 typescript-language-server typescript@5")}
	return s
}

// Order: deno and vue only where a project says that it is theirs, then they must come first.
var webServers = []spec.Spec{{
	ID: "deno", Title: "Deno",
	Languages:             scriptLanguages,
	Commands:              []spec.Command{run("deno", "lsp")},
	Roots:                 required(closestTo("deno.json", "deno.jsonc", "deno.lock")),
	InitializationOptions: map[string]any{"enable": true},
	Settings:              map[string]any{"deno": map[string]any{"enable": true}},
	// it does not see new files that are not open (2.9.6)
	Freshness: opened("deno.json", "deno.jsonc", "deno.lock"),
	// It pushes nothing to a client that can ask (2.9.6).
	Diagnostics: pull(),
	SkipDirs:    webSkips,
	Install: []spec.Install{
		brew("deno"), npm("deno"), cargoInstall("deno"),
		called("an installer at deno.com", by("curl", "curl -fsSL https://deno.land/install.sh | sh")),
	},
}, vueServer(), scriptServer, {
	ID: "typescript-native", Title: "TypeScript 7",
	Languages: scriptLanguages, Roots: scriptRoots,
	// tsc is the server from TypeScript 7 on; an older one refuses --lsp and ends.
	Commands:      []spec.Command{run("tsgo", "--lsp", "--stdio"), run("tsc", "--lsp", "--stdio")},
	SharedFolders: true,
	// Else npm installs typings for projects of JavaScript, which it waits for (7.0.2).
	Settings: map[string]any{
		"js/ts": map[string]any{
			"tsserver": map[string]any{"automaticTypeAcquisition": map[string]any{"enabled": false}}}},
	Readiness: waits(), // loads a project before it answers (7.0.2)
	Freshness: spec.Freshness{Watched: true, QueryClosed: true, Globs: []string{"tsconfig.json", "jsconfig.json",
		"package.json"}},
	Diagnostics: pull(),
	Project:     scriptProject,
	Packages:    nodePackages,
	Dynamic:     untypedScript,
	SilentCaps:  map[string]int{"workspace/symbol": 256}, // 256 of 600 came (7.0.2)
	UsedBy:      componentExtensions,
	SkipDirs:    webSkips,
	Install:     []spec.Install{npm("typescript@7"), npm("@typescript/native-preview")},
}}

var componentServers = []spec.Spec{{
	ID: "svelte", Title: "Svelte Language Server",
	Languages:   languages("svelte"),
	Commands:    []spec.Command{run("svelteserver", "--stdio")},
	Roots:       roots(closestTo("svelte.config.*"), closestTo("package.json")),
	OpensOwn:    true, // 0.18.4
	Freshness:   notified("tsconfig.json", "package.json"),
	Diagnostics: pull(),
	SkipDirs:    webSkips,
	Install:     []spec.Install{npm("svelte-language-server typescript@5"), brew("svelte-language-server")},
}, {
	ID: "astro", Title: "Astro Language Server",
	Languages:             languages("astro"),
	Commands:              []spec.Command{run("astro-ls", "--stdio")},
	Roots:                 roots(closestTo("astro.config.*"), closestTo("package.json")),
	InitializationOptions: map[string]any{"typescript": tsdk},
	Freshness:             notified("tsconfig.json", "package.json"),
	Diagnostics:           pull(),
	Unannounced:           []string{lsp.MethodDocumentDiag}, // Volar answers, and says nothing of it (2.17.1)
	SkipDirs:              webSkips,
	Install:               []spec.Install{npm("@astrojs/language-server typescript@5"), brew("astro-language-server")},
}, {
	ID: "html", Title: "VS Code HTML Language Server",
	Lacks:                 []string{lsp.MethodWorkspaceSymbol},
	Languages:             languages("html"),
	Commands:              []spec.Command{run("vscode-html-language-server", "--stdio")},
	Roots:                 repository(),
	InitializationOptions: map[string]any{"embeddedLanguages": map[string]any{"css": true, "javascript": true}},
	// Without these it finds nothing wrong in scripts and styles (4.10.0).
	Settings: map[string]any{
		"html":       map[string]any{"validate": map[string]any{"scripts": true, "styles": true}},
		"css":        map[string]any{"validate": true, "lint": map[string]any{}},
		"javascript": map[string]any{"validate": map[string]any{"enable": true}},
	},
	Readiness:   waits(),
	OneDocument: true,
	Freshness:   opened(),
	Diagnostics: spec.Diagnostics{Pull: true, Apart: true},
	SkipDirs:    webSkips,
	Install:     []spec.Install{npm("vscode-langservers-extracted"), brew("vscode-langservers-extracted")},
}, {
	ID: "css", Title: "VS Code CSS Language Server",
	Lacks:     []string{lsp.MethodWorkspaceSymbol},
	Languages: languages("css", "scss", "less"),
	Commands:  []spec.Command{run("vscode-css-language-server", "--stdio")},
	Roots:     repository(),
	// Without these it finds nothing wrong (4.10.0).
	Settings: map[string]any{
		"css":  map[string]any{"validate": true, "lint": map[string]any{}},
		"scss": map[string]any{"validate": true, "lint": map[string]any{}},
		"less": map[string]any{"validate": true, "lint": map[string]any{}},
	},
	Readiness:   waits(),
	OneDocument: true,
	Freshness:   opened(),
	Diagnostics: spec.Diagnostics{Pull: true, Apart: true},
	SkipDirs:    webSkips,
	Install:     []spec.Install{npm("vscode-langservers-extracted"), brew("vscode-langservers-extracted")},
}, {
	ID: "graphql", Title: "GraphQL Language Service",
	Languages: languages("graphql"),
	Commands:  []spec.Command{run("graphql-lsp", "server", "-m", "stream")},
	Roots:     roots(closestTo(".graphqlrc", ".graphqlrc.*", "graphql.config.*"), closestTo("package.json")),
	Freshness: opened(".graphqlrc"),
	SkipDirs:  webSkips,
	Install:   []spec.Install{npm("graphql-language-service-cli graphql")},
}, {
	ID: "elm", Title: "Elm Language Server",
	Languages: languages("elm"),
	Commands:  []spec.Command{run("elm-language-server")},
	Roots:     roots(closestTo("elm.json")),
	Freshness: notified("elm.json"),
	SkipDirs:  []string{"elm-stuff", "node_modules"},
	Install:   []spec.Install{npm("elm elm-test elm-format @elm-tooling/elm-language-server")},
}, {
	ID: "prisma", Title: "Prisma Language Server",
	Languages: languages("prisma"),
	Commands:  []spec.Command{run("prisma-language-server", "--stdio")},
	Roots:     roots(closestTo("package.json")),
	Lacks:     []string{lsp.MethodWorkspaceSymbol},
	Settings:  map[string]any{"prisma": map[string]any{"enableDiagnostics": true}}, // it ends at null (31.12.10)
	// reads the schema's folder with the document
	Readiness: waits(),
	Freshness: opened(),
	SkipDirs:  webSkips,
	Install:   []spec.Install{npm("@prisma/language-server")},
}}
