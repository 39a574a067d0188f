package clangd

import (
	"path/filepath"
	"slices"

	"lspi/internal/source"
)

// A document may include files that lspi does not follow with the tree: what a build writes into an ignored folder
// (gen/config.h), headers beside the workspace. clangd looks at them only when it is told of something (22.1.8), so
// that they are followed one by one. Headers of the system are not: there are hundreds, and only the upgrade of a
// package changes them.

// The bounds of what is followed one by one: each costs every question a look at the disk.
const (
	maxOutside = 1000 // files
	maxFolders = 100  // with headers, in which an include is looked for
)

// systemFolders hold what packages install; below them nothing is followed but what lies in the workspace.
var systemFolders = []string{"/usr", "/lib", "/opt/homebrew", "/nix", "/Library", "/System", "/Applications",
	`C:\Program Files`, `C:\Program Files (x86)`}

// followIncludes is [lsp.SyncHooks].FollowIncludes.
func (a *Process) followIncludes(path string) {
	in := &a.includes
	var came []string
	follow := func(file string) {
		if !in.outside[file] && len(in.outside) < maxOutside {
			if in.outside == nil {
				in.outside = map[string]bool{}
			}
			in.outside[file] = true
			came = append(came, file)
		}
	}
	a.walk(path, func(file string, of includedTexts) (also []string) {
		for _, name := range of.written {
			found, lacking := a.outside(filepath.Dir(file), name)
			for _, one := range slices.Concat(found, lacking) {
				follow(one)
			}
			also = append(also, found...)
		}
		return also
	})
	if len(came) > 0 {
		in.files = nil
		a.Server.Journal().Extra(came...)
	}
}

// includeTargets are the files to which the name in an include may lead.
type includeTargets struct {
	there   bool     // one of them exists
	found   []string // those that exist and that lspi does not follow with the tree
	lacking []string // those that may come
}

// outside are the files that an include in a folder may mean and that lspi does not follow with the tree; lacking
// are those that are to come, where the include leads to no file at all. A name without an extension is of the
// standard library.
func (a *Process) outside(dir, name string) (found, lacking []string) {
	all := a.targets("", name)
	if !filepath.IsAbs(name) {
		beside := a.targets(dir, name)
		all.there = all.there || beside.there
		all.found = slices.Concat(all.found, beside.found)
		all.lacking = slices.Concat(all.lacking, beside.lacking)
	}
	if all.there || filepath.Ext(name) == "" {
		return all.found, nil
	}
	return all.found, all.lacking
}

// targets are the files of a name in a folder, and for "" in the folders that any command searches. The result is kept
// as long as no file comes or goes: what is asked for again is followed where that matters.
func (a *Process) targets(dir, name string) (m includeTargets) {
	key := filepath.Join(dir, name)
	if known, ok := a.includes.targets[key]; ok {
		return known
	}
	candidates := []string{key}
	if dir == "" && !filepath.IsAbs(name) {
		candidates = nil
		for _, folder := range a.searchedByAny() {
			candidates = append(candidates, filepath.Join(folder, name))
		}
	}
	for _, file := range candidates {
		switch own := a.own(file); {
		case a.Server.Journal().Tracks(file):
			m.there = true
		case source.Exists(file):
			m.there = true
			if own {
				m.found = append(m.found, file)
			}
		case own:
			m.lacking = append(m.lacking, file)
		}
	}
	if a.includes.targets == nil {
		a.includes.targets = map[string]includeTargets{}
	}
	a.includes.targets[key] = m
	return m
}

// own reports whether a file may be of the user, and not of the system.
func (a *Process) own(file string) bool {
	inside := func(folder string) bool { _, ok := source.RelativeTo(folder, file); return ok }
	return inside(a.Server.Root()) || !slices.ContainsFunc(systemFolders, inside)
}

// searchedByAny are the folders in which the commands of any file have includes looked for, and those of the system.
func (a *Process) searchedByAny() []string {
	if a.includes.folders != nil {
		return a.includes.folders
	}
	known := map[string]bool{}
	folders := []string{}
	add := func(dir string) {
		if !known[dir] && len(folders) < maxFolders {
			known[dir] = true
			folders = append(folders, dir)
		}
	}
	if a.list != nil && a.list.path != "" {
		Entries(a.list.path, func(_ string, raw []byte) bool {
			of, _ := searchedBy(raw)
			for _, dir := range of {
				add(dir)
			}
			return len(folders) < maxFolders
		})
	}
	for _, dir := range systemIncludes {
		add(dir)
	}
	a.includes.folders = folders
	return folders
}
