package servers

import (
	"time"

	"lspi/lsp/servers/rustanalyzer"
	"lspi/lsp/spec"
)

// rustSymbolLimit replaces rust-analyzer's cut of workspace/symbol at 128; references and hierarchies are not cut.
const rustSymbolLimit = 4096

// rustSection is what rust-analyzer reads from the initialization options at start and from the configuration later on.
// Symbols: "only_types" is the default, which names functions only when no type matches (1.97.1).
// Links in hovers are for people: URLs of docs.rs in the middle of the documentation.
var rustSection = map[string]any{"checkOnSave": false,
	"hover": map[string]any{"links": map[string]any{"enable": false}},
	"workspace": map[string]any{"symbol": map[string]any{"search": map[string]any{"kind": "all_symbols",
		"limit": rustSymbolLimit}}}}

var rustServers = []spec.Spec{{
	ID: "rust-analyzer", Title: "rust-analyzer",
	Languages: languages("rust"),
	// On PATH may be rustup's proxy without its component, which exits with "Unknown binary".
	Commands: []spec.Command{{Name: "rust-analyzer", Resolve: []string{"rustup", "which", "rust-analyzer"}}},
	Roots: outermostOnly(
		// Cargo's own rule: the first workspace above the crate that does not exclude it. A nested folder with a
		// [workspace] of its own (cargo-fuzz makes one) is no part of the outer one.
		spec.MarkerGroup{Files: []string{"Cargo.toml"}, Members: rustanalyzer.InWorkspace},
		closestTo("Cargo.toml"),
		closestTo("rust-project.json", ".rust-project.json"),
	),
	// cargo check and the build scripts write gigabytes into target/, and cargo check makes Cargo.lock fit or makes
	// one. For cargo metadata and build scripts rust-analyzer takes a copy of the lock file, but not for the check
	// (1.97.1 with cargo 1.95.0).
	Outputs: []spec.Output{{Name: "target", Setting: "rust-analyzer.cargo.targetDir",
		Option: "cargo.targetDir"}},
	InitializationOptions: rustSection,
	Settings:              map[string]any{"rust-analyzer": rustSection},
	// It answers [] at once while it loads (1.96.0). Not shared: nothing ties a later quiescent to an added folder.
	// After a change of these it says "not quiescent" 3 to 130 ms later, on a busy machine, when it has read the
	// file, and answers what it is asked before that from the old project (1.97.1).
	Readiness: spec.Readiness{Sign: spec.SignServerStatus, Reloads: []string{"Cargo.toml", "Cargo.lock",
		"rust-project.json"},
		Announces: 2 * time.Second, Loads: rustLoads},
	// 760 MB instead of 960 MB in ripgrep (1.97.1); what it has not computed ahead the first question waits for.
	Sparing: &spec.Sparing{
		Options:  map[string]any{"cachePriming.enable": false, "lru.capacity": 16},
		Settings: map[string]any{"rust-analyzer.cachePriming.enable": false, "rust-analyzer.lru.capacity": 16},
	},
	Unannounced: []string{"rust-analyzer/viewFileText", "rust-analyzer/expandMacro", "experimental/parentModule"},
	Raw:         []spec.RawRequest{{Method: "rust-analyzer/expandMacro"}, {Method: "experimental/parentModule"}},
	// Build scripts run when the project is loaded, and the notification that one changed does not make it load
	// anew (1.97.1).
	Freshness: spec.Freshness{Watched: true, QueryClosed: true, RestartOn: []string{"build.rs"},
		Globs: []string{"Cargo.toml", "Cargo.lock", "rust-project.json"}},
	// A pull gives what it finds itself; what cargo check finds, for all files, is only pushed, in between begin and
	// end of the progress rust-analyzer/flycheck/N (1.97.1). lspi runs the check when it is asked for diagnostics.
	Diagnostics: spec.Diagnostics{Pull: true, Workspace: true, Check: &spec.Check{
		Notification: "rust-analyzer/runFlycheck", Token: "rust-analyzer/flycheck/", Title: "cargo check",
		// Each file's push is a job of its own for the worker threads, in any order, also behind the end of the
		// progress.
		Fence: "rust-analyzer/viewFileText",
	}},
	Project: &spec.ProjectFile{
		Files: []string{"Cargo.toml", "rust-project.json", ".rust-project.json"}, Warning: "no_project_file",
		Hint: "rust-analyzer needs a Cargo.toml or a rust-project.json.",
	},
	// Behind an error of the syntax rustfmt fails, and the answer is null, as it is of a text that is formatted (1.97.1).
	Formatting: spec.Formatting{Unparsed: []string{"syntax-error"}},
	Build: &spec.Build{
		Why: "no crate that rust-analyzer has loaded includes it: no mod line leads there, or #[cfg] leaves it out"},
	SilentCaps: map[string]int{"workspace/symbol": rustSymbolLimit},
	// The letters in their order, anywhere in the bare name; modules are not told, methods are functions (1.96.0).
	// Functions in functions are listed (1.97.1).
	Symbols: spec.SymbolQuery{Containing: "%s", Everything: true, ScopesMissing: true, MethodsAreFunctions: true,
		Locals: true},
	SkipDirs: []string{"target", "node_modules"},
	Install: []spec.Install{
		called("the component rust-analyzer", by("rustup", "rustup component add rust-analyzer rust-src")),
		brew("rust-analyzer"),
		by("pacman", "sudo pacman -S --noconfirm rust-analyzer"), nixProfile("rust-analyzer"),
	},
}}

// cargoSaid is what cargo writes to stderr when it fails, as rust-analyzer passes it on.
const cargoSaid = `(?s)(?:stderr:\nerror: |FetchBuildDataError: error: |e=(?:Failed to query))(?P<reason>.*?)(?:\n cargo_toml=|\n\n\n|\n+Stack backtrace:|, is your toolchain| workspace|\n\d{4}-\d\d-|$)`

// rustLoads is what the message of rust-analyzer's serverStatus is made of, without anything between the parts
// (1.97.1). Why the workspaces were not loaded, or the build scripts not run, it writes to stderr alone: the words
// of cargo behind "error: ", or that there is no cargo. cargo check is asked for by lspi, and what it says stays in
// the status until it is run again.
var rustLoads = spec.Loads{
	Health: []spec.HealthPart{
		{Begins: `Failed to load workspaces`, About: spec.ComplaintLoad, Stderr: cargoSaid},
		{Begins: `Failed to read Cargo metadata`, About: spec.ComplaintLoad},
		{Begins: `cargo check failed to start: `, About: spec.ComplaintCheck},
		// It goes on without the scripts and the macros that cargo builds with them: of a failing build.rs that
		// writes a use of a function its references lack that use. In a crate that has neither nothing is missing.
		{Begins: `Failed to run build scripts of some packages`, Stderr: cargoSaid, About: spec.ComplaintLoad,
			Where: []spec.ProjectText{
				{File: "build.rs"}, {File: "Cargo.toml", Text: "\nbuild"}, {File: "Cargo.toml", Text: "dependencies"}}},
		{Begins: "Workspace `[^`]*` has sysroot errors"},
		{Begins: `Failed spawning proc-macro server`},
	},
	Cures: []spec.Cure{
		{Said: `no default is configured`, Command: "rustup default stable", Have: "Choose a toolchain for rustup."},
		{Said: `--> (\S*Cargo\.toml:\d+)`, Have: "Correct $1."}, // no TOML, or of another type (cargo 1.97)
		{Said: `failed to run custom build command`,
			Have: "Fix the named build script: cargo build shows all of its output."},
		{Said: `supported edition|is not supported by|requires rustc|feature .* is required`,
			Have: "Install a toolchain that the project asks for, or correct edition and rust-version in Cargo.toml."},
		{Said: `lock file`, Have: "Repair Cargo.lock; cargo generate-lockfile writes a new one."},
		{Said: `toolchain version|could not execute process|No such file or directory \(os error 2\)$`, Config: true,
			Have: "Put the folder of cargo and rustc on PATH, and leave RUSTC unset or set it to a program."},
		{Said: `offline|failed to get|no matching package|unable to update`, Command: "cargo fetch",
			Have: "Download the dependencies."},
		{Said: `parse manifest`, Have: "Correct the named Cargo.toml."},
	},
}
