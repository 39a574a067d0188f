package servers

import (
	"lspi/lsp"
	"lspi/lsp/spec"
)

var (
	nixLanguages    = languages("nix")
	protoLanguages  = languages("proto")
	cmakeLanguages  = languages("cmake")
	dockerLanguages = languages("dockerfile")
)

// protoFreshness: the servers of Protocol Buffers keep what they read of a file that is deleted (buf 1.75.0,
// protols 0.14.1).
func protoFreshness(globs ...string) spec.Freshness {
	f := opened(globs...)
	f.DeletedStay = true
	return f
}

var infraServers = []spec.Spec{{
	ID: "terraform-ls", Title: "Terraform Language Server",
	Languages: languages("terraform", "terraform-vars", "terraform-test", "terraform-mock", "terraform-stack",
		"terraform-deploy"),
	Commands:  []spec.Command{run("terraform-ls", "serve")},
	Roots:     roots(closestTo(".terraform", ".terraform.lock.hcl"), closestTo(".git")),
	Freshness: notified(".terraform.lock.hcl"),
	SkipDirs:  []string{".terraform", "node_modules"},
	Install: []spec.Install{
		brew("hashicorp/tap/terraform-ls"), goInstall("github.com/hashicorp/terraform-ls"),
		nixProfile("terraform-ls"),
	},
}, {
	ID: "dockerfile", Title: "Dockerfile Language Server",
	Languages:   dockerLanguages,
	Commands:    []spec.Command{run("docker-langserver", "--stdio")},
	Roots:       repository(),
	Readiness:   waits(), // knows the document alone
	Freshness:   opened(),
	SkipDirs:    []string{"node_modules"},
	Diagnostics: spec.Diagnostics{Apart: true},
	Install:     []spec.Install{npm("dockerfile-language-server-nodejs"), brew("dockerfile-language-server")},
}, {
	ID: "nixd", Title: "nixd",
	Languages: nixLanguages,
	Commands:  []spec.Command{run("nixd")},
	Roots:     roots(closestTo("flake.nix"), closestTo(".git")),
	Freshness: opened("flake.nix"),
	SkipDirs:  []string{"result", ".direnv"},
	Install:   []spec.Install{nixProfile("nixd")},
}, {
	ID: "nil", Title: "nil",
	Languages: nixLanguages,
	Commands:  []spec.Command{run("nil")},
	Roots:     roots(closestTo("flake.nix"), closestTo(".git")),
	Freshness: notified("flake.nix", "flake.lock"),
	SkipDirs:  []string{"result", ".direnv"},
	Install:   []spec.Install{nixProfile("nil"), cargoInstall("--git https://github.com/oxalica/nil nil")},
}, {
	ID: "buf", Title: "Buf Language Server",
	Languages:   protoLanguages,
	Commands:    []spec.Command{run("buf", "lsp", "serve", "--timeout=0", "--log-format=text")},
	Roots:       roots(topmost("buf.work.yaml"), closestTo("buf.yaml"), closestTo(".git")),
	Readiness:   waits(), // 1.75.0: the first answer about a file of 803 is held back until the others are parsed
	Freshness:   protoFreshness("buf.yaml", "buf.work.yaml"),
	Diagnostics: spec.Diagnostics{Versioned: true},
	SkipDirs:    []string{"node_modules"},
	Install: []spec.Install{brew("bufbuild/buf/buf"), goInstall("github.com/bufbuild/buf/cmd/buf"),
		npm("@bufbuild/buf")},
}, {
	ID: "protols", Title: "protols",
	Languages: protoLanguages,
	Commands:  []spec.Command{run("protols")},
	Roots:     roots(closestTo("protols.toml"), closestTo(".git")),
	Freshness: protoFreshness("protols.toml"),
	SkipDirs:  []string{"node_modules"},
	Install:   []spec.Install{cargoInstall("protols"), nixProfile("protols")},
}, {
	ID: "neocmakelsp", Title: "neocmakelsp",
	Languages: cmakeLanguages,
	Commands:  []spec.Command{run("neocmakelsp", "stdio")},
	Roots:     roots(closestTo(".neocmake.toml"), closestTo(".git", "CMakePresets.json")),
	// It answers a request at the same time as it reads the document that was opened before it, and hangs when one
	// is opened while it reads that files changed. Where .cache/neocmakelsp is in the project, which it writes when
	// it is asked to shut down, it goes by that and does not look whether it is still true (0.11.2).
	Readiness: spec.Readiness{Sign: spec.SignProgress, Tokens: []string{"Initializing workspace"}, Unsure: true,
		Opens: "Opened file %s", Watches: "watched files have changed!"},
	Shutdown: spec.ShutdownWrites,
	Freshness: spec.Freshness{Watched: true, Open: true, OpenAnew: true, ParsedBy: lsp.MethodDocumentSymbol,
		DeletedStay: true,
		Globs:       []string{"CMakePresets.json"}},
	// 0.11.2
	Omits:       spec.Omits{Uses: "uses in folders that are not directly below that of the declaration, or of what includes it"},
	SkipDirs:    []string{"build", "out"},
	Diagnostics: spec.Diagnostics{Pull: true, Apart: true, Unindexed: true},
	Install:     []spec.Install{cargoInstall("neocmakelsp"), brew("neocmakelsp"), nixProfile("neocmakelsp")},
}, {
	ID: "cmake", Title: "CMake Language Server",
	Languages: cmakeLanguages,
	Commands:  []spec.Command{run("cmake-language-server")},
	Roots:     roots(closestTo("CMakePresets.json"), closestTo(".git")),
	// it has CMake's own documentation before it answers initialize, and offers nothing about a project (0.1.11)
	Readiness:   waits(),
	Freshness:   notified("CMakePresets.json"),
	Lacks:       []string{lsp.MethodPublishDiag},
	SkipDirs:    []string{"build", "out"},
	Diagnostics: spec.Diagnostics{Apart: true},
	// With pygls 2, which it does not exclude, it does not start (0.1.11).
	Install: []spec.Install{
		called("cmake-language-server", by("uv", "uv tool install --with 'pygls<2' cmake-language-server")),
		called("cmake-language-server", by("pipx", "pipx install --pip-args='pygls<2' cmake-language-server")),
		called("cmake-language-server", by("pip", "pip install 'pygls<2' cmake-language-server")),
		brew("cmake-language-server"),
	},
}}

var queryServers = []spec.Spec{{
	ID: "helm", Title: "Helm Language Server",
	Languages:   languages("helm"),
	Commands:    []spec.Command{run("helm_ls", "serve")},
	Roots:       roots(closestTo("Chart.yaml")),
	Freshness:   opened("Chart.yaml", "values.yaml"),
	SkipDirs:    []string{"charts"},
	Diagnostics: spec.Diagnostics{Apart: true},
	Install:     []spec.Install{brew("helm-ls"), goInstall("github.com/mrjosh/helm-ls"), nixProfile("helm-ls")},
}, {
	ID: "jsonnet", Title: "Jsonnet Language Server",
	Languages: languages("jsonnet"),
	Commands:  []spec.Command{run("jsonnet-language-server")},
	Roots:     roots(closestTo("jsonnetfile.json"), closestTo(".git")),
	Freshness: opened("jsonnetfile.json"),
	SkipDirs:  []string{"vendor"},
	Install: []spec.Install{goInstall("github.com/grafana/jsonnet-language-server"),
		nixProfile("jsonnet-language-server")},
}, {
	ID: "cue", Title: "CUE",
	Languages: languages("cue"),
	Commands:  []spec.Command{run("cue", "lsp")},
	Roots:     roots(closestTo("cue.mod"), closestTo(".git")),
	Readiness: waits(), // 0.17.1: of 1001 files the first answer has all uses
	Freshness: notified(),
	SkipDirs:  []string{"node_modules"},
	Install:   []spec.Install{goInstall("cuelang.org/go/cmd/cue"), brew("cue-lang/tap/cue")},
}, {
	ID: "starpls", Title: "starpls",
	Languages: languages("starlark"),
	Commands:  []spec.Command{run("starpls")},
	Roots:     roots(closestTo("MODULE.bazel", "WORKSPACE", "WORKSPACE.bazel")),
	Freshness: opened("MODULE.bazel"),
	SkipDirs:  []string{"bazel-bin", "bazel-out", "bazel-testlogs"},
	Install:   []spec.Install{brew("withered-magic/brew/starpls"), nixProfile("starpls")},
}, {
	ID: "sqls", Title: "sqls",
	Languages:   languages("sql"),
	Commands:    []spec.Command{run("sqls")},
	Roots:       roots(closestTo("config.yml", ".sqls.yml"), closestTo(".git")),
	Readiness:   waits(), // knows the document and the database that it is configured for
	Freshness:   opened(),
	SkipDirs:    []string{"node_modules"},
	Diagnostics: spec.Diagnostics{Apart: true},
	Install:     []spec.Install{goInstall("github.com/sqls-server/sqls"), nixProfile("sqls")},
}, {
	ID: "vim", Title: "Vim script Language Server",
	Languages: languages("vim"),
	Commands:  []spec.Command{run("vim-language-server", "--stdio")},
	Roots:     repository(),
	// It has a text some 200 ms after that came, and reads the files of the project, one in 100 ms, when a first
	// one was opened. It keeps files that were deleted (2.3.1).
	Omits: spec.Omits{Uses: "declarations, and uses by names in strings"}, // 2.3.1
	Freshness: spec.Freshness{Watched: true, Open: true, OpenAll: true, OpenAnew: true, PushTells: true,
		ParsedBy:    lsp.MethodDocumentSymbol,
		DeletedStay: true},
	SkipDirs:    []string{"node_modules"},
	Diagnostics: spec.Diagnostics{Apart: true},
	Install:     []spec.Install{npm("vim-language-server"), nixProfile("vim-language-server")},
}}
