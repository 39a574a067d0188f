package servers

import (
	"lspi/lsp/spec"
)

// Where the sources of dependencies lie, by the row: what is not below one of these folders nor in the workspace is
// named and not shown. Folders are taken from the tool's own word where it is asked without a project (it runs in
// the root of the file system), else from its documented defaults.

// goSources: GOROOT and GOMODCACHE; a tool chain that go.mod asks for is a module in the latter. Assembly is a
// definition, too.
var goSources = &spec.Sources{Ask: [][]string{{"go", "env", "GOROOT", "GOMODCACHE"}},
	Folders: []string{"~/go/pkg/mod"}, Extensions: []string{"s"}, Local: Go.Reader}

// cSources: what compilers search by default, and the headers that clangd brings (its resource directory).
var cSources = &spec.Sources{
	AnyName: true,
	Folders: []string{
		"/usr/include", "/usr/local/include", "/usr/*-linux-*/include", "/usr/lib/gcc", "/usr/lib64/gcc",
		"/usr/local/lib/gcc",
		"/usr/lib/clang", "/usr/lib64/clang", "/usr/lib/llvm-*/lib/clang", "/usr/lib/llvm-*/include",
		"/usr/lib/*/glib-2.0/include",
		"/opt/homebrew/include", "/opt/homebrew/opt/*/include", "/opt/homebrew/Cellar/llvm/*/lib/clang",
		"/Library/Developer/CommandLineTools", "/Applications/Xcode*.app/Contents/Developer",
		"~/.conan2/p/*/p/include", "~/.conan2/p/b/*/p/include",
	},
	Variables: []string{"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "OBJC_INCLUDE_PATH"},
	Program:   []string{"../lib/clang", "../lib64/clang", "../include"},
}

// rustSources: the sources of crates and of the standard library, which may be named by RUST_SRC_PATH.
var rustSources = &spec.Sources{
	Variables: []string{"RUST_SRC_PATH", "CARGO_HOME/registry/src", "CARGO_HOME/git/checkouts",
		"RUSTUP_HOME/toolchains"},
	Folders: []string{
		"~/.cargo/registry/src", "~/.cargo/git/checkouts", "~/.rustup/toolchains/*/lib/rustlib", "/usr/lib/rustlib",
		"/usr/src/rustc-*",
	},
	Ask:   [][]string{{"rustc", "--print", "sysroot"}},
	Local: Cargo.Reader,
}

// nodeSources: packages above the project, those that the server came with (TypeScript's own library), and
// TypeScript's cache of typings.
var nodeSources = &spec.Sources{
	Upward:  []string{"node_modules"},
	Program: []string{"../lib/node_modules"},
	Folders: []string{"~/.cache/typescript", "~/Library/Caches/typescript", "~/.cache/deno", "~/Library/Caches/deno"},
	Local:   Node.Reader,
}

// pythonSources: the interpreter's own path without the user's and the folder's (-I), the homes that the tools for
// environments choose, and typeshed, which servers bring.
var pythonSources = &spec.Sources{
	Ask: [][]string{append([]string{"python3"}, pythonPath...), append([]string{"python"}, pythonPath...)},
	Variables: []string{
		"VIRTUAL_ENV/lib", "VIRTUAL_ENV/Lib", "CONDA_PREFIX/lib", "CONDA_PREFIX/Lib",
	},
	Folders: []string{
		"/usr/lib/python3*", "/usr/local/lib/python3*", "~/.local/lib/python3*", "~/.pyenv/versions/*/lib/python3*",
		"~/.cache/pypoetry/virtualenvs/*/lib/python3*", "~/.local/share/virtualenvs/*/lib/python3*",
		"~/.virtualenvs/*/lib/python3*", "~/.local/share/uv/python/*/lib/python3*", "~/*conda3/lib/python3*",
		"~/*conda3/envs/*/lib/python3*",
	},
	Program:    []string{"../lib/python3*/site-packages"},
	Upward:     []string{"node_modules"},
	Extensions: []string{"pyi", "py"},
}

var pythonPath = []string{"-I", "-c", `import sys; print("\n".join(sys.path))`}

// sources are the folders by row.
var sources = map[string]*spec.Sources{
	"gopls":         goSources,
	"clangd":        cSources,
	"rust-analyzer": rustSources,

	"typescript-language-server": nodeSources,
	"typescript-native":          nodeSources,
	"deno":                       nodeSources,
	"vue":                        nodeSources,
	"svelte":                     nodeSources,
	"astro":                      nodeSources,
	"intelephense":               nodeSources,

	"pyright":              pythonSources,
	"basedpyright":         pythonSources,
	"ty":                   pythonSources,
	"pylsp":                pythonSources,
	"jedi-language-server": pythonSources,
}
