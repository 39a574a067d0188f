package servers

import (
	"time"

	"lspi/lsp/spec"
)

var (
	elixirLanguages = languages("elixir", "eelixir", "phoenix-heex")
	erlangLanguages = languages("erlang")
	compilerWaits   = spec.Timeouts{Initialize: 2 * time.Minute, Request: time.Minute}
)

var functionalServers = []spec.Spec{{
	ID: "elixir-ls", Title: "ElixirLS",
	Languages: elixirLanguages,
	Commands:  []spec.Command{run("elixir-ls"), run("language_server.sh")},
	Roots:     roots(topmost("mix.exs")), // an umbrella's applications have a mix.exs each
	Settings: map[string]any{"elixirLS": map[string]any{
		"autoBuild": true, "dialyzerEnabled": false, // dialyzer occupies the machine for minutes
	}},
	Freshness: notified("mix.exs", "mix.lock"),
	SkipDirs:  []string{"_build", "deps", ".elixir_ls", "node_modules"},
	Timeouts:  compilerWaits,
	Install:   []spec.Install{brew("elixir-ls"), nixProfile("elixir-ls")},
}, {
	ID: "expert", Title: "Expert",
	Languages: elixirLanguages,
	Commands:  []spec.Command{run("expert", "--stdio")},
	Roots:     roots(topmost("mix.exs")),
	Freshness: notified("mix.exs", "mix.lock"),
	SkipDirs:  []string{"_build", "deps", ".expert", "node_modules"},
	Timeouts:  compilerWaits,
	Install:   []spec.Install{download("a release of github.com/elixir-lang/expert")},
}, {
	ID: "elp", Title: "Erlang Language Platform",
	Languages: erlangLanguages,
	Commands:  []spec.Command{run("elp", "server")},
	Roots:     roots(topmost("rebar.config", ".elp.toml"), closestTo("erlang.mk")),
	Freshness: notified("rebar.config", ".elp.toml"),
	SkipDirs:  []string{"_build"},
	Timeouts:  compilerWaits,
	Install:   []spec.Install{brew("erlang-language-platform"), nixProfile("erlang-language-platform")},
}, {
	ID: "erlang-ls", Title: "Erlang LS",
	Languages: erlangLanguages,
	Commands:  []spec.Command{run("erlang_ls", "--transport", "stdio")},
	Roots:     roots(topmost("rebar.config", "erlang_ls.config"), closestTo("erlang.mk")),
	Freshness: opened("rebar.config", "erlang_ls.config"),
	SkipDirs:  []string{"_build"},
	Install:   []spec.Install{brew("erlang_ls"), nixProfile("erlang-ls")},
}, {
	ID: "gleam", Title: "Gleam",
	Languages: languages("gleam"),
	Commands:  []spec.Command{run("gleam", "lsp")},
	Roots:     roots(closestTo("gleam.toml")),
	Freshness: opened("gleam.toml"),
	SkipDirs:  []string{"build"},
	Install:   []spec.Install{brew("gleam"), by("pacman", "sudo pacman -S --noconfirm gleam"), nixProfile("gleam")},
}, {
	ID: "ocamllsp", Title: "OCaml-LSP",
	Languages: languages("ocaml", "ocaml.interface", "ocaml.ocamllex", "ocaml.menhir", "reason", "dune"),
	Commands:  []spec.Command{run("ocamllsp"), run("opam", "exec", "--", "ocamllsp")},
	Roots:     roots(topmost("dune-workspace", "dune-project"), closestTo("*.opam", "esy.json")),
	// It knows other files from what dune has built; nothing shows whether that is up to date.
	Freshness: opened("dune", "dune-project"),
	Project: &spec.ProjectFile{
		Files: []string{"_build"}, Warning: "no_project_file",
		Hint: "Other files are known only after a build: dune build @check @ocaml-index",
	},
	SkipDirs: []string{"_build", "_opam", "_esy", "node_modules"},
	Install:  []spec.Install{opam("ocaml-lsp-server"), nixProfile("ocamlPackages.ocaml-lsp")},
}, {
	ID: "haskell-language-server", Title: "Haskell Language Server",
	Languages: languages("haskell", "literate haskell", "cabal"),
	Commands:  []spec.Command{run("haskell-language-server-wrapper", "--lsp"), run("haskell-language-server", "--lsp")},
	Roots:     roots(topmost("hie.yaml", "cabal.project", "stack.yaml"), closestTo("*.cabal", "package.yaml")),
	Freshness: notified("hie.yaml", "cabal.project", "stack.yaml", "*.cabal"),
	SkipDirs:  []string{"dist-newstyle", "dist", ".stack-work"},
	Timeouts:  compilerWaits,
	Install: []spec.Install{
		by("ghcup", "ghcup install hls"), brew("haskell-language-server"), nixProfile("haskell-language-server"),
	},
}, {
	ID: "purescript", Title: "PureScript Language Server",
	Languages: languages("purescript"),
	Commands:  []spec.Command{run("purescript-language-server", "--stdio")},
	Roots:     roots(closestTo("spago.yaml", "spago.dhall", "bower.json", "psc-package.json")),
	Freshness: opened("spago.yaml", "spago.dhall"),
	SkipDirs:  []string{"output", ".spago", "node_modules"},
	Install:   []spec.Install{npm("purescript-language-server purescript spago")},
}, {
	ID: "rescript", Title: "ReScript Language Server",
	Languages: languages("rescript"),
	Commands:  []spec.Command{run("rescript-language-server", "--stdio")},
	Roots:     roots(closestTo("rescript.json", "bsconfig.json")),
	Freshness: opened("rescript.json"),
	SkipDirs:  []string{"lib", "node_modules"},
	Install:   []spec.Install{npm("@rescript/language-server")},
}}
