package servers

import (
	"lspi/lsp"
	"lspi/lsp/spec"
)

// projectCode says of each server what code of a project it runs, and what keeps it from that in a workspace that
// is not trusted ([spec.Spec.Code]). The rows of the verified servers were tried with a repository whose code
// leaves a mark when it runs (faults, TestAttacks); the others are from what the servers document, and where
// nothing documented turns the code off they are not started.
var projectCode = map[string]*spec.ProjectCode{
	"gopls": goCode, "rust-analyzer": rustCode, "typescript-language-server": typescriptCode, "eslint": eslintCode,
	"yaml": yamlCode, "json": jsonCode, "taplo": taploCode, "lemminx": lemminxCode,
	"clangd": clangdCode, "deno": denoCode, "svelte": svelteCode, "jdtls": jdtlsCode,
	"pyright": pythonCode, "basedpyright": pythonCode, "ty": pythonCode, "zuban": pythonCode,
	"jedi-language-server": jediCode,
}

// codeOf is what is known of the server with an id; nil when it runs nothing of a project, or nobody knows of any.
func codeOf(id string) *spec.ProjectCode {
	code := copied(projectCode[id])
	if why := notStarted[id]; why != "" {
		code = &spec.ProjectCode{Runs: []spec.ProjectRun{{What: why}}, Restrict: spec.Restriction{Off: why}}
	}
	if code != nil {
		code.Tried = tried[id]
	}
	return code
}

// tried are the rows that were tried, with how; see [spec.ProjectCode]. The comments at the rows say what was seen.
var tried = map[string]string{
	"gopls": byTest, "clangd": byTest, "rust-analyzer": byTest, "typescript-language-server": byTest,
	"pyright": byTest, "eslint": byTest, "yaml": byTest, "json": byTest,
	"vue": "2.2.12, 2026-11-22", "astro": "2.17.1, 2026-11-22", "tailwindcss": "0.16.0, 2026-11-22",
	"pylsp":  "1.15.0, 2026-11-22",
	"svelte": "0.18.4, 2026-11-22", "deno": "2.9.6, 2026-11-22", "jedi-language-server": "0.47.0, 2026-11-22",
	"ty": "0.0.105, 2026-11-22",
}

// byTest is said of rows that TestAttacks of package faults tries.
const byTest = "by the tests of attacks.md"

// aboutUses are the requests whose answers lack a place when code is not expanded or not generated.
var aboutUses = []string{lsp.MethodReferences, lsp.MethodImplementation, lsp.MethodCallHierarchy,
	lsp.MethodTypeHierarchy,
	lsp.MethodWorkspaceSymbol, lsp.MethodRename, methodDiagnostic}

const methodDiagnostic = "textDocument/diagnostic"

// goCode: the go command runs no code of a module that it loads (its rule for go list and go build), with these
// exceptions. A toolchain line has it download and run another Go. A module that no proxy has is fetched by git or
// another program from a server that go.mod names. cgo runs the C compiler with flags that it holds against a list
// of its own. For the version of a main package it asks git, which runs what .git/config says; the environment of
// every restricted server stops that (gopls 0.23.0, go 1.26).
var goCode = &spec.ProjectCode{
	Runs: []spec.ProjectRun{{What: "the Go version that go.mod asks for", Files: []string{"go.mod", "go.work"},
		Text: "\ntoolchain "}},
	Restrict: spec.Restriction{Env: map[string]string{"GOTOOLCHAIN": "local", "GOVCS": "*:off"}},
}

// clangdCode: flags of the project (compile_commands.json, compile_flags.txt, .clangd) name files that the
// compiler's frontend writes, and a folder for modules that it builds. Of the user's configuration, which clangd
// applies last, it removes flags by all their spellings, -Xclang among them (clangd 22.1.8).
var clangdCode = &spec.ProjectCode{Restrict: spec.Restriction{User: &spec.UserFile{
	Variable: "XDG_CONFIG_HOME", Home: ".config", Path: "clangd/config.yaml", Between: "\n---\n",
	Text: "CompileFlags:\n  Remove: [--serialize-diagnostics, -serialize-diagnostic-file, -diagnostic-log-file, -stats-file, -header-include-file,\n" +
		"    -module-dependency-dir, -fmodules-cache-path=*]\n",
}}}

// rustCode (rust-analyzer 1.97.1, cargo 1.95.0): to load a project it runs build scripts and procedural macros, and for
// diagnostics cargo check, which compiles and runs the same. cargo metadata, without which it knows no project,
// runs rustc, rustc-wrapper and rustc-workspace-wrapper of the project's .cargo/config.toml; the variables of the
// same meaning come first, and an empty wrapper is none. Nothing replaces [env] of that file, by which rustc gets
// LD_PRELOAD, nor its credential providers. rustup takes a toolchain from a path that rust-toolchain.toml names. A
// rust-project.json names a sysroot whose rustc is run. Of rust-analyzer.toml 1.97.1 takes no command, but other
// versions may. What is not downloaded yet, cargo asks for at registries and by git where Cargo.toml
// (registry-index, git) and the cargo configuration say, with the user's token for a registry of that name.
var rustCode = &spec.ProjectCode{
	Runs: []spec.ProjectRun{
		{What: "build scripts", Files: []string{"build.rs"}, Loss: "what build scripts generate or switch on",
			Methods: aboutUses},
		{What: "procedural macros", Files: []string{"Cargo.lock"}, Text: `name = "proc-macro2"`, Absent: true,
			Loss: "what derives and other procedural macros make", Methods: aboutUses},
		{What: "procedural macros of this workspace", Files: []string{"Cargo.toml"}, Text: "proc-macro = true",
			Loss: "what derives and other procedural macros make", Methods: aboutUses},
		{What: "cargo check", Files: []string{"Cargo.toml"}, Loss: "errors that only cargo check finds",
			Methods: []string{methodDiagnostic}},
		{What: "programs of the cargo configuration", Files: []string{".cargo/config.toml", ".cargo/config"}},
		{What: "another toolchain", Files: []string{"rust-toolchain.toml", "rust-toolchain"}},
	},
	Restrict: spec.Restriction{
		Settings: map[string]any{"rust-analyzer": rustOff}, Options: rustOff, NoCheck: true,
		Env: map[string]string{"RUSTC": "rustc", "RUSTC_WRAPPER": "", "RUSTC_WORKSPACE_WRAPPER": "",
			"CARGO_ENCODED_RUSTFLAGS": "",
			"RUSTUP_AUTO_INSTALL":     "0", "CARGO_NET_GIT_FETCH_WITH_CLI": "false", "CARGO_NET_OFFLINE": "true"},
		Bars: []spec.Bar{
			{Files: []string{".cargo/config.toml", ".cargo/config"},
				Why: "has cargo run programs, or rustc with libraries, of the project",
				Allowed: []string{"alias", "net", "term", "profile", "doc", "cargo-new", "future-incompat-report",
					"install", "cache", "resolver",
					"http", "source", "patch", "paths", "lints", "registry.default", "registries.*.index",
					"build.jobs", "build.target", "build.target-dir", "build.build-dir", "build.incremental",
					"build.rustc", "build.rustc-wrapper",
					"build.rustc-workspace-wrapper", "build.rustflags", "build.rustdocflags", "build.rustdoc",
					"build.dep-info-basedir", "build.pipelining",
					"target.*.linker", "target.*.runner", "target.*.rustflags", "target.*.rustdocflags"}},
			{Files: []string{"rust-toolchain.toml", "rust-toolchain"}, Why: "has rustup run a toolchain of the project",
				Allowed: []string{"toolchain.channel", "toolchain.components", "toolchain.targets",
					"toolchain.profile"}},
			{Files: []string{"rust-project.json", ".rust-project.json"},
				Why: "may have rust-analyzer run a rustc of the project"},
			{Files: []string{"rust-analyzer.toml"}, Why: "may have rust-analyzer run programs of the project",
				Allowed: []string{"assist", "cachePriming", "completion", "diagnostics", "document", "files",
					"highlightRelated", "hover", "imports",
					"inlayHints", "interpret", "joinLines", "lens", "references", "rename", "semanticHighlighting",
					"signature", "signatureHelp", "typing", "workspace",
					"cargo.features", "cargo.noDefaultFeatures", "cargo.allTargets", "cargo.target", "cargo.cfgs",
					"check.features", "check.noDefaultFeatures",
					"check.command", "check.allTargets", "check.workspace", "rustfmt.extraArgs",
					"rustfmt.rangeFormatting"}},
		},
	},
}

var rustOff = map[string]any{
	"cargo":     map[string]any{"buildScripts": map[string]any{"enable": false}},
	"procMacro": map[string]any{"enable": false, "attributes": map[string]any{"enable": false}},
	"check":     map[string]any{"overrideCommand": nil},
}

// typescriptCode (6.0.2): it runs node_modules/typescript/lib/tsserver.js of the project, before one of its own.
// Plugins that a tsconfig.json names are looked for beside the tsserver that runs, so those of the project do not
// run under another. For projects of JavaScript tsserver has npm install typings of the packages that they name.
var typescriptCode = &spec.ProjectCode{
	Runs: []spec.ProjectRun{
		{What: "TypeScript of the project", Files: []string{"node_modules/typescript/lib/tsserver.js"}},
		{What: "tsserver plugins", Files: []string{"tsconfig.json", "jsconfig.json"}, Text: `"plugins"`},
	},
	Fetches: typings,
	Restrict: spec.Restriction{
		Options: map[string]any{"disableAutomaticTypingAcquisition": true, "plugins": []any{}},
		Own: &spec.OwnFile{Option: "tsserver.path", Path: "typescript/lib/tsserver.js", Folder: "node_modules",
			Programs: []string{"tsserver", "tsc"}, Install: "npm install -g typescript@6"},
	},
}

// pythonCode: python on PATH tells where packages are, and that of the project's environment where the settings of the
// project leave no other way to name it ([spec.Packages].Replaced). One in the workspace is on PATH when an environment
// of the project is active. Neither is run there; its packages are read all the same (pyright 1.1.414, which runs it
// with -I; basedpyright 1.40.1; ty 0.0.105 ran none on 2026-11-22, though it was first on PATH and named by
// VIRTUAL_ENV).
var pythonCode = &spec.ProjectCode{Runs: []spec.ProjectRun{{What: "python of an environment in the project",
	Files: []string{".venv/pyvenv.cfg", "venv/pyvenv.cfg", "env/pyvenv.cfg"}}}}

// jediCode (0.47.0, tried 2026-11-22): it runs the python of an environment that VIRTUAL_ENV or CONDA_PREFIX names,
// also when that lies in the project; with both empty it ran none, nor one that .jedi/project.json names.
var jediCode = &spec.ProjectCode{
	Runs:     pythonCode.Runs,
	Restrict: spec.Restriction{Env: map[string]string{"VIRTUAL_ENV": "", "CONDA_PREFIX": ""}},
}

// typings are installed for projects of JavaScript alone, by the packages that these name.
var typings = []spec.ProjectFetch{{What: "typings of packages, by npm", Extensions: []string{"js", "jsx", "mjs",
	"cjs"}, Beside: "package.json",
	Unless: []string{"tsconfig.json"}}}

// eslintCode: the library, its configuration, plugins and parsers are all of the project (4.10.0).
var eslintCode = &spec.ProjectCode{
	Runs: []spec.ProjectRun{{What: "ESLint with its configuration and plugins",
		Files: []string{"node_modules/eslint/package.json",
			"eslint.config.js", "eslint.config.mjs", "eslint.config.cjs", "eslint.config.ts", ".eslintrc.js",
			".eslintrc.cjs", ".eslintrc.json", ".eslintrc.yaml", ".eslintrc.yml"},
		Loss: "what ESLint finds", Methods: []string{methodDiagnostic}}},
	Restrict: spec.Restriction{Off: "it runs ESLint with the configuration and plugins of the project"},
}

// yamlCode: the store of schemas is asked by file names, and what a modeline or $schema names is fetched by its
// URL. No setting stops that, but behind the notification the server asks its client for URLs (vscode/content),
// which answers nothing (2.0.0).
var yamlCode = &spec.ProjectCode{Fetches: []spec.ProjectFetch{
	{What: "the schemas that schemastore.org has for names of files"},
	{What: "the schema that a file names by URL", Texts: []string{"$schema=http", "$schema: http", "$schema: \"http",
		"$schema: 'http"}},
}, Restrict: spec.Restriction{
	Settings: map[string]any{"yaml": map[string]any{"schemaStore": map[string]any{"enable": false, "url": ""},
		"schemas": map[string]any{}}},
	Notify: []string{"yaml/registerContentRequest"},
}}

// jsonCode: only schemas in files are read; what is of http and https it asks its client for (4.10.0), which
// answers nothing.
var jsonCode = &spec.ProjectCode{Fetches: []spec.ProjectFetch{
	{What: "the schema that a file names by URL", Texts: []string{`"$schema": "http`, `"$schema":"http`}},
}, Restrict: spec.Restriction{Options: map[string]any{"handledSchemaProtocols": []any{"file"}}}}

var taploCode = &spec.ProjectCode{Fetches: []spec.ProjectFetch{
	{What: "the schemas that its catalogue has for names of files"},
	{What: "the schema that a file names by URL", Texts: []string{"#:schema http", "$schema = \"http"}},
}, Restrict: spec.Restriction{Settings: map[string]any{
	"evenBetterToml": map[string]any{"schema": map[string]any{"enabled": false, "catalogs": []any{}}}}}}

var lemminxCode = &spec.ProjectCode{Fetches: []spec.ProjectFetch{
	{What: "the schema or DTD that a file names by URL", Texts: []string{"http://", "https://", "ftp://"}},
}, Restrict: spec.Restriction{
	Settings: map[string]any{"xml": lemminxOff},
	Options:  map[string]any{"settings": map[string]any{"xml": lemminxOff}}}}

var lemminxOff = map[string]any{"downloadExternalResources": map[string]any{"enabled": false}}

// denoCode: plugins of deno lint are modules of the project (2.9.6, tried 2026-11-22: one that writes a file left
// none, with lint on or off); imports of the network are not fetched by themselves.
var denoCode = &spec.ProjectCode{
	Runs: []spec.ProjectRun{{What: "plugins of deno lint", Files: []string{"deno.json", "deno.jsonc"},
		Text: `"plugins"`,
		Loss: "what deno lint finds", Methods: []string{methodDiagnostic}}},
	Restrict: spec.Restriction{Settings: map[string]any{"deno": denoOff}, Options: denoOff},
}

var denoOff = map[string]any{"lint": false, "cacheOnSave": false, "codeLens": map[string]any{"test": false}}

// svelteCode: it runs svelte.config.js and takes svelte, prettier and TypeScript from the project, unless its
// client says that the workspace is not trusted (isTrusted, of its initialization options). 0.18.4, tried
// 2026-11-22: svelte.config.js ran, and with isTrusted false nothing did.
var svelteCode = &spec.ProjectCode{
	Runs: []spec.ProjectRun{{What: "svelte.config.js and the compiler of the project",
		Files: []string{"svelte.config.js", "svelte.config.mjs", "node_modules/svelte/package.json"},
		Loss:  "what preprocessors make", Methods: aboutUses}},
	Restrict: spec.Restriction{Options: map[string]any{"isTrusted": false}},
}

// jdtlsCode: importing a Gradle project runs its build script, and Maven's core extensions are code; both imports
// can be switched off, and then only what stands in the sources is known.
var jdtlsCode = &spec.ProjectCode{
	Runs: []spec.ProjectRun{{What: "the build of Gradle or Maven", Files: []string{"build.gradle", "build.gradle.kts",
		"settings.gradle", "settings.gradle.kts", "pom.xml"},
		Loss: "dependencies and generated sources", Methods: aboutUses}},
	Restrict: spec.Restriction{Settings: jdtlsOff, Options: map[string]any{"settings": jdtlsOff}},
}

var jdtlsOff = map[string]any{"java": map[string]any{
	"import": map[string]any{"gradle": map[string]any{"enabled": false},
		"maven": map[string]any{"enabled": false}},
	"jdt":           map[string]any{"ls": map[string]any{"androidSupport": map[string]any{"enabled": "off"}}},
	"configuration": map[string]any{"updateBuildConfiguration": "disabled"},
	"autobuild":     map[string]any{"enabled": false},
}}

// notStarted are the servers that build or evaluate a project to know it, with no switch that their documentation
// has against it. Tried on 2026-11-22, with code that leaves a mark: vue 2.2.12 ran the TypeScript of the project,
// and with a tsdk elsewhere nothing; astro 2.17.1 ran that TypeScript, and with a tsdk elsewhere the project's
// prettier when it formats; tailwindcss 0.16.0 ran the project's Tailwind; pylsp 1.15.0 ran neither
// .ropeproject/config.py nor .pylintrc nor a plugin of flake8, with pylint and flake8 not installed beside it. The
// other rows are by documentation.
var notStarted = map[string]string{
	"vue":                     "it runs TypeScript and the plugins of the project",
	"astro":                   "it runs TypeScript of the project",
	"graphql":                 "it runs graphql.config.js of the project",
	"elm":                     "it runs the elm programs in node_modules of the project",
	"tailwindcss":             "it runs tailwind.config.js and Tailwind of the project",
	"rescript":                "it runs the compiler in node_modules of the project",
	"solidity":                "it runs the configuration of hardhat or foundry of the project",
	"purescript":              "it runs the build of the project",
	"pylsp":                   "its plugins run configuration of the project (rope, pylint)",
	"kotlin-lsp":              "it runs the Gradle build of the project",
	"kotlin-language-server":  "it runs the Gradle or Maven build of the project",
	"metals":                  "it runs the build of the project",
	"clojure-lsp":             "it runs the build tool of the project for its classpath",
	"csharp-ls":               "MSBuild runs tasks of the project",
	"roslyn":                  "MSBuild runs tasks and analysers of the project",
	"omnisharp":               "MSBuild runs tasks and analysers of the project",
	"fsautocomplete":          "MSBuild runs tasks of the project",
	"powershell":              "PSScriptAnalyzer runs rules of the project",
	"perlnavigator":           "it compiles files with perl, which runs their BEGIN blocks",
	"r-languageserver":        "R runs .Rprofile of the project",
	"julia":                   "it loads the packages of the project",
	"ruby-lsp":                "it loads add-ons of the project (ruby_lsp/**/addon.rb)",
	"solargraph":              "Bundler runs the Gemfile of the project",
	"phpactor":                ".phpactor.json names programs to run",
	"elixir-ls":               "it compiles the project, which runs mix.exs and macros",
	"expert":                  "it compiles the project, which runs mix.exs and macros",
	"elp":                     "rebar3 runs rebar.config.script and plugins of the project",
	"erlang-ls":               "rebar3 runs rebar.config.script and plugins of the project",
	"ocamllsp":                "dune runs rules and preprocessors of the project",
	"haskell-language-server": "it builds the project, which runs Template Haskell and Setup.hs",
	"zls":                     "it runs build.zig of the project",
	"sourcekit-lsp":           "SwiftPM runs Package.swift and plugins of the project",
	"dartls":                  "it runs analyser plugins of the project",
	"nimlangserver":           "nimsuggest runs macros and configuration scripts of the project",
	"crystalline":             "the compiler runs macros of the project",
	"serve-d":                 "dub runs commands of the project",
	"terraform-ls":            "terraform runs the providers in .terraform of the project",
	"nixd":                    "it evaluates the flake of the project, which may build",
	"buf":                     "it runs the plugins that buf.yaml names",
	"cmake":                   "it runs cmake in the project",
	"starpls":                 "it runs bazel, by tools/bazel of the project where there is one",
	"sqls":                    "it connects to the databases that the project's configuration names",
}
