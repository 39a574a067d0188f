package clangd

import (
	"context"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"lspi/internal/lang"
	"lspi/internal/source"
)

// outsideHeaders are the headers outside of the workspace that its sources include, over others too. The shards of
// clangd's own index tell them; where it has none, because others made its index, the texts do.
type outsideHeaders struct {
	changes atomic.Uint64 // that a sync saw

	mu    sync.Mutex
	found headersFound // guarded by mu
	as    uint64       // changes then; guarded by mu
	known bool         // guarded by mu
}

// headersFound is one state of them. Its values are shared and not changed.
type headersFound struct {
	paths []string
	names map[string]bool // base names of what these include, as [baseKey] has them
	whole bool            // else there may be more
}

// compilerIncludes are where GCC and clang look for headers besides [systemIncludes], on Linux.
var compilerIncludes = []string{"/usr/include/c++/*", "/usr/include/*-linux-*", "/usr/include/*-linux-*/c++/*",
	"/usr/lib/gcc/*/*/include", "/usr/lib/llvm-*/lib/clang/*/include"}

// headersOutside goes by the folders that any command has searched, so that too many headers count. A name that is in
// none of them is one that a condition leaves out. Where no header of the standard library is found, though one is
// included, the folders of the compiler are not known.
func (a *Process) headersOutside(ctx context.Context) headersFound {
	o, changes := &a.system, a.system.changes.Load()
	o.mu.Lock()
	defer o.mu.Unlock() // a second caller has the first one's result
	if o.known && o.as == changes {
		return o.found
	}
	var folders []string
	for _, glob := range slices.Concat(a.searchedFolders(ctx), systemIncludes, compilerIncludes) {
		some, _ := filepath.Glob(glob)
		folders = append(folders, some...)
	}
	in := headersFound{names: map[string]bool{}}
	standard, missed := false, false // headers, which have no extension
	looked, next := map[string]bool{}, []string{}
	look := func(file string) bool {
		if looked[file] || !source.Exists(file) {
			return looked[file]
		}
		looked[file] = true
		if !a.Server.Journal().Tracks(file) {
			in.paths, next = append(in.paths, file), append(next, file)
		}
		return true
	}
	for path := range a.Server.Journal().Files() {
		if a.Server.Spec().Serves(filepath.Base(path)) {
			next = append(next, path)
		}
	}
	searched := map[string]bool{} // whether a name is in the folders
	for ; len(next) > 0 && ctx.Err() == nil; next = next[1:] {
		text, err := source.Read(next[0])
		if err != nil {
			continue
		}
		ours := a.Server.Journal().Tracks(next[0])
		for _, name := range lang.IncludedFiles(text.Content()) {
			if !ours {
				in.names[baseKey(name)] = true
			}
			found, known := searched[name]
			if !known {
				for _, folder := range folders {
					found = look(filepath.Join(folder, name)) || found
				}
				searched[name] = found
			}
			look(filepath.Join(filepath.Dir(next[0]), name))
			if filepath.Ext(name) == "" {
				standard, missed = standard || found, missed || !found
			}
		}
	}
	in.whole = ctx.Err() == nil && (standard || !missed)
	if ctx.Err() == nil {
		o.found, o.as, o.known = in, changes, true
	}
	return in
}
