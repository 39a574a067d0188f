package servers

import "lspi/lsp/spec"

// typingsCache is of the servers that run tsserver (TypeScript 5.9): it installs typings of packages for projects of
// JavaScript there, and keeps nothing that it found out about sources.
var typingsCache = []spec.Cache{{Name: "typescript",
	Holds: "typings of packages for projects of JavaScript; of sources it keeps nothing, and reads them anew at " +
		"each start",
	Worktrees: "has all of it"}}

// Caches are the folders in which a server keeps for its next process what it found out. Of a row without any nobody
// has looked.
func Caches(s *spec.Spec) []spec.Cache { return cachesOf[s.Kind] }

// cachesOf are the folders by the row that a server is based on.
var cachesOf = map[string][]spec.Cache{
	// gopls 0.23.0, internal/filecache: by the digest of its program, then by keys that hold the paths of the files.
	// What is not used for five days goes, and the oldest above 1 GB.
	"gopls": {{Variable: "GOPLSCACHE", Name: "gopls",
		Holds:     "types, uses and findings of each package, of all projects of this user",
		Worktrees: "has the dependencies; its own packages are kept by their paths"}},
	// clangd 22.1.8: a shard for each source and header.
	"clangd": {{Project: ".cache/clangd/index",
		Holds:     "the index of each source and header of this project",
		Worktrees: "has none of it"}},
	// rust-analyzer 1.97.1: of itself it keeps nothing; cargo keeps what it built for macros, build scripts and the
	// check.
	"rust-analyzer": {{Output: "target",
		Holds: "what cargo built: build scripts, macros, and the check of this project; the index is made anew at " +
			"each start",
		Worktrees: "has none of it"}},
	"typescript-language-server": typingsCache, "vue": typingsCache,
	"jdtls": {{Output: "data", Holds: "the workspace of Eclipse: projects as they were imported, and their index",
		Worktrees: "has none of it"}},
}
