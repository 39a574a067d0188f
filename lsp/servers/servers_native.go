package servers

import "lspi/lsp/spec"

var nativeServers = []spec.Spec{{
	ID: "zls", Title: "Zig Language Server",
	Languages: languages("zig"),
	Commands:  []spec.Command{run("zls")},
	Roots:     roots(closestTo("build.zig", "zls.json", "build.zig.zon")),
	Freshness: opened("build.zig", "build.zig.zon"), // it reads a file once, when an import leads to it
	SkipDirs:  []string{"zig-cache", ".zig-cache", "zig-out"},
	Install: []spec.Install{
		brew("zls"), by("pacman", "sudo pacman -S --noconfirm zls"), by("scoop", "scoop install zls"),
		nixProfile("zls"),
	},
}, {
	ID: "sourcekit-lsp", Title: "SourceKit-LSP",
	Languages: languages("swift"),
	// With Xcode it is not on PATH.
	Commands: []spec.Command{{Name: "sourcekit-lsp", Resolve: []string{"xcrun", "--find", "sourcekit-lsp"}}},
	Roots: roots(closestTo("buildServer.json", "Package.swift"), closestTo("*.xcodeproj", "*.xcworkspace"),
		closestTo("compile_commands.json")),
	Readiness: silent(), // shows "Indexing" only where background indexing is on (Swift 6.1)
	Freshness: notified("Package.swift", "Package.resolved"),
	Project: &spec.ProjectFile{
		Files: []string{"Package.swift", "buildServer.json", "compile_commands.json"}, Warning: "no_project_file",
		Hint: "An Xcode project needs a buildServer.json: xcode-build-server config.",
	},
	Diagnostics: pull(),
	SkipDirs:    []string{".build", "DerivedData", "Pods", "Carthage"},
	Install: []spec.Install{by("swiftly", "swiftly install latest"),
		called("a part of the Swift toolchain of swift.org and of Xcode",
			by("xcode-select", "xcode-select --install"))},
}, {
	ID: "dartls", Title: "Dart Analysis Server",
	Languages: languages("dart"),
	Commands:  []spec.Command{run("dart", "language-server", "--protocol=lsp")},
	Roots:     roots(closestTo("pubspec.yaml")),
	Readiness: progress("ANALYZING"),
	Freshness: opened("pubspec.yaml", "analysis_options.yaml"), // it watches by itself and ignores the client's word
	InitializationOptions: map[string]any{
		"onlyAnalyzeProjectsWithOpenFiles": false, "suggestFromUnimportedLibraries": false,
	},
	Diagnostics: spec.Diagnostics{Workspace: true},
	SkipDirs:    []string{".dart_tool", "build", "Pods"},
	Install: []spec.Install{
		brew("dart-sdk"), by("choco", "choco install -y dart-sdk"), nixProfile("dart"),
	},
}, {
	ID: "nimlangserver", Title: "Nim Language Server",
	Languages: languages("nim"),
	Commands:  []spec.Command{run("nimlangserver")},
	Roots:     roots(closestTo("*.nimble"), closestTo(".git")),
	Freshness: opened("*.nimble"),
	SkipDirs:  []string{"nimcache", "nimbledeps"},
	Install:   []spec.Install{by("nimble", "nimble install -y nimlangserver"), nixProfile("nimlangserver")},
}, {
	ID: "ada-language-server", Title: "Ada Language Server",
	Languages: languages("ada", "gpr"),
	Commands:  []spec.Command{run("ada_language_server")},
	Roots:     roots(closestTo("alire.toml", "*.gpr"), closestTo("*.adc")),
	Freshness: opened("*.gpr", "alire.toml"),
	SkipDirs:  []string{"obj", "alire"},
	Install:   []spec.Install{by("alr", "alr install ada_language_server")},
}, {
	ID: "fortls", Title: "fortls",
	Languages: languages("fortran"),
	Commands:  []spec.Command{run("fortls")},
	Roots:     roots(closestTo(".fortls", ".fortlsrc", ".fortls.json"), closestTo("fpm.toml", ".git")),
	// It reads the workspace within initialize, but has not the result variable among the uses of a function, so
	// that its answers are not known to be whole (3.2.2).
	Readiness: silent(),
	Freshness: spec.Freshness{Watched: true, Open: true, DeletedStay: true, Globs: []string{".fortls"}},
	SkipDirs:  []string{"build"},
	Install:   append(pypi("fortls"), brew("fortls"), apt("fortran-language-server")),
}, {
	ID: "crystalline", Title: "Crystalline",
	Languages: languages("crystal"),
	Commands:  []spec.Command{run("crystalline")},
	Roots:     roots(closestTo("shard.yml")),
	Freshness: opened("shard.yml"),
	SkipDirs:  []string{"lib", "bin"},
	Install:   []spec.Install{brew("crystalline"), nixProfile("crystalline")},
}, {
	ID: "serve-d", Title: "serve-d",
	Languages: languages("d"),
	Commands:  []spec.Command{run("serve-d")},
	Roots:     roots(closestTo("dub.json", "dub.sdl"), closestTo(".git")),
	Freshness: opened("dub.json", "dub.sdl"),
	SkipDirs:  []string{".dub"},
	Install:   []spec.Install{nixProfile("serve-d")},
}, {
	ID: "solidity", Title: "Solidity Language Server (Nomic Foundation)",
	Languages: languages("solidity"),
	Commands:  []spec.Command{run("nomicfoundation-solidity-language-server", "--stdio")},
	Roots: roots(closestTo("hardhat.config.*", "foundry.toml", "remappings.txt", "truffle-config.js"),
		closestTo("package.json")),
	Freshness: notified("foundry.toml", "remappings.txt"),
	SkipDirs:  []string{"node_modules", "artifacts", "cache", "out"},
	Install:   []spec.Install{npm("@nomicfoundation/solidity-language-server")},
}, {
	ID: "glsl_analyzer", Title: "glsl_analyzer",
	Languages: languages("glsl"),
	Commands:  []spec.Command{run("glsl_analyzer")},
	Roots:     repository(),
	Readiness: waits(), // looks at one file and what it includes
	Freshness: opened(),
	SkipDirs:  []string{"build", "node_modules"},
	Install:   []spec.Install{brew("glsl_analyzer"), nixProfile("glsl_analyzer")},
}}
