package adapter

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"lspi/disk"
	"lspi/lang/golang"
	"lspi/lsp"
	"lspi/lsp/spec"
	"lspi/source"
)

// linked remembers the projects of a tree that use each other by path.
type linked struct {
	mu    sync.Mutex
	read  bool                // guarded by mu
	edits uint64              // Server.edits when it was read; guarded by mu
	uses  map[string][]string // folder of a project to the folders that it uses by path; guarded by mu
}

// Linked are projects that use each other by path while the server answers for each on its own.
type Linked struct {
	Folders []string // of the projects, sorted; the one that was asked about is among them unless it holds them all
	Users   []string // those of Folders that name another one by its path
	Common  string   // the folder that holds them all
	Joined  bool     // Common has the file that joins projects, which leaves one of Folders out

	uses map[string][]string // folder of a project to those that it uses
}

// UsersOf are the folders of the projects that use one, directly or over others, and itself.
func (l *Linked) UsersOf(folder string) []string {
	out := []string{folder}
	for n := 0; n < len(out); n++ { // it grows
		for _, user := range l.Folders {
			if slices.Contains(l.uses[user], out[n]) && !slices.Contains(out, user) {
				out = append(out, user)
			}
		}
	}
	return out
}

// LinkedApart are the projects of the tree that are linked by path with the one at root (go.mod: "replace … => ../"),
// directly or over others, where the server answers for one project at a time: an answer about the project at root lacks
// what the others have. It is nil where the root joins them (go.work), or nothing of the kind is there.
func LinkedApart(ctx context.Context, s *lsp.Server, root string) *Linked {
	p := s.Spec().Project
	if p == nil || p.Link == nil || p.Link.Joined != "" && disk.Exists(filepath.Join(root, p.Link.Joined)) {
		return nil
	}
	uses, ok := linkedUses(ctx, s, p.Link)
	if !ok {
		return nil
	}
	folders := connected(uses, root, p.Link.File)
	if len(folders) < 2 {
		return nil
	}
	l := &Linked{Folders: folders, Common: commonFolder(folders), uses: uses}
	for _, folder := range folders {
		if len(uses[folder]) > 0 {
			l.Users = append(l.Users, folder)
		}
	}
	l.Joined = p.Link.Joined != "" && disk.Exists(filepath.Join(l.Common, p.Link.Joined))
	return l
}

// linkedUses is which project uses which, read again when something changed; false when that cannot be told.
func linkedUses(ctx context.Context, s *lsp.Server, l *spec.Link) (map[string][]string, bool) {
	edits, err := s.Edits(ctx)
	if err != nil {
		return nil, false
	}
	of(s).linked.mu.Lock()
	uses, fresh := of(s).linked.uses, of(s).linked.read && of(s).linked.edits == edits
	of(s).linked.mu.Unlock()
	if fresh {
		return uses, true
	}
	uses = findLinked(s, l)
	of(s).linked.mu.Lock()
	defer of(s).linked.mu.Unlock()
	of(s).linked.read, of(s).linked.edits, of(s).linked.uses = true, edits, uses
	return uses, true
}

// findLinked reads the project files of the tree, but not those that are no part of any build (test data).
func findLinked(s *lsp.Server, l *spec.Link) map[string][]string {
	out := map[string][]string{}
	root := s.Journal().Root()
	uses, project := l.Uses, l.Project
	if uses == nil {
		uses = golang.ReplacedFolders
	}
	if project == nil {
		project = func(_, folder string) string { return folder }
	}
	for path := range s.Journal().Files() {
		if filepath.Base(path) != l.File || s.Skips(root, path) || inTestData(root, path) {
			continue
		}
		folder := filepath.Dir(path)
		for _, used := range uses(folder) {
			if used == folder || !disk.Exists(filepath.Join(used, l.File)) {
				continue
			}
			if from, to := project(root, folder), project(root, used); from != to && !slices.Contains(out[from], to) {
				out[from] = append(out[from], to)
			}
		}
	}
	return out
}

// inTestData reports whether the go command passes over the folder of a file when it looks for packages below root.
func inTestData(root, path string) bool {
	below, _ := source.RelativeTo(root, filepath.Dir(path))
	return slices.ContainsFunc(strings.Split(filepath.ToSlash(below), "/"), func(part string) bool {
		return part == "testdata" || strings.HasPrefix(part, "_")
	})
}

// connected are the projects that are linked with the one at root, in either direction, and root; all that are linked
// when root is no project (it has no such file) but holds some.
func connected(uses map[string][]string, root, file string) []string {
	around := map[string][]string{}
	for user, used := range uses {
		for _, u := range used {
			around[user], around[u] = append(around[user], u), append(around[u], user)
		}
	}
	seen := map[string]bool{}
	next := []string{root}
	if around[root] == nil {
		next = nil
		if !disk.Exists(filepath.Join(root, file)) {
			for folder := range around {
				if _, below := source.RelativeTo(root, folder); below {
					next = append(next, folder)
				}
			}
		}
	}
	for len(next) > 0 {
		folder := next[0]
		next = next[1:]
		if !seen[folder] {
			seen[folder] = true
			next = append(next, around[folder]...)
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// commonFolder is the deepest folder that holds all of folders.
func commonFolder(folders []string) string {
	common := folders[0]
	for _, folder := range folders[1:] {
		for {
			if _, ok := source.RelativeTo(common, folder); ok || common == filepath.Dir(common) {
				break
			}
			common = filepath.Dir(common)
		}
	}
	return common
}
