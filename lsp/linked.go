package lsp

import (
	"context"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/source"
)

// Link says how projects of one tree use each other by path.
type Link struct {
	File   string // base name of the project file
	Joined string // a file in the root that makes the server see all of them as one; "" when there is no such file
	Join   string // command that writes it, to which the folders of the projects are added
	Add    string // likewise, where it is there and lacks some
	// Uses are the folders that the project file of a folder names by path.
	Uses func(folder string) []string
	// Project is the root of the project that takes in a folder with a project file, not above top; nil means the
	// folder itself.
	Project func(top, folder string) string
	// Dependencies: an answer has what the projects hold that are used by the one that was asked about.
	Dependencies bool
	// Visible matches the beginning of a declaration that other projects can use; nil where [ExportedChanges] tells.
	Visible *regexp.Regexp
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

// JoinCommand joins the projects when it is run in Common: all of them, or the one at root where a file joins
// others already. It is "" where nothing can join them.
func (l *Linked) JoinCommand(link *Link, root string) string {
	if link.Joined == "" {
		return ""
	}
	folders, command := l.Folders, link.Join
	if l.Joined {
		folders, command = []string{root}, link.Add
	}
	for _, folder := range folders {
		rel, _ := source.RelativeTo(l.Common, folder)
		if rel = filepath.ToSlash(rel); rel != "." {
			rel = "./" + rel
		}
		command += " " + contract.ShellWord(rel)
	}
	return command
}

// LinkedApart are the projects of the tree that are linked by path with the one at root (go.mod: "replace … => ../"),
// directly or over others, where the server answers for one project at a time: an answer about the project at root
// lacks what the others have. It is nil where the root joins them (go.work), or nothing of the kind is there.
func LinkedApart(ctx context.Context, s *Server, root string) *Linked {
	link := s.hooks.Link
	if link == nil || link.Joined != "" && source.Exists(filepath.Join(root, link.Joined)) {
		return nil
	}
	uses, ok := linkedUses(ctx, s, link)
	if !ok {
		return nil
	}
	folders := connected(uses, root, link.File)
	if len(folders) < 2 {
		return nil
	}
	l := &Linked{Folders: folders, Common: commonFolder(folders), uses: uses}
	for _, folder := range folders {
		if len(uses[folder]) > 0 {
			l.Users = append(l.Users, folder)
		}
	}
	l.Joined = link.Joined != "" && source.Exists(filepath.Join(l.Common, link.Joined))
	return l
}

// linkedUses is which project uses which, read again when something changed; false when that cannot be told.
func linkedUses(ctx context.Context, s *Server, l *Link) (map[string][]string, bool) {
	return s.tree.linked.Get(ctx, s, "", func() (map[string][]string, bool) { return findLinked(s, l), true })
}

// findLinked reads the project files of the tree, but not those that are no part of any build (test data).
func findLinked(s *Server, l *Link) map[string][]string {
	out := map[string][]string{}
	root := s.Journal().Root()
	project := l.Project
	if project == nil {
		project = func(_, folder string) string { return folder }
	}
	for path := range s.Journal().Files() {
		if filepath.Base(path) != l.File || s.Folders().Skips(root, path) || inTestData(root, path) {
			continue
		}
		folder := filepath.Dir(path)
		for _, used := range l.Uses(folder) {
			if used == folder || !source.Exists(filepath.Join(used, l.File)) {
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
		if !source.Exists(filepath.Join(root, file)) {
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
