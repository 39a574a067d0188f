package servers

import "slices"

// Variables of the environment that the tools of a language read, for [spec.Spec.Variables]. Those that may hold a
// secret are not passed by a pattern, whatever stands here.
var (
	compilerVariables = []string{"CC", "CXX", "AR", "CFLAGS", "CPPFLAGS", "CXXFLAGS", "LDFLAGS", "CPATH",
		"C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH",
		"LIBRARY_PATH", "PKG_CONFIG*", "SDKROOT", "DEVELOPER_DIR", "MACOSX_DEPLOYMENT_TARGET", "INCLUDE", "LIB",
		"LIBPATH", "VCINSTALLDIR", "WINDOWSSDK*"}
	goVariables   = slices.Concat([]string{"GO*", "CGO_*"}, compilerVariables)
	rustVariables = slices.Concat([]string{"CARGO*", "RUST*", "RA_*"}, compilerVariables)
	nodeVariables = []string{"NODE_*", "NPM_CONFIG_*", "npm_config_*", "YARN_*", "PNPM_HOME", "COREPACK_*",
		"BUN_INSTALL", "DENO_*"}
	pythonVariables = []string{"PYTHON*", "VIRTUAL_ENV", "CONDA_*", "MAMBA_*", "UV_*", "POETRY_*", "PIPENV_*"}
	javaVariables   = []string{"JAVA_*", "JDK_*", "_JAVA_OPTIONS", "GRADLE_*", "MAVEN_*", "M2_HOME", "SBT_*",
		"COURSIER_*", "ANDROID_HOME", "KOTLIN_HOME", "SCALA_HOME"}
	dotnetVariables = []string{"DOTNET_*", "MSBUILD*", "NUGET_*", "MONO_*"}
	rubyVariables   = []string{"RUBY*", "GEM_*", "BUNDLE_*", "RBENV_*", "RVM_*", "rvm_*"}
	phpVariables    = []string{"PHP*", "COMPOSER*"}
	beamVariables   = []string{"MIX_*", "HEX_*", "ERL_*", "REBAR_*", "ELIXIR_*"}
	ocamlVariables  = []string{"OPAM*", "OCAML*", "CAML_*", "DUNE_*"}
)

// variables are those of each server whose language has tools that read some.
var variables = map[string][]string{
	"gopls": goVariables, "clangd": compilerVariables, "rust-analyzer": rustVariables,
	"typescript-language-server": nodeVariables, "typescript-native": nodeVariables, "deno": nodeVariables,
	"vue":    nodeVariables,
	"svelte": nodeVariables, "astro": nodeVariables, "html": nodeVariables, "css": nodeVariables,
	"graphql": nodeVariables,
	"elm":     nodeVariables, "prisma": nodeVariables, "eslint": nodeVariables, "biome": nodeVariables,
	"tailwindcss": nodeVariables,
	"yaml":        nodeVariables, "json": nodeVariables, "bash-language-server": nodeVariables,
	"dockerfile": nodeVariables,
	"vim":        nodeVariables,
	"rescript":   nodeVariables, "purescript": nodeVariables, "intelephense": nodeVariables,
	"perlnavigator": slices.Concat(nodeVariables, []string{"PERL*"}),
	"pyright":       slices.Concat(pythonVariables, nodeVariables), "basedpyright": slices.Concat(pythonVariables,
		nodeVariables),
	"ty": pythonVariables, "pylsp": pythonVariables, "jedi-language-server": pythonVariables, "ruff": pythonVariables,
	"fortls": pythonVariables,
	"cmake":  slices.Concat(pythonVariables, compilerVariables, []string{"CMAKE_*"}), "neocmakelsp": {"CMAKE_*"},
	"jdtls": slices.Concat(javaVariables, pythonVariables), "kotlin-lsp": javaVariables,
	"kotlin-language-server": javaVariables, "metals": javaVariables,
	"clojure-lsp": slices.Concat(javaVariables, []string{"CLJ_*", "LEIN_*"}), "lemminx": javaVariables,
	"csharp-ls": dotnetVariables, "roslyn": dotnetVariables, "omnisharp": dotnetVariables,
	"fsautocomplete": dotnetVariables, "powershell": append([]string{"PS*"}, dotnetVariables...),
	"lua-language-server": {"LUA_*"}, "r-languageserver": {"R_*", "RSTUDIO_PANDOC"}, "julia": {"JULIA_*"},
	"ruby-lsp": rubyVariables, "solargraph": rubyVariables, "phpactor": phpVariables,
	"elixir-ls": beamVariables, "expert": beamVariables, "elp": beamVariables, "erlang-ls": beamVariables,
	"gleam":    beamVariables,
	"ocamllsp": ocamlVariables, "haskell-language-server": {"GHC*", "CABAL_*", "STACK_*"}, "zls": {"ZIG_*"},
	"sourcekit-lsp": append([]string{"SWIFT*", "TOOLCHAINS"}, compilerVariables...),
	"dartls":        {"DART_*", "FLUTTER_*", "PUB_*"},
	"nimlangserver": {"NIM*"}, "ada-language-server": {"GPR_*", "ADA_*"}, "crystalline": {"CRYSTAL_*"},
	"serve-d":  {"DUB_*", "DFLAGS"},
	"solidity": nodeVariables, "taplo": {"TAPLO_*"}, "texlab": {"TEX*", "BIB*", "BST*"}, "tinymist": {"TYPST_*"},
	"terraform-ls": {"TF_CLI_CONFIG_FILE", "TF_DATA_DIR", "TF_PLUGIN_CACHE_DIR", "CHECKPOINT_DISABLE"},
	"buf":          {"BUF_*"}, "protols": {"PROTO*"}, "helm": {"HELM_*"}, "jsonnet": {"JSONNET_*"},
	"cue":     append([]string{"CUE_*"}, goVariables...),
	"starpls": {"BAZEL*", "USE_BAZEL_VERSION"},
}
